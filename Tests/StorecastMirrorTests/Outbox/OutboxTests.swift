import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

struct OutboxTests {
    private var outbox = Outbox()
    private let position = Position(epoch: "e", version: 7)

    private mutating func add(_ count: Int, payload: [UInt8] = []) throws -> [DispatchOutcome] {
        try (0..<count).map { _ in
            let outcome = DispatchOutcome()
            if try outbox.append(OutgoingAction(type: "T", payload: payload), outcome)
                .opensAdmission
            {
                outbox.admit(base: 3)
            }
            return outcome
        }
    }

    private mutating func welcome(lastSeq: UInt64 = 0, window: UInt64 = 100) {
        _ = outbox.greet()
        outbox.resume(after: lastSeq)
        var limits = outbox.frameLimits
        limits.window = window
        outbox.adopt(limits)
    }

    private mutating func sent(bytes: Int = 10_000) -> [Int] {
        var writer = JSONWriter()
        writer.beginArray()
        _ = outbox.write(to: &writer, bytes: bytes, isEmpty: true)
        writer.endArray()
        return parsed(String(decoding: writer.bytes, as: UTF8.self)).array?
            .compactMap { $0["seq"]?.int } ?? []
    }

    private mutating func settle(through acked: UInt64) {
        outbox.acknowledge(acked)
        outbox.settle(through: acked, at: position).tell()
    }

    @Test mutating func `dispatches are numbered from 1 and sent once`() throws {
        welcome()
        _ = try add(3)
        #expect(sent() == [1, 2, 3])
        #expect(sent() == [])
        _ = try add(1)
        #expect(sent() == [4])
        #expect(outbox.count == 4)
        #expect(outbox.settled == 0)
    }

    @Test mutating func `an ack settles what wasn't rejected`() throws {
        welcome()
        let outcomes = try add(3)
        _ = sent()
        outbox.reject(2, Rejection(.invalid, "No."))
        settle(through: 2)
        #expect(try outcomes[0].settled?.get() == position)
        #expect(throws: Rejection(.invalid, "No.")) { try outcomes[1].settled?.get() }
        #expect(outcomes[2].settled == nil)
        #expect(outbox.settled == 2)
        #expect(outbox.count == 1)
    }

    @Test mutating func `the window holds back, and an ack lets go on`() throws {
        welcome(window: 2)
        _ = try add(5)
        #expect(sent() == [1, 2])
        #expect(!outbox.hasUnsent)
        settle(through: 1)
        #expect(outbox.hasUnsent)
        #expect(sent() == [3])
    }

    @Test
    mutating func `a reject alone doesn't move the window, as the server counts from its ack`()
        throws
    {
        welcome(window: 2)
        _ = try add(5)
        #expect(sent() == [1, 2])
        outbox.reject(1, Rejection(.invalid, "No."))
        #expect(outbox.settled == 1)
        #expect(sent() == [])
        settle(through: 1)
        #expect(sent() == [3])
    }

    @Test mutating func `a message holds no more than it may, but always one`() throws {
        welcome()
        _ = try add(3, payload: Array("\"\(String(repeating: "x", count: 998))\"".utf8))
        #expect(sent(bytes: 2500) == [1, 2])
        #expect(sent(bytes: 10) == [3])
    }

    @Test mutating func `going back sends again from there, but nothing that is settled`() throws {
        welcome()
        _ = try add(4)
        _ = sent()
        outbox.goBack(to: 3)
        #expect(sent() == [3, 4])
        settle(through: 2)
        outbox.goBack(to: 1)
        #expect(sent() == [3, 4])
        outbox.goBack(to: 0)
        #expect(sent() == [3, 4])
    }

    @Test mutating func `a new connection sends everything above the server's last again`() throws {
        welcome()
        let outcomes = try add(4)
        _ = sent()
        welcome(lastSeq: 2)
        #expect(sent() == [3, 4])
        // The outcomes of the first two are told when the mirrors show them.
        #expect(outcomes[1].settled == nil)
        settle(through: 2)
        #expect(outcomes[1].settled != nil)
    }

    @Test mutating func `a server that forgot isn't sent what was settled`() throws {
        welcome()
        _ = try add(3)
        _ = sent()
        settle(through: 1)
        outbox.reject(2, Rejection(.invalid, "No."))
        // The transaction that would have covered 2 never came, and the server lost its history.
        #expect(outbox.settled == 2)
        welcome(lastSeq: 0)
        #expect(sent() == [3])
    }

    @Test mutating func `what is known to be rejected isn't sent to a server that forgot it`()
        throws
    {
        welcome()
        _ = try add(4)
        _ = sent()
        outbox.reject(3, Rejection(.invalid, "No."))
        welcome(lastSeq: 0)
        #expect(sent() == [1, 2])
        #expect(!outbox.isBehindGap)
        settle(through: 2)
        // Only another hello can say that 3 is settled.
        #expect(outbox.isBehindGap)
        #expect(sent() == [])
        #expect(outbox.greet() == 3)
        outbox.resume(after: 2)
        #expect(!outbox.isBehindGap)
        #expect(sent() == [4])
    }

    @Test mutating func `what is given up ends with the reason, once, and nothing more is taken`()
        throws
    {
        welcome()
        let outcomes = try add(2)
        _ = sent()
        outbox.reject(1, Rejection(.conflict, "First."))
        outbox.abandon(Rejection(.closed, "Over.")).tell()
        #expect(throws: Rejection(.conflict, "First.")) { try outcomes[0].settled?.get() }
        #expect(throws: Rejection(.closed, "Over.")) { try outcomes[1].settled?.get() }
        #expect(throws: Rejection(.closed, "Over.")) { try add(1) }
    }

    @Test mutating func `a server can't settle what it was never sent`() throws {
        welcome(window: 1)
        let outcomes = try add(2)
        #expect(sent() == [1])
        settle(through: 9)
        #expect(outcomes[0].settled != nil)
        #expect(outcomes[1].settled == nil)
        #expect(sent() == [2])
    }

    @Test mutating func `thousands of dispatches keep their order`() throws {
        welcome(window: 10_000)
        for round in 0..<50 {
            _ = try add(100)
            #expect(sent(bytes: 1 << 20) == Array(round * 100 + 1...round * 100 + 100))
            if round % 7 == 6 { settle(through: UInt64(round * 100)) }
        }
        #expect(outbox.settled == 4800)
        #expect(outbox.count == 200)
    }

    @Test mutating func `what is asked for between two dispatches comes between their admissions`()
        throws
    {
        welcome()
        func append() throws -> Bool {
            try outbox.append(OutgoingAction(type: "T", payload: []), DispatchOutcome())
                .opensAdmission
        }
        #expect(try append())
        #expect(try !append())
        outbox.closeAdmission()
        #expect(try append())
        #expect(sent() == [])
        outbox.admit(base: 1)
        #expect(sent() == [1, 2])
        // The second has been open all the while.
        #expect(try !append())
        outbox.admit(base: 1)
        #expect(sent() == [3, 4])
        outbox.admit(base: 1)
        #expect(try append())
    }
}
