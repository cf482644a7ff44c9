import StorecastSync
package import StorecastWire

extension Outbox {
    /// A connection is greeted: what `hello` says to be settled.
    package mutating func greet() -> UInt64 {
        isOffline = false
        cursor.greeted = recordedSettled
        return cursor.greeted
    }

    /// The connection is gone.
    package mutating func disconnected() {
        isOffline = true
    }

    /// The server has said welcome: everything behind `lastSeq` is sent again. The rest has its
    /// outcome, which ``settle(through:at:)`` tells.
    package mutating func resume(after lastSeq: UInt64) {
        if lastSeq > lastEverSent { disown(through: lastSeq) }
        cursor.lastSent = max(cursor.greeted, lastSeq)
        cursor.acked = cursor.lastSent
    }

    /// Sends everything from `seq` on once more.
    package mutating func goBack(to seq: UInt64) {
        cursor.lastSent = max(cursor.acked, min(cursor.lastSent, max(seq, 1) - 1))
    }

    /// A new history: bases of the old one mean nothing in it, unless they are lower. In the first
    /// history that the client meets, nothing that it hasn't sent was made before its version; what
    /// an earlier process left may have been sent, and reduced.
    ///
    /// A lowered base is stored before its dispatch is sent again: after a crash the old one, of
    /// the lost history, could be behind the place where the server reduced the dispatch.
    package mutating func rebase(to version: UInt64, isFirst: Bool) {
        let lowered = entries[first...].first { $0.base > version }
        for place in first..<entries.count
        where isFirst && entries[place].seq > lastEverSent || entries[place].base > version {
            entries[place].base = version
        }
        if let lowered { recording?.rewrite(from: lowered.seq) }
    }

    /// Appends dispatch frames that may be sent now to the batch in `writer`, as many as fit in
    /// `bytes`, and at least one if the batch is empty.
    package mutating func write(to writer: inout JSONWriter, bytes: Int, isEmpty: Bool) -> Int {
        let (start, settled) = (place(from: cursor.lastSent + 1), recordedSettled)
        var place = start
        while let outgoing = next(at: place, within: recording?.stored ?? admitted) {
            guard
                isEmpty && place == start || writer.bytes.count + outgoing.frameSize <= bytes
            else { break }
            writer.writeDispatch(
                seq: entries[place].seq, base: entries[place].base, settled: settled,
                type: outgoing.type, payload: outgoing.payload, traceparent: outgoing.traceparent)
            cursor.lastSent += 1
            place += 1
        }
        lastEverSent = max(lastEverSent, cursor.lastSent)
        return place - start
    }

    /// Whether something may be sent now, when it is stored.
    package var hasUnsent: Bool {
        let end = refusal == nil ? admitted : recording?.stored ?? admitted
        return next(at: place(from: cursor.lastSent + 1), within: end) != nil
    }

    /// Whether the next dispatch lies behind a gap, and all before it have their outcomes, as is
    /// stored: only on another connection, whose `hello` says so, can it be sent.
    package var isBehindGap: Bool { hasGap && recordedSettled == settled }

    /// Whether the first dispatch without an outcome isn't the one that the server expects.
    var hasGap: Bool {
        guard first < entries.count else { return false }
        return entries[first].seq > cursor.lastSent + 1 && entries[first].seq <= admitted
    }

    /// The action at `place`, if the server may be sent it now.
    private func next(at place: Int, within end: UInt64) -> OutgoingAction? {
        guard place < entries.count, entries[place].seq == cursor.lastSent + 1,
            entries[place].seq <= min(end, windowEnd)
        else { return nil }
        return entries[place].outgoing
    }

    /// The last dispatch that may be sent now.
    ///
    /// A server forgets the rejections that lie a window behind what it is sent. So the window of
    /// an outbox that outlives its process begins behind what is stored to be settled.
    private var windowEnd: UInt64 {
        min(cursor.acked, recording?.settled ?? .max) + frameLimits.window
    }

    /// Whether what is settled has to be stored before more may be sent.
    var isWindowHeld: Bool {
        guard let recording, recording.settled < settled else { return false }
        return cursor.lastSent < admitted && cursor.lastSent >= windowEnd
    }

    /// The place of the first entry with at least this number. O(log n).
    func place(from seq: UInt64) -> Int {
        guard first < entries.count, seq > entries[first].seq else { return first }
        // Without gaps, which is nearly always, it is where the number says.
        let guess = first + Int(min(seq - entries[first].seq, UInt64(entries.count - first)))
        var (low, high) = (first, guess)
        if guess == entries.count || entries[guess].seq == seq, entries[guess - 1].seq < seq {
            return guess
        }
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].seq < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// How far the dispatches have come on the current connection.
struct SendCursor: Sendable {
    /// What `hello` said to be settled.
    var greeted: UInt64 = 0
    /// The last that was sent, or that the server has anyway; the next frame has the next number.
    var lastSent: UInt64 = 0
    /// What the server has said to be settled; the window begins behind it.
    var acked: UInt64 = 0
}
