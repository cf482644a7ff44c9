import Storecast
import StorecastSync
import StorecastWire

/// What happens to a dispatch before the journal orders it: its action is read, the sender is
/// authorised, the store's middleware runs, and what comes out is stamped.
final class Intake<State: Codable & Sendable> {
    /// Takes what is dispatched on the store while nothing is being taken in: by middleware or a
    /// subscriber later on, or by the server's own code.
    var onLaterDispatch: (any SyncAction) -> Void = { _ in }

    private let log: RoomLog<State>
    /// What the dispatch came to that runs through the middleware now.
    private var collecting: [any SyncAction]?

    private let isClosed: Bool
    /// Asked once: each call on the definition copies it.
    private let narrows: Bool
    private let unruled: UnruledNames

    /// - Parameter isClosed: whether actions that no rule is about are refused.
    init(_ log: RoomLog<State>, isClosed: Bool, _ unruled: UnruledNames) {
        self.log = log
        self.isClosed = isClosed
        narrows = log.definition.narrows
        self.unruled = unruled
        log.store.interceptDispatch { [unowned self] action in collect(action) }
    }

    /// The action of a dispatch that the sender may make.
    func action(
        _ type: String, _ payload: JSONView?, from sender: Identity
    ) throws -> any SyncAction {
        let action = try log.definition.actions.action(type, payload)
        do {
            try log.definition.check(
                action, from: sender, in: log.store.state, isClosed: isClosed)
        } catch let error as NoRule {
            throw unruled.rejection(of: error)
        }
        return narrows ? log.definition.narrowed(action, from: sender) : action
    }

    /// What middleware makes of an action that is in the catalogue, with the stamps of its entry.
    func actions(
        from action: any SyncAction, _ entry: JournalEntry
    ) throws(Rejection) -> [any SyncAction] {
        let first = log.stamped(action, entry, index: 0)
        if log.store.dispatchesDirectly { return [first] }
        let outer = collecting
        collecting = []
        log.store.dispatch(first)
        let actions = collecting ?? []
        collecting = outer
        for action in actions { try log.definition.actions.check(action) }
        guard actions.count > 1 else { return actions }
        return actions.enumerated().map { log.stamped($1, entry, index: $0) }
    }

    /// The innermost link of the store's dispatch chain.
    private func collect(_ action: any Action) {
        guard let action = action as? any SyncAction else {
            preconditionFailure(
                "A room's store takes actions that are SyncActions; \(type(of: action)) is none.")
        }
        if collecting != nil { collecting?.append(action) } else { onLaterDispatch(action) }
    }
}
