import StorecastSync
import Testing

struct OutboxTests {
    private var outbox = Outbox()
    private let position = Position(epoch: "e", version: 7)

    private mutating func add(_ count: Int, payload: [UInt8] = []) -> [DispatchOutcome] {
        (0..<count).map { _ in
            let outcome = DispatchOutcome()
            outbox.append(type: "T", payload: payload, base: 3, outcome: outcome)
            return outcome
        }
    }

    private mutating func sent(window: UInt64 = 100, bytes: Int = 10_000) -> [Int] {
        var writer = JSONWriter()
        writer.beginArray()
        _ = outbox.write(to: &writer, window: window, bytes: bytes, isEmpty: true)
        writer.endArray()
        return parsed(String(decoding: writer.bytes, as: UTF8.self)).array?
            .compactMap { $0["seq"]?.int } ?? []
    }

    @Test mutating func `dispatches are numbered from 1 and sent once`() {
        _ = add(3)
        #expect(sent() == [1, 2, 3])
        #expect(sent() == [])
        _ = add(1)
        #expect(sent() == [4])
        #expect(outbox.count == 4)
        #expect(outbox.settled == 0)
    }

    @Test mutating func `an ack settles what wasn't rejected`() throws {
        let outcomes = add(3)
        _ = sent()
        outbox.reject(2, Rejection(.invalid, "No."))
        outbox.settle(through: 2, at: position)
        #expect(try outcomes[0].settled?.get() == position)
        #expect(throws: Rejection(.invalid, "No.")) { try outcomes[1].settled?.get() }
        #expect(outcomes[2].settled == nil)
        #expect(outbox.settled == 2)
        #expect(outbox.count == 1)
    }

    @Test mutating func `the window holds back, and an ack lets go on`() {
        _ = add(5)
        #expect(sent(window: 2) == [1, 2])
        #expect(!outbox.hasUnsent(window: 2))
        outbox.settle(through: 1, at: position)
        #expect(outbox.hasUnsent(window: 2))
        #expect(sent(window: 2) == [3])
    }

    @Test mutating func `a message holds no more than it may, but always one`() {
        _ = add(3, payload: Array("\"\(String(repeating: "x", count: 998))\"".utf8))
        #expect(sent(bytes: 2500) == [1, 2])
        #expect(sent(bytes: 10) == [3])
    }

    @Test mutating func `going back sends again from there, but nothing that is settled`() {
        _ = add(4)
        _ = sent()
        outbox.goBack(to: 3)
        #expect(sent() == [3, 4])
        outbox.settle(through: 2, at: position)
        outbox.goBack(to: 1)
        #expect(sent() == [3, 4])
        outbox.goBack(to: 0)
        #expect(sent() == [3, 4])
    }

    @Test mutating func `a new connection sends everything above the server's last again`() {
        let outcomes = add(4)
        _ = sent()
        outbox.resume(after: 2)
        #expect(sent() == [3, 4])
        // The outcomes of the first two are told when the mirrors show them.
        #expect(outcomes[1].settled == nil)
        outbox.settle(through: 2, at: position)
        #expect(outcomes[1].settled != nil)
    }

    @Test mutating func `a server that forgot isn't sent what was settled`() {
        _ = add(3)
        _ = sent()
        outbox.settle(through: 1, at: position)
        outbox.reject(2, Rejection(.invalid, "No."))
        // The transaction that would have covered 2 never came, and the server lost its history.
        #expect(outbox.settled == 2)
        outbox.resume(after: 0)
        #expect(sent() == [3])
    }

    @Test mutating func `what is given up ends with the reason, once`() {
        let outcomes = add(2)
        outbox.reject(1, Rejection(.conflict, "First."))
        outbox.abandon(Rejection(.closed, "Over."))
        #expect(throws: Rejection(.conflict, "First.")) { try outcomes[0].settled?.get() }
        #expect(throws: Rejection(.closed, "Over.")) { try outcomes[1].settled?.get() }
    }

    @Test mutating func `thousands of dispatches keep their order`() {
        for round in 0..<50 {
            _ = add(100)
            #expect(
                sent(window: 10_000, bytes: 1 << 20) == Array(round * 100 + 1...round * 100 + 100))
            if round % 7 == 6 { outbox.settle(through: UInt64(round * 100), at: position) }
        }
        #expect(outbox.settled == 4800)
        #expect(outbox.count == 200)
    }
}
