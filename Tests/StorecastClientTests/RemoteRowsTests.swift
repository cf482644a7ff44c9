import Observation
import StorecastClient
import StorecastObservation
import TestSupport
import Testing

/// What a mirrored table tells of single rows.
@MainActor @Suite(.fewAtATime) struct RemoteRowsTests {
    struct Card: Codable, Equatable, Identifiable, Sendable {
        var id: Int
        var title: String
    }

    struct Rename: SyncAction {
        var id: Int
        var title: String
    }

    private static let cards = Selection("cards") { (cards: Table<Card>) in cards }
    private let network = ManualNetwork()
    private let connection: RemoteConnection

    init() {
        connection = network.connect()
        network.welcome()
    }

    private func makeStore(isOptimistic: Bool = false) -> RemoteStore<Table<Card>> {
        defer { network.settle() }
        guard isOptimistic else { return RemoteStore(Self.cards, on: connection) }
        return RemoteStore(Self.cards, on: connection) { cards, action in
            if let rename = action as? Rename { cards[id: rename.id]?.title = rename.title }
        }
    }

    private func show(_ titles: [String]) async throws {
        let ref = try #require(network.connection.refs.last)
        network.say(#"{"op":"subscribed","ref":\#(ref),"sub":1,"tag":"t","bytes":9}"#)
        let rows = titles.enumerated().map { #""\#($0)":{"id":\#($0),"title":"\#($1)"}"# }
        let value = "{\(rows.joined(separator: ","))}"
        network.say(#"{"op":"snapshot","sub":1,"v":1,"value":\#(value)}"#)
        await connection.settleStores()
    }

    private func patch(_ operations: String, version: Int) async {
        network.say(
            #"{"op":"patch","sub":1,"from":\#(version - 1),"v":\#(version),"ops":[\#(operations)]}"#
        )
        await connection.settleStores()
    }

    private func rename(_ id: Int, _ title: String) -> String {
        #"{"op":"replace","path":"/\#(id)/title","value":"\#(title)"}"#
    }

    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func `a subscriber hears of its row only`(_ isOptimistic: Bool) async throws {
        let store = makeStore(isOptimistic: isOptimistic)
        let (first, second) = (Listener<Card?>(), Listener<Card?>())
        store.subscribe(first) { $0.select(\.self, id: 0) }
        store.subscribe(second) { $0.select(\.self, id: 1) }
        try await show(["a", "b"])
        await patch(rename(1, "c"), version: 2)
        await patch(#"{"op":"remove","path":"/0"}"#, version: 3)
        #expect(first.heard.map { $0?.title } == ["a", nil])
        #expect(second.heard.map { $0?.title } == ["b", "c"])
        guard isOptimistic else { return }
        store.dispatch(Rename(id: 1, title: "d"))
        #expect(first.heard.count == 2)
        #expect(second.heard.last??.title == "d")
    }

    @Test(.timeLimit(.minutes(30)))
    func `changes come as ids and rows`() async throws {
        let store = makeStore()
        var changes = store.changes(of: \.self).makeAsyncIterator()
        try await show(["a", "b", "c"])
        #expect(await changes.next()?.map(\.id) == [0, 1, 2])
        await patch(rename(1, "x"), version: 2)
        await patch(rename(2, "y"), version: 3)
        #expect(await changes.next()?.map { $0.new?.title } == ["x", "y"])
    }

    @Test(.timeLimit(.minutes(30)))
    func `a view of a row is updated with that row`() async throws {
        let store = makeStore()
        let cards = store.observedRows(of: \.self)
        #expect(cards.ids.isEmpty)
        nonisolated(unsafe) var heard: [Int] = []
        func read(_ id: Int) {
            withObservationTracking {
                _ = cards[id]
            } onChange: {
                heard.append(id)
            }
        }
        read(1)
        try await show(["a", "b", "c"])
        #expect(cards.ids == [0, 1, 2])
        #expect(heard == [1])
        for id in 0...2 { read(id) }
        await patch(rename(2, "x"), version: 2)
        #expect(heard == [1, 2])
        #expect(cards[2]?.title == "x")
    }
}
