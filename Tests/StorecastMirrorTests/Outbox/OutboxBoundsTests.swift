import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

struct OutboxBoundsTests {
    private func action(_ size: Int = 0) -> OutgoingAction {
        let text =
            size < 2
            ? String(repeating: "1", count: size)
            : "\"" + String(repeating: "x", count: size - 2) + "\""
        return OutgoingAction(type: "T", payload: Array(text.utf8))
    }

    @discardableResult
    private func dispatch(_ outbox: inout Outbox, size: Int = 0) throws(Rejection)
        -> DispatchOutcome
    {
        let outcome = DispatchOutcome()
        if try outbox.append(action(size), outcome).opensAdmission { outbox.admit(base: 0) }
        return outcome
    }

    private func sent(_ outbox: inout Outbox) -> [Int] {
        var writer = JSONWriter()
        writer.beginArray()
        _ = outbox.write(to: &writer, bytes: 10_000, isEmpty: true)
        writer.endArray()
        return parsed(String(decoding: writer.bytes, as: UTF8.self)).array?
            .compactMap { $0["seq"]?.int } ?? []
    }

    private func ends(_ outbox: inout Outbox) -> [Rejection.Code] {
        outbox.takeOwed().rejected.map(\.rejection.code)
    }

    @Test func `a full outbox refuses at once, and uses no number`() throws {
        var outbox = Outbox(limits: OutboxLimits(count: 2))
        try dispatch(&outbox)
        try dispatch(&outbox)
        do {
            try dispatch(&outbox)
            Issue.record("A third of two.")
        } catch {
            #expect(error.code == .outboxFull)
        }
        #expect(outbox.lastSeq == 2)
        #expect(outbox.count == 2)
    }

    @Test func `bytes are counted as their frames take them`() throws {
        // A frame of type "T" counts as 166 bytes and its payload.
        var outbox = Outbox(limits: OutboxLimits(bytes: 500))
        try dispatch(&outbox, size: 100)
        #expect(outbox.bytes == 266)
        #expect(throws: Rejection.self) { try dispatch(&outbox, size: 69) }
        try dispatch(&outbox, size: 68)
        #expect(outbox.bytes == 500)
    }

    @Test func `room comes back with every outcome`() throws {
        var outbox = Outbox(limits: OutboxLimits(count: 1))
        _ = outbox.greet()
        outbox.resume(after: 0)
        for seq in 1...3 as ClosedRange<UInt64> {
            try dispatch(&outbox)
            #expect(sent(&outbox) == [Int(seq)])
            outbox.acknowledge(seq)
            _ = outbox.settle(through: seq, at: Position(epoch: "e", version: seq))
            #expect(outbox.bytes == 0)
        }
    }

    @Test func `offline, the oldest can make room, and a hello jumps over them`() throws {
        var outbox = Outbox(limits: OutboxLimits(count: 2, whenFull: .dropOldest))
        let outcomes = try (1...5).map { _ in try dispatch(&outbox) }
        let ended = outbox.takeOwed()
        #expect(ended.rejected.count == 3)
        ended.tell()
        for outcome in outcomes.prefix(3) {
            #expect(throws: Rejection.self) { try outcome.settled?.get() }
        }
        #expect(outcomes[3].settled == nil)
        #expect(outbox.count == 2)
        #expect(outbox.greet() == 3)
        outbox.resume(after: 0)
        #expect(sent(&outbox) == [4, 5])
    }

    @Test func `what was ever sent is never dropped`() throws {
        var outbox = Outbox(limits: OutboxLimits(count: 3, whenFull: .dropOldest))
        _ = outbox.greet()
        outbox.resume(after: 0)
        try dispatch(&outbox)
        #expect(sent(&outbox) == [1])
        outbox.disconnected()
        for _ in 2...4 { try dispatch(&outbox) }
        #expect(ends(&outbox) == [.outboxFull])
        // Behind what was sent there is a gap now: the server is to settle that first.
        #expect(outbox.greet() == 0)
        outbox.resume(after: 0)
        #expect(sent(&outbox) == [1])
        #expect(!outbox.isBehindGap)
        outbox.acknowledge(1)
        _ = outbox.settle(through: 1, at: Position(epoch: "e", version: 1))
        #expect(outbox.isBehindGap)
        #expect(sent(&outbox) == [])
        #expect(outbox.greet() == 2)
        outbox.resume(after: 1)
        #expect(sent(&outbox) == [3, 4])
    }

