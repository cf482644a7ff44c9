package import Storecast
package import StorecastSync

/// What an optimistic mirror shows: the server's value, and the client's pending actions on it.
///
/// Each action is shown exactly once at every moment: re-run on the server's value as long as
/// that isn't known to hold it, and left to the server from then on. So an acknowledgement that
/// comes before the value does doesn't make the action disappear in between.
package struct OptimisticValue<State> {
    /// The value with the actions; nil before the server's first.
    package private(set) var value: State?
    /// The server's value.
    package private(set) var base: State?

    /// The base holds the effects of every dispatch up to this one.
    private var included: UInt64 = 0
    private var pending = PendingActions()
    private let reduce: InPlaceReducer<State>

    package init(_ reduce: @escaping InPlaceReducer<State>) {
        self.reduce = reduce
    }

    /// Shows an action that has just been dispatched.
    package mutating func show(_ action: PendingAction) {
        pending.actions.append(action)
        guard value != nil else { return }
        reduce(&value!, action.action)
    }

    /// Takes what the server's value has become, and what is pending, as far as either is new.
    ///
    /// - Parameters:
    ///   - base: the value, and the last dispatch whose effects are in it.
    ///   - pending: as of no earlier than the base; an older list than the one here is passed over.
    package mutating func take(
        _ base: (value: State?, included: UInt64)?, _ pending: PendingActions?
    ) {
        let (shown, senders) = (shownActions.map(\.seq), self.pending.senders)
        if let base { (self.base, included) = base }
        if let pending, pending.revision > self.pending.revision { replace(pending) }
        // If neither the base nor the actions have changed, neither has the value.
        guard
            base != nil || self.pending.senders != senders
                || !shownActions.map(\.seq).elementsEqual(shown)
        else { return }
        value = self.base
        guard value != nil else { return }
        for action in shownActions { reduce(&value!, action.action) }
    }

    /// Actions that were dispatched here and aren't in the new list yet stay.
    private mutating func replace(_ new: PendingActions) {
        let own = pending.actions.filter { $0.seq > new.through }
        pending = new
        pending.actions += own
    }

    private var shownActions: ArraySlice<PendingAction> {
        pending.actions.drop { $0.seq <= included }
    }
}

/// A dispatched action without an outcome.
package struct PendingAction: Sendable {
    package let seq: UInt64
    /// With its provisional stamp, if it is ``Stamped``.
    package let action: any SyncAction

    package init(seq: UInt64, action: any SyncAction) {
        self.seq = seq
        self.action = action
    }
}

/// The dispatched actions of a client that have no outcome, at some moment.
package struct PendingActions: Sendable {
    /// Higher at a later moment.
    package let revision: UInt64
    /// Another number if the stamps have another sender.
    package let senders: UInt64
    /// The last dispatch that had been numbered.
    package let through: UInt64
    /// In the order of their numbers.
    package internal(set) var actions: [PendingAction]

    package init(
        revision: UInt64 = 0, senders: UInt64 = 0, through: UInt64 = 0,
        actions: [PendingAction] = []
    ) {
        self.revision = revision
        self.senders = senders
        self.through = through
        self.actions = actions
    }
}
