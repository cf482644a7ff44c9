package import StorecastSync
package import StorecastWire

extension Outbox {
    /// Everything up to `acked` has its outcome as of `position`: what wasn't rejected was reduced.
    ///
    /// The answer holds what ``takeOwed()`` would. What was never sent can't have been reduced,
    /// whatever a server says.
    package mutating func settle(through acked: UInt64, at position: Position) -> Settlements {
        let end = min(acked, lastEverSent)
        var settlements = takeOwed()
        settlements.position = position
        while first < entries.count, entries[first].seq <= end {
            if !entries[first].isEnded {
                settlements.reduced.append(entries[first].outcome)
                remove(first)
            }
            first += 1
        }
        trim()
        return settlements
    }

    /// The server has said that everything up to `acked` is settled: that may run ahead of what was
    /// sent again, not of what was ever sent.
    package mutating func acknowledge(_ acked: UInt64) {
        let acked = min(acked, lastEverSent)
        cursor.acked = max(cursor.acked, acked)
        cursor.lastSent = max(cursor.lastSent, acked)
    }

    /// The dispatch `seq` was rejected for good; nothing sends it again, not even to a server that
    /// forgot.
    package mutating func reject(_ seq: UInt64, _ rejection: Rejection) {
        let place = place(from: seq)
        guard place < entries.count, entries[place].seq == seq, seq <= lastEverSent else { return }
        end(place, rejection)
        trim()
    }

    /// The server has settled numbers that this client never sent: somebody else had the client's
    /// id, such as the original of a restored backup. Whose action was reduced nobody can tell.
    mutating func disown(through lastSeq: UInt64) {
        for place in first..<entries.count where entries[place].seq <= lastSeq {
            end(place, Self.unknown("The server settled more than was sent."))
        }
        trim()
        self.lastSeq = max(self.lastSeq, lastSeq)
        lastEverSent = lastSeq
    }

    /// Ends every wait with `rejection`, and refuses what comes later with it.
    package mutating func abandon(_ rejection: Rejection) -> Settlements {
        refusal = rejection
        for place in first..<entries.count where !entries[place].isEnded {
            owed.append((entries[place].outcome, rejection))
            remove(place)
        }
        defer { owed = [] }
        return Settlements(rejected: owed)
    }

    /// The outcomes of dispatches that ended here, once; not before it is stored that they did.
    package mutating func takeOwed() -> Settlements {
        guard !owed.isEmpty, recording?.isSyncDue != true else { return Settlements() }
        defer { owed = [] }
        return Settlements(rejected: owed)
    }

    static func unknown(_ detail: String) -> Rejection {
        Rejection(
            .outcomeUnknown, "It can't be told whether the action was reduced.", detail: detail)
    }

    /// Gives the dispatch at `place` an outcome of its own.
    mutating func end(_ place: Int, _ rejection: Rejection) {
        guard !entries[place].isEnded else { return }
        owed.append((entries[place].outcome, rejection))
        remove(place)
        recording?.noteEnd(of: entries[place].seq)
    }

    private mutating func remove(_ place: Int) {
        count -= 1
        bytes -= entries[place].frameSize
        entries[place].end()
        revision += 1
    }

    /// Lets go of what has ended, at the front at once and elsewhere when it is the most.
    mutating func trim() {
        while first < entries.count, entries[first].isEnded { first += 1 }
        if first == entries.count {
            entries.removeAll(keepingCapacity: first <= 1024)
            first = 0
        } else if entries.count > 1024, count * 2 < entries.count {
            entries.removeAll { $0.isEnded }
            first = 0
        }
    }
}

/// Outcomes that are decided and still to be told.
package struct Settlements: Sendable {
    /// Dispatches that were reduced, as of `position`.
    var reduced: [DispatchOutcome] = []
    var position: Position?
    /// Dispatches that weren't.
    var rejected: [(outcome: DispatchOutcome, rejection: Rejection)] = []

    /// Resumes those who wait for them. Every store must be as it should be by now.
    package func tell() {
        if let position {
            for outcome in reduced { outcome.settle(.success(position)) }
        }
        for (outcome, rejection) in rejected { outcome.settle(.failure(rejection)) }
    }
}
