import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

/// What an outbox is after a restart, whatever became of its dispatches and however its log was
/// written.
struct OutboxRestartTests {
    /// How the log comes to say what has happened.
    enum Writing: CaseIterable {
        /// Record by record.
        case appended
        /// Anew, as a write has failed.
        case rewrittenAfterFailure
        /// Anew, as a write has failed of which the beginning is there.
        case rewrittenAfterTear
        /// Anew, as a write has failed though all of it is there.
        case rewrittenAfterDoubt
        /// Anew by the next process, as the end is torn.
        case rewrittenByTheNext
        /// Both, one after the other.
        case rewrittenTwice

        /// How much of a write that fails is there; nil if none fails.
        var keptByFailure: Int? {
            switch self {
            case .appended, .rewrittenByTheNext: nil
            case .rewrittenAfterFailure, .rewrittenTwice: 0
            case .rewrittenAfterTear: 9
            case .rewrittenAfterDoubt: .max
            }
        }
    }

    /// What became of three dispatches: the server has settled the first so many of them, and
    /// rejected some, perhaps before those in front of them.
    struct Fates: CustomTestStringConvertible {
        var settled: UInt64
        var rejected: Set<UInt64>

        var testDescription: String { "\(settled) settled, \(rejected.sorted()) rejected" }

        /// Those without an outcome.
        var pending: [UInt64] { (1...3).filter { $0 > settled && !rejected.contains($0) } }

        static let all = (0...3).flatMap { settled in (0..<8).map { Fates(settled, rejected: $0) } }

        /// `bits` has a bit for each dispatch.
        private init(_ settled: UInt64, rejected bits: UInt64) {
            self.settled = settled
            rejected = Set((1...3).filter { bits >> ($0 - 1) & 1 == 1 })
        }
    }

    private let storage = MemoryOutboxStorage()
    private let full = Rejection(.outboxUnwritable, "The disk is full.")

    /// A process that opens the outbox.
    private func start() throws -> ConnectorBench {
        let stored = try StoredOutbox(
            in: storage, room: "/", actions: ActionCatalogue([]), limits: OutboxLimits(),
            client: .ada,
            stamps: {
                ProvisionalStamps(client: $0, sender: .anonymous) { Timestamp(secondsSince1970: 0) }
            })
        return ConnectorBench(ClientSession(outbox: stored.outbox, recorder: stored.recorder))
    }

    /// From now on every write fails.
    private func fail(keeping kept: Int) {
        storage.failure = full
        storage.keptByFailure = kept
    }

