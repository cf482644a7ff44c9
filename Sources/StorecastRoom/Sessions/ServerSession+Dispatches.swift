import StorecastSync
import StorecastWire

extension ServerSession {
    func receive(_ dispatch: ClientFrame.Dispatch) {
        switch dispatches.admit(dispatch.seq, window: limits.window) {
        case .take:
            trace?.began(dispatch)
            let wait = waitForAction()
            if wait == 0 { return room.receive(dispatch, from: self) }
            if isOverrunning {
                flushes.counts.reached("overruns")
                return close(.full, "The client exceeds its rate limit.", after: 10, jitter: 10)
            }
            refused(
                dispatch.seq,
                Rejection(
                    .busy, "The client sends more actions than its rate limit allows.",
                    retryAfter: .seconds(wait)))
        case .ignore: break
        case .violation(let title): violate(title)
        }
    }

    /// The outcome of the client's dispatch `seq`, from the log.
    func settled(_ seq: UInt64, _ rejection: Rejection?) {
        if !isLight { flushes.isHeavy = true }
        if let rejection {
            outcomes.rejected += 1
            reply(.reject(ServerFrame.Reject(rejection, seq: seq)))
        } else {
            outcomes.taken += 1
        }
        // Asked for once, however much is settled until then.
        let isAskedFor = dispatches.hasAcknowledgement
        dispatches.settle(seq)
        trace?.ended(seq, rejection)
        if !isAskedFor { flushes.add(self) }
    }

    /// All of the client's dispatches up to `seq` have their outcomes, and those that were rejected
    /// have been told.
    func settled(through seq: UInt64) {
        let known = dispatches.settled
        guard seq > known else { return }
        // A client may begin with any number; no more than a window is under way.
        let window = UInt64(limits.window)
        let first = max(known + 1, seq > window ? seq - window + 1 : 1)
        outcomes.taken += Int(seq - first)
        if let trace { for seq in first..<seq { trace.ended(seq, nil) } }
        settled(seq, nil)
    }

    /// As ``settled(through:)``, of which these, in order, were rejected and haven't been told yet.
    func settled(through last: UInt64, _ rejected: [ServerFrame.Reject]) {
        for reject in rejected where reject.seq > dispatches.settled && reject.seq <= last {
            settled(through: reject.seq - 1)
            settled(reject.seq, Rejection(reject))
        }
        settled(through: last)
    }

    /// The room's owner is there again: what it knows of the client's dispatches has its outcome,
    /// and the others are to come again.
    func resume(lastSeq: UInt64, rejected: [ServerFrame.Reject]) {
        settled(through: lastSeq, rejected)
        refused(
            dispatches.settled + 1,
            Rejection(
                .unavailable, "The server that has the room was away for a moment.",
                retryAfter: .milliseconds(10)))
    }

    /// The dispatch had no effect and may come again.
    ///
    /// One that an earlier connection of the client had sent comes by itself, or has come.
    func refused(_ seq: UInt64, _ rejection: Rejection) {
        guard dispatches.goBack(to: seq) else { return }
        flushes.counts.deferred(rejection.code)
        trace?.ended(seq, rejection)
        reply(.reject(ServerFrame.Reject(rejection, seq: seq)))
    }
}

/// Follows a connection's dispatches, for whoever traces them.
package protocol DispatchTrace: AnyObject {
    func began(_ dispatch: ClientFrame.Dispatch)
    /// It has its outcome, or is to come again. Also called of dispatches that weren't begun here,
    /// as an earlier connection had sent them.
    func ended(_ seq: UInt64, _ rejection: Rejection?)
    /// What a dispatch is to name as its parent where it is passed on to; nil if nothing.
    func traceparent(of seq: UInt64) -> String?
    /// The connection is over; what was begun and hasn't ended may still take effect.
    func closed()
}

/// The numbers of one connection's dispatches: which may come next, and what is settled.
struct DispatchWindow {
    /// What is to be done with a dispatch by its number.
    enum Admission: Equatable {
        case take
        /// It follows one that the client was asked to send again, or is itself taken already.
        case ignore
        case violation(String)
    }

    private var next: UInt64
    private var repeatFrom: UInt64?
    /// What was taken from here on may come once more.
    private var repeatedFrom = UInt64.max
    private(set) var settled: UInt64
    private var acknowledged: UInt64

    /// A connection whose client knows the outcomes of all dispatches up to `known`.
    init(known: UInt64 = 0) {
        next = known + 1
        settled = known
        acknowledged = known
    }

    mutating func admit(_ seq: UInt64, window: Int) -> Admission {
        if seq >= repeatedFrom, seq < repeatFrom ?? next { return .ignore }
        if let start = repeatFrom {
            guard seq >= start, seq <= max(start, settled + 1) else {
                return seq > start
                    ? .ignore : .violation("seq \(seq) came where \(start) had to come again.")
            }
            repeatFrom = nil
            next = seq
            // The one that was asked for was settled by an earlier connection's entry. This one may
            // have been under way before the client heard that it was to go back, and then both come
            // once more.
            if seq > start { repeatedFrom = min(repeatedFrom, start) }
        }
        // What was settled meanwhile, by an entry of an earlier connection, may be left out.
        guard seq >= next, seq <= max(next, settled + 1) else {
            return .violation("seq \(seq) came where \(next) was due.")
        }
        guard seq <= acknowledged + UInt64(window) else {
            return .violation("More than \(window) dispatches are without an outcome.")
        }
        next = seq + 1
        return .take
    }

    /// The dispatch and all before it have their outcomes.
    mutating func settle(_ seq: UInt64) {
        settled = max(settled, seq)
    }

    /// Refuses everything until `seq` comes again; false if there is nothing to ask for: it has its
    /// outcome, it didn't come on this connection, or its client was asked to repeat it already (by
    /// the refusal of a copy, which an earlier connection sent) and may be doing that.
    mutating func goBack(to seq: UInt64) -> Bool {
        guard seq > settled, seq < repeatFrom ?? next else { return false }
        repeatFrom = seq
        return true
    }

    /// The last dispatch that was taken, if it has no outcome yet.
    var lastUnsettled: UInt64? {
        let last = (repeatFrom ?? next) - 1
        return last > settled ? last : nil
    }

    var hasAcknowledgement: Bool { settled > acknowledged }

    /// What to acknowledge, once.
    mutating func takeAcknowledgement() -> UInt64? {
        guard hasAcknowledgement else { return nil }
        acknowledged = settled
        return settled
    }
}
