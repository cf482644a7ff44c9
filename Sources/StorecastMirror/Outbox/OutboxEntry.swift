import StorecastSync

/// One dispatch of an ``Outbox``.
struct OutboxEntry: Sendable {
    let seq: UInt64
    /// The room's version when the action was made; known once it is admitted.
    var base: UInt64 = 0
    /// The action; nil when the dispatch has its outcome, and stays only for those before it.
    private(set) var outgoing: OutgoingAction?
    let outcome: DispatchOutcome

    init(seq: UInt64, _ outgoing: OutgoingAction, _ outcome: DispatchOutcome) {
        self.seq = seq
        self.outgoing = outgoing
        self.outcome = outcome
    }

    var isEnded: Bool { outgoing == nil }
    var frameSize: Int { outgoing?.frameSize ?? 0 }

    mutating func end() {
        outgoing = nil
    }
}