    @Test func `nothing is dropped for what wouldn't fit all the same, nor while connected`() throws
    {
        var outbox = Outbox(
            limits: OutboxLimits(count: 2, bytes: 1000, whenFull: .dropOldest))
        try dispatch(&outbox)
        try dispatch(&outbox)
        #expect(throws: Rejection.self) { try dispatch(&outbox, size: 2000) }
        #expect(ends(&outbox).isEmpty)
        _ = outbox.greet()
        #expect(throws: Rejection.self) { try dispatch(&outbox) }
        #expect(outbox.lastSeq == 2)
    }

    @Test func `ten thousand can be dropped one after the other`() throws {
        var outbox = Outbox(limits: OutboxLimits(count: 500, whenFull: .dropOldest))
        _ = outbox.greet()
        outbox.resume(after: 0)
        try dispatch(&outbox)
        _ = sent(&outbox)
        outbox.disconnected()
        for _ in 0..<10_000 { try dispatch(&outbox) }
        #expect(outbox.count == 500)
        #expect(outbox.entries.count <= 1001)
        #expect(ends(&outbox).count == 9501)
        #expect(outbox.greet() == 0)
        outbox.resume(after: 1)
        outbox.acknowledge(1)
        _ = outbox.settle(through: 1, at: Position(epoch: "e", version: 1))
        #expect(outbox.greet() == 9502)
    }

    @Test func `what turns out too large for the server ends alone, and what follows goes on`()
        throws
    {
        var outbox = Outbox()
        for size in [1, 5000, 1] { try dispatch(&outbox, size: size) }
        _ = outbox.greet()
        outbox.resume(after: 0)
        var limits = outbox.frameLimits
        limits.message = 1000
        outbox.adopt(limits)
        #expect(ends(&outbox) == [.invalid])
        #expect(sent(&outbox) == [1])
        outbox.acknowledge(1)
        _ = outbox.settle(through: 1, at: Position(epoch: "e", version: 1))
        #expect(outbox.isBehindGap)
        #expect(outbox.greet() == 2)
        outbox.resume(after: 1)
        #expect(sent(&outbox) == [3])
        #expect(throws: Rejection.self) { try dispatch(&outbox, size: 900) }
    }

    @Test func `what turns out too deep for the server ends as what is too large`() throws {
        var outbox = Outbox()
        for depth in [0, 9, 8] {
            let text =
                String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
            _ = try outbox.append(
                OutgoingAction(type: "T", payload: Array(text.utf8)), DispatchOutcome())
        }
        _ = outbox.greet()
        outbox.resume(after: 0)
        var limits = outbox.frameLimits
        // The batch, the frame and the action are around it.
        limits.depth = 8 + 3
        outbox.adopt(limits)
        #expect(ends(&outbox) == [.invalid])
    }

    @Test func `of what was sent before the server took less, the outcome is unknown`() throws {
        var outbox = Outbox()
        _ = outbox.greet()
        outbox.resume(after: 0)
        try dispatch(&outbox, size: 5000)
        #expect(sent(&outbox) == [1])
        _ = outbox.greet()
        outbox.resume(after: 0)
        var limits = outbox.frameLimits
        limits.message = 1000
        outbox.adopt(limits)
        #expect(ends(&outbox) == [.outcomeUnknown])
    }

    @Test func `a server that settled more than was ever sent settles nothing of it`() throws {
        var outbox = Outbox()
        _ = outbox.greet()
        outbox.resume(after: 0)
        for _ in 1...2 { try dispatch(&outbox) }
        #expect(sent(&outbox) == [1, 2])
        for _ in 3...5 { try dispatch(&outbox) }
        // The id was used elsewhere, up to 4.
        _ = outbox.greet()
        outbox.resume(after: 4)
        #expect(ends(&outbox) == Array(repeating: .outcomeUnknown, count: 4))
        #expect(sent(&outbox) == [5])
        // And up to 9, of which this one had made none.
        _ = outbox.greet()
        outbox.resume(after: 9)
        #expect(ends(&outbox) == [.outcomeUnknown])
        try dispatch(&outbox)
        #expect(sent(&outbox) == [10])
    }
}
