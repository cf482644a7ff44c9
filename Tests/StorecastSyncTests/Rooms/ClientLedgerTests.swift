@testable import StorecastSync
import Testing

struct ClientLedgerTests {
    private func entry(
        _ client: String, _ seq: UInt64, base: UInt64 = 0, settled: UInt64 = 0
    ) -> JournalEntry {
        JournalEntry(
            client: client, seq: seq, base: base, settled: settled, sender: Identity("me"),
            time: Timestamp(secondsSince1970: 0), seed: 0, actions: [])
    }

    @Test func `an entry is fresh once`() {
        var ledger = ClientLedger(capacity: 10, window: 10)
        #expect(ledger.verdict(on: entry("a", 1)) == .fresh)
        ledger.settle(entry("a", 1), nil, at: 1)
        #expect(ledger.verdict(on: entry("a", 1)) == .duplicate)
        #expect(ledger.verdict(on: entry("a", 2)) == .fresh)
        #expect(ledger.verdict(on: entry("b", 1)) == .fresh)
        #expect(ledger[client: "a"]?.identity == "me")
    }

    @Test func `a client that another is forgotten for begins behind nothing of it`() {
        var ledger = ClientLedger(capacity: 1, window: 10)
        ledger.settle(entry("a", 1, base: 0), nil, at: 7)
        // It had both on their way before it could know of version 7.
        #expect(ledger.verdict(on: entry("b", 1, base: 0)) == .fresh)
        ledger.settle(entry("b", 1, base: 0), nil, at: 8)
        #expect(ledger.verdict(on: entry("b", 2, base: 0)) == .fresh)
    }

    @Test func `what a forgotten client had open isn't said to be reduced`() {
        var ledger = ClientLedger(capacity: 1, window: 4)
        ledger.settle(entry("a", 1), Rejection(.conflict, "No."), at: 0)
        ledger.settle(entry("b", 1), nil, at: 1)
        ledger.settle(entry("a", 2, base: 1), nil, at: 2)
        let rejections = ledger[client: "a"]?.rejections(since: 0, window: 4)
        #expect(rejections?.map(\.seq) == [1])
        #expect(rejections?.map(\.code) == ["outcome-unknown"])
        #expect(ledger[client: "a"]?.rejections(since: 1, window: 4).isEmpty == true)
        // No more than a client can have open.
        ledger.settle(entry("b", 9, base: 1), nil, at: 3)
        #expect(ledger[client: "b"]?.rejections(since: 0, window: 4).map(\.seq) == [5, 6, 7, 8])
    }

    @Test func `rejections are kept until the client knows them, or must know them`() {
        var ledger = ClientLedger(capacity: 10, window: 3)
        let no = Rejection(.invalid, "No.")
        for seq in 1...4 { ledger.settle(entry("a", UInt64(seq)), no, at: 0) }
        // A client that sent 4 with a window of 3 knows the outcome of 1.
        #expect(ledger[client: "a"]?.rejections.map(\.seq) == [2, 3, 4])
        ledger.settle(entry("a", 5, settled: 3), nil, at: 1)
        #expect(ledger[client: "a"]?.rejections.map(\.seq) == [4])
        ledger.settle(entry("a", 6, settled: 5), nil, at: 2)
        #expect(ledger[client: "a"]?.rejections.isEmpty == true)
    }

    @Test func `no more rejections are kept than clients, whoever they are of`() {
        var ledger = ClientLedger(capacity: 4, window: 100)
        let no = Rejection(.invalid, "No.")
        ledger.settle(entry("a", 1), nil, at: 1)
        ledger.settle(entry("b", 1), no, at: 1)
        for seq in 1...3 as ClosedRange<UInt64> { ledger.settle(entry("c", seq), no, at: 1) }
        #expect(ledger.count == 3)
        ledger.settle(entry("c", 4), no, at: 1)
        // One too many: the oldest go, down to the first that had some.
        #expect(ledger[client: "a"] == nil)
        #expect(ledger[client: "b"] == nil)
        #expect(ledger[client: "c"]?.rejections.map(\.seq) == [1, 2, 3, 4])
        #expect(ledger.verdict(on: entry("a", 1, base: 0)) == .expired)
        // A client keeps all of its own, and the places of others are used again.
        ledger.settle(entry("c", 5), no, at: 1)
        #expect(ledger[client: "c"]?.rejections.count == 5)
        for client in ["d", "e", "f"] { ledger.settle(entry(client, 1, base: 1), nil, at: 2) }
        #expect(ledger.count == 3)
        #expect(ledger[client: "c"] == nil)
    }

    @Test func `the least recently seen client is forgotten first`() {
        var ledger = ClientLedger(capacity: 2, window: 3)
        ledger.settle(entry("a", 1), nil, at: 1)
        ledger.settle(entry("b", 1), nil, at: 2)
        ledger.settle(entry("a", 2), nil, at: 3)
        ledger.settle(entry("c", 1), nil, at: 4)
        #expect(ledger.count == 2)
        #expect(ledger[client: "b"] == nil)
        #expect(ledger[client: "a"]?.lastSeq == 2)
        #expect(ledger[client: "c"]?.lastSeq == 1)
    }

    @Test func `what may have been settled by a forgotten record is expired`() {
        var ledger = ClientLedger(capacity: 1, window: 3)
        ledger.settle(entry("a", 1), nil, at: 1)
        ledger.settle(entry("a", 2), nil, at: 2)
        ledger.settle(entry("b", 1), nil, at: 3)
        #expect(ledger.verdict(on: entry("a", 1, base: 0)) == .expired)
        #expect(ledger.verdict(on: entry("a", 3, base: 3)) == .fresh)
        // A new record doesn't bring back the knowledge of the old one.
        ledger.settle(entry("a", 1), Rejection(.outcomeUnknown, "?"), at: 3)
        #expect(ledger.verdict(on: entry("a", 2, base: 0)) == .expired)
        #expect(ledger.verdict(on: entry("a", 3, base: 3)) == .fresh)
    }

    @Test func `it agrees with a slow and simple ledger on thousands of random entries`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var ledger = ClientLedger(capacity: 3, window: 100)
            var model: [(client: String, lastSeq: UInt64)] = []
            for step in 1...300 as ClosedRange<UInt64> {
                let client = "\(random.below(6))"
                let known = model.first { $0.client == client }?.lastSeq ?? 0
                ledger.settle(entry(client, known + 1, base: step), nil, at: step)
                model.removeAll { $0.client == client }
                model.append((client, known + 1))
                if model.count > 3 { model.removeFirst() }
                for (client, lastSeq) in model {
                    #expect(ledger[client: client]?.lastSeq == lastSeq, "seed \(seed)")
                }
                #expect(ledger.count == model.count, "seed \(seed)")
            }
        }
    }
}