    /// A process makes three dispatches, sends them and hears what becomes of them.
    private func run(_ fates: Fates, _ writing: Writing) throws {
        let bench = try start()
        bench.connector.start()
        bench.welcome()
        let outcomes = (1...3).map { bench.dispatch("\($0)") }
        #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [1, 2, 3])
        if let kept = writing.keptByFailure { fail(keeping: kept) }
        for seq in fates.rejected.sorted() {
            bench.say(
                #"{"op":"reject","seq":\#(seq),"code":"no","title":"No.","retryable":false}"#)
        }
        if fates.settled > 0 {
            bench.say(#"{"op":"transaction","v":4,"count":0,"acked":\#(fates.settled)}"#)
        }
        storage.failure = nil
        bench.advance(by: Connector.storageRetryInterval)
        bench.session.store()
        #expect(outcomes.map { $0.settled == nil } == (1...3).map { fates.pending.contains($0) })
        if writing == .rewrittenByTheNext || writing == .rewrittenTwice {
            try storage.append(Array("torn".utf8))
            try start().session.store()
            #expect(!String(decoding: storage.synced, as: UTF8.self).contains("torn"))
        }
    }

    @Test(arguments: Writing.allCases, Fates.all)
    func `what has no outcome is pending, and no number is used twice`(
        _ writing: Writing, _ fates: Fates
    ) throws {
        try run(fates, writing)
        // As often as it is opened.
        for _ in 1...2 {
            let next = try start()
            let (pending, last) = next.session.outbox.withLock { outbox in
                (outbox.pendingEntries.map(\.seq), outbox.lastSeq)
            }
            #expect(pending == fates.pending)
            #expect(last == 3)
            next.session.store()
            storage.crash()
        }
    }

    @Test(arguments: Writing.allCases, Fates.all)
    func `the next process sends what is left and what is new, and nothing is settled for another`(
        _ writing: Writing, _ fates: Fates
    ) throws {
        try run(fates, writing)
        let next = try start()
        let left = next.session.outbox.withLock { $0.pendingEntries.map(\.outcome) }
        next.connector.start()
        let new = next.dispatch("4")
        // The server has had all three.
        next.welcome(lastSeq: 3)
        #expect(left.allSatisfy { (try? $0.settled?.get()) == Position(epoch: "e", version: 1) })
        #expect(next.connection.sent.compactMap { $0["seq"]?.int } == [4])
        #expect(new.settled == nil)
        next.say(#"{"op":"transaction","v":5,"count":0,"acked":4}"#)
        #expect(new.settled == .success(Position(epoch: "e", version: 5)))
    }

    @Test(arguments: Writing.allCases, Fates.all)
    func `a server that forgot is sent what is pending, and told of what is settled`(
        _ writing: Writing, _ fates: Fates
    ) throws {
        try run(fates, writing)
        let next = try start()
        next.connector.start()
        next.dispatch("4")
        let expected = fates.pending + [4]
        // Behind a gap only another connection goes on.
        var sent: [UInt64] = []
        for _ in expected where sent.last != 4 {
            next.welcome(lastSeq: 0)
            let settled = try #require(next.connection.sent.first?["settled"]?.uint64)
            #expect(settled + 1 == expected.dropFirst(sent.count).first)
            sent += next.connection.sent.compactMap { $0["seq"]?.uint64 }
            let last = try #require(sent.last)
            next.say(#"{"op":"transaction","v":5,"count":0,"acked":\#(last)}"#)
        }
        #expect(sent == expected)
        #expect(next.session.pendingCount == 0)
    }

    @Test func `a rejection is told when it is stored, and not before`() throws {
        let bench = try start()
        bench.connector.start()
        bench.welcome()
        let outcomes = (1...2).map { bench.dispatch("\($0)") }
        fail(keeping: 0)
        bench.say(#"{"op":"reject","seq":1,"code":"no","title":"No.","retryable":false}"#)
        bench.say(#"{"op":"transaction","v":2,"count":0,"acked":2}"#)
        #expect(outcomes[0].settled == nil)
        storage.failure = nil
        bench.advance(by: Connector.storageRetryInterval)
        #expect(throws: Rejection.self) { try outcomes[0].settled?.get() }
        storage.crash()
        #expect(try start().session.pendingCount == 0)
    }

    @Test(arguments: [false, true])
    func `wherever a write is torn, the next process finds what was dispatched before and after`(
        crashes: Bool
    ) throws {
        // A record has some hundred bytes.
        for kept in 0..<200 {
            storage.failure = nil
            try storage.replace(with: [])
            let bench = try start()
            bench.connector.start()
            bench.welcome()
            bench.dispatch("1")
            fail(keeping: kept)
            bench.dispatch("2")
            #expect(bench.storageProblems.last == full)
            storage.failure = nil
            bench.advance(by: Connector.storageRetryInterval)
            bench.dispatch("3")
            #expect(bench.connection.sent.compactMap { $0["seq"]?.int } == [1, 2, 3])
            if crashes { storage.crash() }
            let (pending, last) = try start().session.outbox.withLock { outbox in
                (outbox.pendingEntries.map(\.seq), outbox.lastSeq)
            }
            #expect(pending == [1, 2, 3] && last == 3, "\(kept) bytes")
        }
    }

    @Test(arguments: [false, true])
    func `after a lost tail, a crash doesn't bring back the version of the lost history`(
        rewrites: Bool
    ) throws {
        let bench = try start()
        bench.connector.start()
        bench.open()
        bench.say(welcome(epoch: "lost", version: 26))
        bench.dispatch("1")
        bench.say(#"{"op":"transaction","v":34,"count":0}"#)
        bench.dispatch("2")
        #expect(bench.connection.sent.compactMap { $0["base"]?.int } == [26, 34])
        bench.lose()
        bench.retry()
        bench.open()
        if rewrites { fail(keeping: 0) }
        bench.say(welcome(epoch: "new", version: 30))
        if rewrites {
            #expect(bench.connection.sent.compactMap { $0["base"]?.int } == [26])
            storage.failure = nil
            bench.advance(by: Connector.storageRetryInterval)
        }
        #expect(bench.connection.sent.compactMap { $0["base"]?.int } == [26, 30])
        storage.crash()
        let next = try start()
        next.connector.start()
        // A history that has gone on, in which the server has forgotten the client.
        next.open()
        next.say(welcome(epoch: "new", version: 40))
        #expect(next.connection.sent.compactMap { $0["base"]?.int } == [26, 30])
    }
}
