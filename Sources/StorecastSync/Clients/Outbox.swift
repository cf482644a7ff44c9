import StorecastWire

/// A client's dispatches that have no outcome yet, in their order.
package struct Outbox {
    private struct Entry {
        let seq: UInt64
        let base: UInt64
        let type: String
        let payload: [UInt8]
        let outcome: DispatchOutcome
        var isRejected = false

        var frameSize: Int { Outbox.frameSize(type: type, payload: payload) }
    }

    private var entries: [Entry] = []
    private var first = 0
    private var lastSeq: UInt64 = 0
    private var lastSent: UInt64 = 0

    package init() {}

    /// How many dispatches have no outcome.
    package var count: Int { entries.count - first }

    /// The client knows the outcomes of all dispatches up to this one.
    package var settled: UInt64 {
        first < entries.count ? entries[first].seq - 1 : lastSeq
    }

    /// What a dispatch frame takes at most, in bytes, whatever its numbers.
    package static func frameSize(type: String, payload: [UInt8]) -> Int {
        payload.count + type.utf8.count * 6 + 160
    }

    /// Adds a dispatch and gives it the next number.
    package mutating func append(
        type: String, payload: [UInt8], base: UInt64, outcome: DispatchOutcome
    ) {
        lastSeq += 1
        entries.append(
            Entry(seq: lastSeq, base: base, type: type, payload: payload, outcome: outcome))
    }

    /// Everything up to `acked` has its outcome as of `position`; what wasn't rejected was reduced.
    package mutating func settle(through acked: UInt64, at position: Position) {
        settle(through: acked, at: Optional(position))
    }

    private mutating func settle(through acked: UInt64, at position: Position?) {
        while first < entries.count, entries[first].seq <= acked {
            if !entries[first].isRejected, let position {
                entries[first].outcome.settle(.success(position))
            }
            first += 1
        }
        lastSent = max(lastSent, acked)
        if first == entries.count {
            entries.removeAll(keepingCapacity: first <= 1024)
            first = 0
        } else if first > 1024, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// The dispatch `seq` was rejected for good.
    package mutating func reject(_ seq: UInt64, _ rejection: Rejection) {
        guard let place = place(of: seq) else { return }
        entries[place].isRejected = true
        entries[place].outcome.settle(.failure(rejection))
        // Nothing that is known to be rejected is sent again, even to a server that forgot.
        var known = first
        while known < entries.count, entries[known].isRejected { known += 1 }
        if known > first { settle(through: entries[known - 1].seq, at: nil) }
    }

    /// Sends everything from `seq` on once more.
    package mutating func goBack(to seq: UInt64) {
        lastSent = max(settled, min(lastSent, max(seq, 1) - 1))
    }

    /// A new connection: everything behind `lastSeq` is sent once more. The rest has its outcome,
    /// which ``settle(through:at:)`` is to tell.
    package mutating func resume(after lastSeq: UInt64) {
        lastSent = max(settled, min(lastSeq, self.lastSeq))
    }

    /// Ends every wait; nothing will come any more.
    package mutating func abandon(_ rejection: Rejection) {
        for entry in entries[first...] { entry.outcome.settle(.failure(rejection)) }
        entries = []
        first = 0
    }

    /// A new history: bases of the old one mean nothing in it, unless they are lower. In the
    /// first history that the client meets, nothing was made before its version.
    package mutating func rebase(to version: UInt64, isFirst: Bool) {
        for place in first..<entries.count where isFirst || entries[place].base > version {
            let old = entries[place]
            entries[place] = Entry(
                seq: old.seq, base: version, type: old.type, payload: old.payload,
                outcome: old.outcome, isRejected: old.isRejected)
        }
    }

    /// Appends dispatch frames that may be sent now to the batch in `writer`, as many as fit in
    /// `bytes`, and at least one if the batch is empty.
    package mutating func write(
        to writer: inout JSONWriter, window: UInt64, bytes: Int, isEmpty: Bool
    ) -> Int {
        let settled = settled
        var written = 0
        while let place = place(of: lastSent + 1), entries[place].seq <= settled + window {
            let entry = entries[place]
            let isFirst = isEmpty && written == 0
            guard isFirst || writer.bytes.count + entry.frameSize <= bytes else { break }
            writer.writeDispatch(
                seq: entry.seq, base: entry.base, settled: settled, type: entry.type,
                payload: entry.payload)
            lastSent = entry.seq
            written += 1
        }
        return written
    }

    package func hasUnsent(window: UInt64) -> Bool {
        lastSent < lastSeq && lastSent + 1 <= settled + window
    }

    private func place(of seq: UInt64) -> Int? {
        guard first < entries.count, seq >= entries[first].seq, seq <= lastSeq else { return nil }
        return first + Int(seq - entries[first].seq)
    }
}
