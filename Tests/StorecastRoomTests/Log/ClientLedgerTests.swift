@testable import StorecastRoom
import StorecastWire
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
        var ledger = ClientLedger(window: 10)
        #expect(ledger.verdict(on: entry("a", 1)) == .fresh)
        ledger.settle(entry("a", 1), nil, at: 1)
        #expect(ledger.verdict(on: entry("a", 1)) == .duplicate)
        #expect(ledger.verdict(on: entry("a", 2)) == .fresh)
        #expect(ledger.verdict(on: entry("b", 1)) == .fresh)
        #expect(ledger[client: "a"]?.identity == "me")
    }

    @Test func `what a forgotten client had open isn't said to be reduced`() {
        var ledger = ClientLedger(window: 4)
        ledger.settle(entry("a", 1), Rejection(.conflict, "No."), at: 0)
        ledger.forget(forgetting("a"))
        ledger.settle(entry("a", 2, base: 1), nil, at: 2)
        let rejections = ledger[client: "a"]?.rejections(since: 0, window: 4)
        #expect(rejections?.map(\.seq) == [1])
        #expect(rejections?.map(\.code) == ["outcome-unknown"])
        #expect(ledger[client: "a"]?.rejections(since: 1, window: 4).isEmpty == true)
        // No more than a client can have open.
        ledger.settle(entry("b", 9, base: 1), nil, at: 3)
        #expect(ledger[client: "b"]?.rejections(since: 0, window: 4).map(\.seq) == [5, 6, 7, 8])
    }

    @Test func `of a client whose rejections are forgotten nobody can tell which there were`() {
        var ledger = ClientLedger(window: 10)
        ledger.settle(entry("a", 1), nil, at: 1)
        ledger.settle(entry("a", 2), Rejection(.conflict, "No."), at: 1)
        #expect(ledger.rejectionCount == 1)
        ledger.forget(ForgetClients(rejections: [mark("a")]))
        #expect(ledger.rejectionCount == 0)
        #expect(ledger.verdict(on: entry("a", 2)) == .duplicate)
        #expect(ledger.verdict(on: entry("a", 3)) == .fresh)
        ledger.settle(entry("a", 3), Rejection(.conflict, "No."), at: 1)
        let rejections = ledger[client: "a"]?.rejections(since: 0, window: 10)
        #expect(rejections?.map(\.seq) == [1, 2, 3])
        #expect(rejections?.map(\.code) == ["outcome-unknown", "outcome-unknown", "conflict"])
        #expect(ledger[client: "a"]?.rejections(since: 2, window: 10).map(\.code) == ["conflict"])
    }

    @Test func `rejections are kept until the client knows them, or must know them`() {
        var ledger = ClientLedger(window: 3)
        let no = Rejection(.invalid, "No.")
        for seq in 1...4 { ledger.settle(entry("a", UInt64(seq)), no, at: 0) }
        // A client that sent 4 with a window of 3 knows the outcome of 1.
        #expect(ledger[client: "a"]?.rejections.map(\.seq) == [2, 3, 4])
        ledger.settle(entry("a", 5, settled: 3), nil, at: 1)
        #expect(ledger[client: "a"]?.rejections.map(\.seq) == [4])
        ledger.settle(entry("a", 6, settled: 5), nil, at: 2)
        #expect(ledger[client: "a"]?.rejections.isEmpty == true)
    }

    @Test func `it forgets nobody by itself`() {
        var ledger = ClientLedger(window: 3)
        for number in 0..<1000 { ledger.settle(entry("\(number)", 1), nil, at: 1) }
        #expect(ledger.count == 1000)
        #expect(ledger.horizon == 0)
    }

    @Test func `what may have been settled by a forgotten record is expired`() {
        var ledger = ClientLedger(window: 3)
        ledger.settle(entry("a", 1), nil, at: 1)
        ledger.settle(entry("a", 2), nil, at: 2)
        ledger.settle(entry("b", 1), nil, at: 3)
        ledger.forget(forgetting("a"))
        #expect(ledger[client: "a"] == nil)
        #expect(ledger.horizon == 2)
        #expect(ledger.verdict(on: entry("a", 1, base: 0)) == .expired)
        #expect(ledger.verdict(on: entry("a", 3, base: 3)) == .fresh)
        // A new record doesn't bring back the knowledge of the old one.
        ledger.settle(entry("a", 1), Rejection(.outcomeUnknown, "?"), at: 3)
        #expect(ledger.verdict(on: entry("a", 2, base: 0)) == .expired)
        #expect(ledger.verdict(on: entry("a", 3, base: 3)) == .fresh)
        // Whoever was there all the time isn't taken for it.
        #expect(ledger.verdict(on: entry("b", 2, base: 0)) == .fresh)
    }

    /// The first by the definition of FNV-1a; the second as logs have it that were written before.
    @Test(arguments: ["01527c9731f0ff55", "205xiux40022q"])
    func `clients are forgotten by the marks of every version`(_ mark: String) {
        let client = "0123456789abcdef0123456789abcdef"
        var ledger = ClientLedger(window: 10)
        for id in [client, "b"] { ledger.settle(entry(id, 1), nil, at: 1) }
        ledger.forget(ForgetClients(clients: [mark]))
        #expect(ledger[client: client] == nil)
        #expect(ledger[client: "b"] != nil)
    }

    // MARK: Whom to forget

    private func mark(_ client: String) -> String {
        ClientLedger.mark(of: client)
    }

    private func forgetting(_ clients: String...) -> ForgetClients {
        ForgetClients(clients: clients.map(mark))
    }

    private func limits(clients: Int, rejections: Int = 100) -> SyncLimits {
        var limits = SyncLimits()
        limits.clients = clients
        limits.rejections = rejections
        return limits
    }

    @Test func `nobody is to be forgotten while there is room`() {
        var ledger = ClientLedger(window: 3)
        for client in ["a", "b"] { ledger.settle(entry(client, 1), nil, at: 1) }
        #expect(
            ledger.surplus(limits(clients: 2), isNeeded: { _ in false }, holder: { _, _ in "" })
                == nil)
    }

    @Test func `the least recently seen that isn't there is forgotten first`() {
        var ledger = ClientLedger(window: 3)
        for client in ["a", "b", "c"] { ledger.settle(entry(client, 1), nil, at: 1) }
        ledger.settle(entry("a", 2), nil, at: 2)
        let surplus = ledger.surplus(
            limits(clients: 2), isNeeded: { $0 == "b" }, holder: { _, _ in "" })
        #expect(surplus?.clients == [mark("c")])
        let none = ledger.surplus(
            limits(clients: 2), isNeeded: { _ in true }, holder: { _, _ in "" })
        #expect(none == nil)
    }

    @Test func `a crowd of rejections goes before anybody's clients, and its own go first`() throws
    {
        var ledger = ClientLedger(window: 1024)
        let no = Rejection(.invalid, "No.")
        ledger.settle(entry("ada", 1), no, at: 0)
        for number in 0..<98 {
            for seq in 1...10 as ClosedRange<UInt64> {
                ledger.settle(entry("eve \(number)", seq), no, at: 0)
            }
        }
        let limits = limits(clients: 1000, rejections: 640)
        let surplus = try #require(
            ledger.surplus(limits, isNeeded: { _ in true }) { client, _ in
                ExactString(String(client.prefix(3)))
            })
        #expect(surplus.clients.isEmpty)
        #expect(!surplus.rejections.contains(mark("ada")))
        ledger.forget(surplus)
        #expect(ledger.count == 99)
        #expect(ledger[client: "ada"]?.rejections.count == 1)
        // A sixty-fourth more goes than must; each client gives up all that it has.
        #expect(ledger.rejectionCount == 621)
    }

    @Test func `an entry of the log names so many clients, and the next one the others`() {
        var ledger = ClientLedger(window: 10)
        for number in 1...66_000 { ledger.settle(entry("\(number)", 1), nil, at: 1) }
        var forgotten: [Int] = []
        while let surplus = ledger.surplus(
            limits(clients: 0), isNeeded: { _ in false }, holder: { _, _ in ExactString("") })
        {
            forgotten.append(surplus.clients.count)
            ledger.forget(surplus)
        }
        #expect(forgotten == [65_536, 464])
    }

    /// The slow and obvious way: one by one, the oldest of whoever has the most.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `those who have the most are cut down to one level`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ledger = ClientLedger(window: 10)
        var held: [String: Int] = [:]
        for number in 0..<200 {
            let holder = "\(random.below(1 + random.below(12)))"
            ledger.settle(entry("\(holder) \(number)", 1), nil, at: 1)
            held[holder, default: 0] += 1
        }
        let most = random.below(200)
        let surplus = ledger.surplus(limits(clients: most), isNeeded: { _ in false }) {
            client, _ in ExactString(String(client.split(separator: " ")[0]))
        }
        ledger.forget(surplus ?? ForgetClients())
        #expect(ledger.count == most - most / 64)
        for _ in 0..<200 - ledger.count {
            guard let largest = held.max(by: { $0.value < $1.value }) else { return }
            held[largest.key] = largest.value - 1
        }
        var left: [String: Int] = [:]
        for (client, _) in ledger.records {
            left[String(client.split(separator: " ")[0]), default: 0] += 1
        }
        #expect(left.values.sorted() == held.values.filter { $0 > 0 }.sorted(), "seed \(seed)")
    }

    @Test func `it agrees with a slow and simple ledger on thousands of random entries`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var ledger = ClientLedger(window: 100)
            var model: [(client: String, lastSeq: UInt64)] = []
            for step in 1...300 as ClosedRange<UInt64> {
                let client = "\(random.below(6))"
                if random.below(5) == 0 {
                    ledger.forget(forgetting(client))
                    model.removeAll { $0.client == client }
                } else {
                    let known = model.first { $0.client == client }?.lastSeq ?? 0
                    ledger.settle(entry(client, known + 1, base: step), nil, at: step)
                    model.removeAll { $0.client == client }
                    model.append((client, known + 1))
                }
                #expect(ledger.records.map(\.client) == model.map(\.client), "seed \(seed)")
                #expect(
                    ledger.records.map(\.record.lastSeq) == model.map(\.lastSeq), "seed \(seed)")
            }
        }
    }

    /// Everything that can be asked of a ledger.
    private func answers(_ ledger: ClientLedger) -> [String] {
        let probes = (0..<7).flatMap { client in
            [0, 40, 400].map { ledger.verdict(on: entry("\(client)", 3, base: $0)) }
        }
        let surplus = ledger.surplus(limits(clients: 3, rejections: 5), isNeeded: { $0 == "2" }) {
            client, record in ExactString(record.identity + client)
        }
        return [
            "\(ledger.count) clients, \(ledger.rejectionCount) rejections, \(ledger.horizon)",
            "\(ledger.records)", "\(probes)", "\(surplus as Any)",
        ]
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `one that is restored from its records answers and goes on as the first`(
        _ seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var first = ClientLedger(window: 8)
        for step in 1...60 as ClosedRange<UInt64> {
            var next = first
            var restored = ClientLedger(window: 8, horizon: first.horizon, first.records)
            #expect(answers(restored) == answers(first), "seed \(seed), step \(step)")
            let client = "\(random.below(6))"
            let forgotten: ForgetClients? =
                switch random.below(12) {
                case 0: forgetting(client)
                case 1: ForgetClients(rejections: [mark(client)])
                default: nil
                }
            let seq = (first[client: client]?.lastSeq ?? 0) + 1
            let entry = entry(client, seq, base: step, settled: UInt64(random.below(Int(seq))))
            let rejection = random.below(2) == 0 ? Rejection(.conflict, "No.") : nil
            if let forgotten {
                next.forget(forgotten)
                restored.forget(forgotten)
            } else {
                next.settle(entry, rejection, at: step)
                restored.settle(entry, rejection, at: step)
            }
            #expect(answers(restored) == answers(next), "seed \(seed), step \(step)")
            first = next
        }
    }
}
