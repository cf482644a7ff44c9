/// One dispatch of an ``Outbox``.
struct OutboxEntry: Sendable {
    let seq: UInt64
    /// The room's version when the action was made; known once it is admitted.
    var base: UInt64 = 0
    /// The action; nil when the dispatch has its outcome, and stays only for those before it.
    private(set) var outgoing: OutgoingAction?
    /// The action with its provisional stamp.
    private(set) var action: (any SyncAction)?
    let outcome: DispatchOutcome

    init(
        seq: UInt64, _ outgoing: OutgoingAction, _ stamps: ProvisionalStamps?,
        _ outcome: DispatchOutcome
    ) {
        self.seq = seq
        self.outgoing = outgoing
        self.outcome = outcome
        action = outgoing.action.map { stamps?.stamp($0, seq: seq) ?? $0 }
    }

    var isEnded: Bool { outgoing == nil }
    var frameSize: Int { outgoing?.frameSize ?? 0 }

    mutating func end() {
        outgoing = nil
        action = nil
    }
}
