import StorecastMirror
import StorecastRoom
import StorecastSync
import StorecastWire

extension SimulatedClient {
    /// Continues where `other`, an earlier process with the same outbox, crashed.
    func takeOver(_ other: SimulatedClient) {
        guard other.session.client == session.client else { return }
        let last = Int(session.outbox.withLock(\.lastSeq))
        dispatches = Array(other.dispatches.prefix(last))
        for place in dispatches.indices { dispatches[place].isChecked = true }
        let actions = session.outbox.withLock(\.pendingActions).actions
        for (seq, _, outcome) in session.outbox.withLock(\.pendingEntries) {
            let place = Int(seq) - 1
            dispatches[place].told = dispatches[place].told ?? dispatches[place].outcome.settled
            dispatches[place].outcome = outcome
            dispatches[place].isChecked = false
            dispatches[place].connection = nil
            dispatches[place].action = actions.first { $0.seq == seq }?.action
            open.append(place)
        }
        world.note(.client, number, last) { "finds \(open.count) dispatches in its outbox" }
    }

    /// Dispatches as an app does; `shownAt` is the place of the mirror through which it does.
    func dispatch(_ action: OutgoingAction, shownAt place: Int?) {
        let outcome = DispatchOutcome()
        var pending: PendingAction?
        do throws(Rejection) {
            pending = try session.outbox.withLock { outbox throws(Rejection) in
                try outbox.append(action, outcome)
            }.pending
        } catch {
            return world.note(.client, number, 4) { "can't dispatch: \(error)" }
        }
        wasActive = true
        open.append(dispatches.count)
        dispatches.append(
            Dispatched(
                recorded: JournalAction(
                    type: action.type, payload: action.payload),
                action: pending?.action, outcome: outcome,
                connection: session.phase == .live ? connection?.number : nil))
        if let pending, let place, subscriptions.indices.contains(place) {
            subscriptions[place].view?.show(pending)
            subscriptions[place].isChanged = true
        }
        session.admit()
    }

    /// Whether the dispatch was lost with the process that made it: settled already, or never
    /// stored.
    func isLost(_ place: Int) -> Bool {
        dispatches[place].isChecked && dispatches[place].outcome.settled == nil
    }

    func subscribe(_ topic: Topic, _ view: (any OptimisticView)?) {
        if let known = subscriptions.first(where: { $0.topic === topic }) {
            known.moreUsers += 1
            return
        }
        let mirror = session.mirror(topic.selection, topic.parameters)
        let subscription = SimulatedSubscription(mirror, topic, view)
        subscription.deliver(session.outbox.withLock(\.pendingActions))
        subscriptions.append(subscription)
    }

    func unsubscribe(_ place: Int) {
        let subscription = subscriptions[place]
        guard subscription.moreUsers == 0 else { return subscription.moreUsers -= 1 }
        subscriptions.remove(at: place)
        subscription.mirror.observers = [:]
        session.release(subscription.mirror)
    }
}

/// A dispatch of a simulated client, and its outcome as far as it is known.
struct Dispatched {
    /// The action as it must be in the journal, unless middleware changes it.
    let recorded: JournalAction
    /// The action as optimistic mirrors show it; nil if its type isn't known.
    var action: (any SyncAction)?
    var outcome: DispatchOutcome
    /// The connection on which it was made; nil if there was none, or an earlier process made it.
    var connection: Int?
    /// Whether its outcome has been checked, or nobody waits for it any more.
    var isChecked = false
    /// The term in which its client was told the outcome.
    var term: String?
    /// The outcome that an earlier process was told.
    var told: Result<Position, Rejection>?
}

/// A client's subscription to a selection with parameters.
final class SimulatedSubscription {
    let mirror: Mirror
    /// Its selection and parameters, as the reference model knows them.
    let topic: Topic
    /// Shows it with the client's own actions on it; nil if it isn't optimistic.
    let view: (any OptimisticView)?
    /// Whether the mirror has changed since it was checked.
    var isChanged = false
    /// The newest position at which it was checked.
    var position: Position?
    /// In which term that was.
    var term: String?
    /// How many more times the client has subscribed to it.
    var moreUsers = 0
    private var isNew = false

    init(_ mirror: Mirror, _ topic: Topic, _ view: (any OptimisticView)?) {
        self.mirror = mirror
        self.topic = topic
        self.view = view
        mirror.observers[0] = { [unowned self] _ in
            isChanged = true
            isNew = true
        }
    }

    /// Shows the mirror's new value and the pending actions.
    func deliver(_ pending: PendingActions?) {
        guard let view, isNew || pending != nil else { return }
        view.take(isNew ? (mirror.value, mirror.included) : nil, pending)
        isNew = false
        isChanged = true
    }
}
