import StorecastMirror
import StorecastSync
import StorecastWire
import Testing

@testable import StorecastRoom

/// Clients that go from one edge to another and to the owner at any moment, connections that end at
/// any message, and an owner that starts anew: whatever happens in between, everybody sees what was,
/// in its order, and each action has effect once.
struct EdgeStormTests {
    @Test(arguments: 0..<100) func `a storm of hops and cuts`(seed: Int) {
        var storm = Storm(seed: UInt64(seed))
        for _ in 0..<300 { storm.step() }
        storm.calm()
    }

    /// The state behind each entry, by its version.
    private final class Past: RoomObserver {
        private(set) var states: [UInt64: Shop] = [:]
        private unowned let room: Room<Shop>

        init(of room: Room<Shop>) {
            self.room = room
            note()
        }

        // Behind each entry: not all of a batch may be reduced at once.
        func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64) { note() }

        private func note() { states[room.position.version] = room.store.state }
    }

    private struct Storm {
        let cluster: TestCluster
        var random: SeededGenerator
        var clients: [TestClient] = []
        var mirrors: [[Mirror]] = []
        var said: [[(text: String, by: Int, outcome: DispatchOutcome)]] = []
        let past: Past
        var positions: [UInt64] = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            cluster = TestCluster()
            past = Past(of: cluster.room)
            cluster.room.observer = past
            _ = (cluster.makeEdge(), cluster.makeEdge())
            for number in 0..<3 {
                let client = TestClient("client-\(number)-0123456789", on: cluster.owner)
                clients.append(client)
                mirrors.append([
                    client.session.mirror("tea", nil), client.session.mirror("log", nil),
                ])
                said.append([])
                positions.append(0)
            }
        }

        mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &random) < percent
        }

        mutating func come(_ number: Int) {
            let client = clients[number]
            guard client.wire == nil else { return }
            switch Int.random(in: 0...2, using: &random) {
            case 0: client.connect(to: cluster.room, on: cluster.owner)
            case let place:
                let edge = cluster.edges[place - 1]
                client.connect(to: edge.room, on: edge.loop)
            }
        }

        mutating func step() {
            let number = Int.random(in: 0..<clients.count, using: &random)
            let client = clients[number]
            let edge = cluster.edges[Int.random(in: 0...1, using: &random)]
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<20:
                let text = "\(number).\(said[number].count)"
                if chance(70) {
                    said[number].append((text, 0, client.dispatch(Write(text: text))))
                } else {
                    // So that it also becomes what it was.
                    let by = chance(50) ? 1 : -1
                    said[number].append(("", by, client.dispatch(AddTea(by: by))))
                }
                client.speak()
            case 20..<45:
                client.speak()
                client.arrive()
            case 45..<65: edge.speak(Int.random(in: 1...3, using: &random))
            case 65..<72: cluster.owner.endTurn()
            case 72..<85: edge.hear(Int.random(in: 1...3, using: &random))
            case 85..<89: chance(50) ? client.cut() : client.lose()
            case 89..<94: come(number)
            case 94: edge.cut(delivers: chance(50))
            case 95..<98: edge.connect()
            case 98: edge.isWritable.toggle()
            default:
                edge.loop.advance(by: 1)
                if chance(30) { edge.room.forgetLingering() }
            }
            cluster.owner.endTurn()
            for client in clients { while client.wire?.messages.isEmpty == false { client.read() } }
            check()
        }

        /// Everything that somebody sees was so at the position that it has, and nobody goes back.
        mutating func check() {
            for (number, mirrors) in mirrors.enumerated() {
                for mirror in mirrors {
                    guard let value = mirror.value, let version = mirror.position?.version else {
                        continue
                    }
                    guard let shop = past.states[version] else {
                        Issue.record("Nothing was ever at \(version).")
                        continue
                    }
                    let expected: JSON =
                        mirror.selection == "tea"
                        ? .int(Int64(shop.tea)) : .array(shop.log.map { .string($0) })
                    #expect(value == expected, "\(mirror.selection) at \(version)")
                }
                let version = clients[number].session.position?.version ?? 0
                #expect(version >= positions[number])
                positions[number] = version
            }
        }

        mutating func calm() {
            for edge in cluster.edges {
                edge.connect()
                edge.isWritable = true
            }
            for _ in 0..<5 {
                for number in clients.indices { come(number) }
                cluster.settle(clients)
                cluster.owner.endTurn()
                for edge in cluster.edges { edge.loop.advance(by: 2) }
                cluster.owner.advance(by: 2)
                for client in clients where client.wire?.closeCode != nil { client.cut() }
            }
            cluster.settle(clients)
            cluster.owner.endTurn()
            check()
            let shop = cluster.room.store.state!
            for (number, said) in said.enumerated() {
                #expect(said.allSatisfy { $0.outcome.settled != nil && !$0.outcome.isContradicted })
                let texts = said.map(\.text).filter { !$0.isEmpty }
                #expect(shop.log.filter { $0.hasPrefix("\(number).") } == texts)
                #expect(clients[number].troubles == [])
                #expect(mirrors[number][0].value == .int(Int64(shop.tea)))
                #expect(mirrors[number][1].value == .array(shop.log.map { .string($0) }))
            }
            #expect(shop.tea == said.joined().reduce(0) { $0 + $1.by })
            #expect(cluster.edges.map(\.restarts) == [0, 0])
            #expect(cluster.edges.flatMap(\.loop.reports) + cluster.owner.reports == [])
        }
    }
}
