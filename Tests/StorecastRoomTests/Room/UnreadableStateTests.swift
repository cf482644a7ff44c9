import Testing

@testable import StorecastRoom

/// States that an action can lead to, and that can't be written, or not be read again.
struct UnreadableStateTests {
    let loop = TestLoop()
    let journal = ArchiveJournal()

    /// A pile that grows without bound, by which something is divided, and that may be cursed.
    struct Pile: Codable, Equatable, Sendable {
        final class Layer: Codable, Equatable, Sendable {
            let below: Layer?

            init(below: Layer?) { self.below = below }

            static func == (left: Layer, right: Layer) -> Bool { left.below == right.below }
        }

        var top: Layer?
        var share = 1.0
        var curse: Curse?
    }

    /// Can be written, but not read.
    struct Curse: Codable, Equatable, Sendable {
        init() {}
        init(from decoder: any Decoder) throws { throw Rejection(.invalid, "It is cursed.") }
        func encode(to encoder: any Encoder) throws {}
    }

    struct Heap: SyncAction { var layers: Int }
    struct Divide: SyncAction { var by: Double }
    struct Say: SyncAction {}

    private static let top = Selection("top") { (pile: Pile) in pile.top }

    private static let room = RoomDefinition(
        state: Pile(), actions: [Heap.self, Divide.self, Say.self], selections: [top],
        reducer: { pile, action in
            switch action {
            case let heap as Heap:
                for _ in 0..<heap.layers { pile.top = Pile.Layer(below: pile.top) }
            case let divide as Divide: pile.share /= divide.by
            case is Say: pile.curse = Curse()
            default: break
            }
        })

    private func open(_ room: RoomDefinition<Pile> = room, seed: UInt64 = 1) -> Room<Pile> {
        var limits = SyncLimits()
        limits.snapshots.entries = 2
        limits.snapshots.kept = 1
        limits.valueBytes = 10_000
        return loop.open(room, journal: journal, limits: limits, seed: seed)
    }

    private func subscribe(_ wire: Wire, ref: Int) -> [JSON] {
        wire.say(#"{"op":"subscribe","ref":\#(ref),"select":"top"}"#)
        return wire.hear()
    }

    /// Whichever of several checks finds it.
    @Test(arguments: 0..<3)
    func `it is refused at the action that would bring it, whoever reduces the log`(
        others: Int
    ) throws {
        var definition = Self.room
        if others == 1 { definition = definition.verifying { _ in 0 } }
        definition = definition.verifying { $0 }
        if others == 2 { definition = definition.verifying { _ in 0 } }
        let room = open(definition)
        let ada = Wire.greeted(room, on: loop)
        // The state is a level itself.
        ada.dispatch(1, "Heap", #"{"layers":478}"#)
        ada.dispatch(2, "Heap", #"{"layers":1}"#)
        let before = room.store.state
        #expect(ada.hear().last?["acked"] == 2)
        ada.dispatch(3, "Heap", #"{"layers":1}"#)
        ada.dispatch(4, "Say")
        ada.dispatch(5, "Divide", #"{"by":0}"#)
        let heard = ada.hear()
        #expect(heard.filter { $0["op"] == "reject" }.map { $0["seq"] } == [3, 4])
        #expect(heard.first?.code == "conflict")
        #expect(heard.first?["detail"] == "Arrays and objects nested over 480 levels.")
        #expect(heard.last?["acked"] == 5)
        #expect(room.position.version == 3)
        #expect(room.store.state?.top == before?.top)
        #expect(room.store.state?.share == .infinity)

        let replay = RoomReplay(definition)
        for (place, record) in journal.entries.enumerated() {
            try replay.reduce(record, at: UInt64(place + 1))
        }
        #expect(replay.state == room.store.state)
        let again = open(definition, seed: 2)
        #expect(again.store.state == room.store.state)
        #expect(again.record(of: .ada)?.rejections.map(\.seq) == [3, 4])
    }

    @Test(arguments: ["Heap", "Say"]) func `no log is given up for a snapshot that can't be read`(
        _ action: String
    ) {
        let room = open()
        let ada = Wire.greeted(room, on: loop)
        for seq in 1...4 { ada.dispatch(seq, "Divide", #"{"by":2}"#) }
        let truncated = journal.truncated
        #expect(truncated > 0)
        ada.dispatch(5, action, #"{"layers":600}"#)
        for seq in 6...20 { ada.dispatch(seq, "Divide", #"{"by":2}"#) }
        loop.advance(by: 200)
        #expect(journal.truncated == truncated)
        #expect(loop.reports.count > 2)
        #expect(loop.reports.allSatisfy { $0.contains("the log kept") })
        let again = open()
        #expect(again.phase == .ready)
        #expect(again.store.state == room.store.state)
        #expect(again.position == room.position)
    }

    @Test func `numbers that JSON has no text for are kept like others`() {
        let room = open()
        let ada = Wire.greeted(room, on: loop)
        for seq in 1...5 { ada.dispatch(seq, "Divide", #"{"by":0}"#) }
        #expect(loop.reports.isEmpty)
        #expect(journal.truncated > 0)
        #expect(open().store.state == room.store.state)
    }

    @Test func `a value that clients couldn't read ends its subscription`() {
        let room = open()
        let ada = Wire.greeted(room, on: loop)
        #expect(subscribe(ada, ref: 1).count == 2)
        ada.dispatch(1, "Heap", #"{"layers":501}"#)
        #expect(ada.hear().first?["code"] == "internal")
        #expect(loop.reports.contains { $0.contains("'top'") && $0.contains("500 levels") })
        #expect(subscribe(ada, ref: 2).map(\.code) == ["internal"])
    }

    @Test func `a value that is larger than clients take ends its subscription`() {
        var limits = SyncLimits()
        limits.valueBytes = 100
        let room = loop.open(Shop.room, limits: limits)
        let ada = Wire.greeted(room, on: loop)
        ada.say(#"{"op":"subscribe","ref":1,"select":"log"}"#)
        let text = String(repeating: "x", count: 96)
        ada.dispatch(1, "Write", #"{"text":"\#(text)"}"#)
        #expect(ada.hear().last?["op"] == "snapshot")
        ada.dispatch(2, "Write", #"{"text":""}"#)
        #expect(ada.hear().map { $0["op"] } == ["lapse", "transaction"])
        #expect(loop.reports.last?.contains("of at most 100") == true)
        ada.say(#"{"op":"subscribe","ref":2,"select":"log"}"#)
        #expect(ada.hear().map(\.code) == ["internal"])
    }

    @Test func `a limit on values that is changed holds in rooms that are open`() {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        func subscribe(_ ref: Int) -> [JSON] {
            ada.say(#"{"op":"subscribe","ref":\#(ref),"select":"log"}"#)
            return ada.hear()
        }
        #expect(subscribe(1).ops == ["subscribed", "snapshot"])
        var limits = SyncLimits()
        limits.valueBytes = 100
        room.set(limits)
        ada.dispatch(1, "Write", #"{"text":"\#(String(repeating: "x", count: 100))"}"#)
        #expect(ada.hear().ops == ["lapse", "transaction"])
        #expect(subscribe(2).map(\.code) == ["internal"])
        room.set(SyncLimits())
        #expect(subscribe(3).ops == ["subscribed", "snapshot"])
    }
}
