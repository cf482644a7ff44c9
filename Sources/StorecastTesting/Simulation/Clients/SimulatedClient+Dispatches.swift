import StorecastMirror
import StorecastRoom
import StorecastWire

extension SimulatedClient {
    /// Goes on where `other`, an earlier process with the same outbox, crashed.
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

    /// Dispatches as a connection's own program does; `shownAt` is the mirror through which.
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
        wasThere = true
        open.append(dispatches.count)
        dispatches.append(
            Dispatched(
                recorded: JournalAction(
                    type: action.type, payload: action.payload),
                action: pending?.action, outcome: outcome,
                connection: session.phase == .live ? connection?.number : nil))
        if let pending, let place, follows.indices.contains(place) {
            follows[place].view?.show(pending)
            follows[place].isMoved = true
        }
        session.admit()
    }

    /// Whether the dispatch went with the process that made it: it was settled, or never stored.
    func isLost(_ place: Int) -> Bool {
        dispatches[place].isChecked && dispatches[place].outcome.settled == nil
    }

    func follow(_ topic: Topic, _ view: (any OptimisticView)?) {
        if let known = follows.first(where: { $0.topic === topic }) {
            known.users += 1
            return
        }
        let mirror = session.mirror(topic.selection, topic.parameters)
        let follow = Follow(mirror, topic, view)
        follow.deliver(session.outbox.withLock(\.pendingActions))
        follows.append(follow)
    }

    func unfollow(_ place: Int) {
        let follow = follows[place]
        guard follow.users == 0 else { return follow.users -= 1 }
        follows.remove(at: place)
        follow.mirror.observers = [:]
        session.release(follow.mirror)
    }
}

/// A dispatch of a simulated client, and what is known of how it ended.
struct Dispatched {
    /// How it has to be in the journal, if middleware leaves it alone.
    let recorded: JournalAction
    /// The action as optimistic mirrors show it; nil if its type isn't known.
    var action: (any SyncAction)?
    var outcome: DispatchOutcome
    /// The connection on which it was made; nil if there was none, or by a process before.
    var connection: Int?
    /// Its outcome has been seen and found right, or nobody waits for it any more.
    var isChecked = false
    /// What an earlier process was told.
    var told: Result<Position, Rejection>?
}
