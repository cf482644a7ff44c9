package import StorecastWire

/// What the connections of one thread did since it was last asked, or what all of them did.
package struct Tally: Sendable {
    /// From when an action was due until its ack, for those that are measured; also the time that
    /// the others have waited in vain.
    package var acks = Histogram()
    /// How much later than due the tool itself got to its actions.
    package var lateness = Histogram()
    package var sent = 0
    /// How many were acked while actions were measured.
    package var ackedInTime = 0
    /// How many weren't sent, because the window was full of others.
    package var unsent = 0
    /// How many were sent and got no outcome.
    package var unanswered = 0
    /// Rejections, errors and lapses by their codes.
    package var refusals: [ExactString: Refusals] = [:]
    /// How many connections ended.
    package var lost = 0
    /// Why the first of them did.
    package var loss: String?
    package var bytesSent = 0
    package var bytesReceived = 0
    package var messagesReceived = 0
    /// With mirrors: each ack that was measured, for ``MirrorDelays``.
    var acked: [(due: Int64, version: UInt64)] = []
    /// When all mirrors of the thread had reached a version, for ``MirrorDelays``.
    var floors: [(version: UInt64, at: Int64)] = []
    /// How many actions are due and have no outcome yet.
    var open = 0

    package struct Refusals: Sendable {
        package var count = 0
        /// What was said of the first.
        package var first: String
    }

    mutating func refuse(_ code: String, _ first: String, count: Int = 1) {
        refusals[ExactString(code), default: Refusals(first: first)].count += count
    }

    mutating func lose(_ reason: String) {
        lost += 1
        loss = loss ?? reason
    }

    /// Adds another's counts; what is for ``MirrorDelays`` stays with it.
    mutating func merge(_ other: Tally) {
        acks.merge(other.acks)
        lateness.merge(other.lateness)
        sent += other.sent
        ackedInTime += other.ackedInTime
        unsent += other.unsent
        unanswered += other.unanswered
        for (code, refusals) in other.refusals {
            refuse(code.string, refusals.first, count: refusals.count)
        }
        lost += other.lost
        loss = loss ?? other.loss
        bytesSent += other.bytesSent
        bytesReceived += other.bytesReceived
        messagesReceived += other.messagesReceived
        open += other.open
    }
}
