import StorecastRoom
import Testing

struct ServerSessionConflationTests {
    let loop = TestLoop()

    private func watch(_ room: Room<Shop>, _ client: String, _ select: String) -> Wire {
        let wire = Wire.greeted(room, on: loop, client: client)
        wire.say(#"{"op":"subscribe","ref":1,"select":"\#(select)"}"#)
        _ = wire.hear()
        return wire
    }

    @Test func `a stalled connection is sent one patch for all that it missed`() {
        let room = loop.open(Shop.room(from: Shop(log: Array(repeating: "tea", count: 50))))
        let slow = watch(room, .bob, "log")
        slow.isWritable = false
        for number in 0..<3 {
            room.dispatch(Write(text: "\(number)"), DispatchOutcome())
            loop.endTurn()
        }
        #expect(slow.messages.isEmpty)
        slow.resume()
        let heard = slow.hear()
        #expect(heard.ops == ["patch"])
        #expect(heard[0]["from"] == 0)
        #expect(heard[0].v == 3)
        #expect(heard[0]["ops"]?.array?.count == 3)
    }

    @Test func `a snapshot takes the place of patches that are longer`() {
        let room = loop.open(Shop.room)
        let slow = watch(room, .bob, "log")
        slow.isWritable = false
        for number in 0..<1000 {
            room.dispatch(Write(text: "line \(number)"), DispatchOutcome())
            loop.endTurn()
        }
        slow.resume()
        let heard = slow.hearMessages()
        #expect(heard.map(\.json).ops == ["snapshot"])
        #expect(heard[0].json.v == 1000)
        #expect(heard[0].json["value"]?.array?.count == 1000)
    }

    @Test func `nothing is made for a stalled connection until it reads`() {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        ada.isWritable = false
        ada.say(#"{"op":"subscribe","ref":1,"select":"log"}"#)
        for seq in 1...500 { ada.dispatch(seq, "Write", #"{"text":"x"}"#) }
        #expect(ada.messages.isEmpty)
        ada.resume()
        let heard = ada.hear()
        #expect(heard.ops == ["subscribed", "transaction", "snapshot"])
        #expect(heard[1]["acked"] == 500)
    }

    @Test func `connections at one position share the message's bytes`() {
        let room = loop.open(Shop.room(from: Shop(log: Array(repeating: "tea", count: 50))))
        let wires = (0..<3).map { watch(room, .ada + "\($0)", "log") }
        for wire in wires { wire.isWritable = false }
        for _ in 0..<2 {
            room.dispatch(Write(text: "more"), DispatchOutcome())
            loop.endTurn()
        }
        for wire in wires { wire.resume() }
        let messages = wires.flatMap { $0.hearMessages() }
        #expect(messages.count == 3)
        #expect(messages[0] === messages[1])
        #expect(messages[0] === messages[2])
        #expect(messages[0].json.op == "patch")
    }

    @Test func `a snapshot is encoded once for all who need it`() {
        let room = loop.open(Shop.room)
        let wires = (0..<3).map { Wire.greeted(room, on: loop, client: .ada + "\($0)") }
        for wire in wires { wire.push(Array(#"{"op":"subscribe","ref":1,"select":"tea"}"#.utf8)) }
        loop.endTurn()
        let snapshots = wires.map { $0.hearMessages()[1] }
        #expect(snapshots[0] === snapshots[1])
        #expect(snapshots[0] === snapshots[2])
    }

    @Test func `a selection is evaluated once a turn, for all its subscribers and all actions`() {
        let tally = Tally()
        let room = loop.open(Shop.room(counting: tally))
        let wires = (0..<20).map { watch(room, .ada + "\($0)", "tea") }
        #expect(tally.count == 1)
        for wire in wires {
            wire.push(Array(dispatchFrame(1, "AddTea", #"{"by":1}"#).utf8))
        }
        loop.endTurn()
        #expect(tally.count == 2)
        #expect(room.position.version == 20)
        #expect(wires.allSatisfy { $0.hear().ops == ["transaction", "snapshot"] })
    }

    @Test func `over the limit of replies the server stops reading until they are taken`() {
        var limits = SyncLimits()
        limits.controlBytes = 1000
        let room = loop.open(Shop.room, limits: limits)
        let wire = Wire.greeted(room, on: loop)
        wire.isWritable = false
        for _ in 0..<200 { wire.say(#"{"op":"ping"}"#) }
        #expect(!wire.isReading)
        wire.resume()
        let first = wire.hear().count
        // A pong takes 21 bytes with its header: 48 of them are the first to exceed 1,000.
        #expect(first == 48)
        // What the peer had said meanwhile came, until there was too much of it again.
        #expect(!wire.isReading)
        var total = first
        while wire.session.hasMessages {
            wire.resume()
            total += wire.hear().count
        }
        #expect(total == 200)
        #expect(wire.isReading)
    }

    @Test func `one message of very many frames is taken as its answers are`() {
        var limits = SyncLimits()
        limits.controlBytes = 1000
        let wire = Wire.greeted(loop.open(Shop.room, limits: limits), on: loop)
        wire.isWritable = false
        wire.say("[" + Array(repeating: "1", count: 5000).joined(separator: ",") + "]")
        #expect(!wire.isReading)
        wire.resume()
        let some = wire.hear()
        #expect(some.count < 20)
        #expect(some.allSatisfy { $0.code == "invalid-frame" })
        var total = some.count
        for _ in 0..<5000 where !wire.isReading {
            wire.resume()
            loop.endTurn()
            total += wire.hear().count
        }
        #expect(total == 5000)
        #expect(wire.isReading)
    }
}
