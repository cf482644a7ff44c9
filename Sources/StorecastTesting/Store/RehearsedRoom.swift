import Storecast
import StorecastSync
import StorecastWire

/// What a room makes of one dispatch, without clients, journal or loop: the action as it comes off
/// the wire, authorization, stamp, middleware, validation and the reducer.
final class RehearsedRoom<State: Codable & Equatable & Sendable> {
    let store: Store<State>
    private let definition: RoomDefinition<State>
    /// Reduces every action once more, as another machine does that reads the log.
    private let twin: Store<State>
    /// What the newest dispatch is stamped with, and where it stands in the test.
    private var stamp = Stamp()
    private var site: CallSite
    /// What has come through the middleware of the dispatch that is on its way.
    private var collected: [any SyncAction]?
    private var ownDispatches: UInt64 = 0

    init(_ definition: RoomDefinition<State>, _ site: CallSite) {
        self.definition = definition
        self.site = site
        store = definition.makeStore()
        twin = definition.makeStore()
        store.interceptDispatch { [weak self] action in self?.collect(action) }
        definition.opening(store)
    }

    /// Answers why the action has no effect, or nil if it has been reduced.
    func dispatch(_ action: any Action, _ stamp: Stamp, at site: CallSite) -> Rejection? {
        self.stamp = stamp
        self.site = site
        do {
            let action = try onceOverTheWire(action)
            try definition.actionGuards[ObjectIdentifier(type(of: action))]?(action, stamp.sender)
            try reduce(collectActions(from: action))
            return nil
        } catch let rejection as Rejection {
            return rejection
        } catch {
            // A client is told no more than `internal`, but a test should know what it was.
            return Rejection(
                .internal, "An error was thrown on the way to the reducer.", detail: "\(error)")
        }
    }

    private func onceOverTheWire(_ action: any Action) throws -> any SyncAction {
        guard let action = action as? any SyncAction else {
            throw Rejection(.unknownAction, "A room takes SyncActions only.")
        }
        let payload = try JSONDocument(try JSONCoding.encode(action))
        return try definition.actions.action(type(of: action).wireName, payload.root)
    }

    // MARK: Middleware

    private func collectActions(from action: any SyncAction) -> [any SyncAction] {
        let outer = collected
        defer { collected = outer }
        collected = []
        store.dispatch(stamped(action, 0))
        return collected ?? []
    }

    /// The innermost link of the store's dispatch chain.
    private func collect(_ action: any Action) {
        guard let action = action as? any SyncAction else {
            return site.report("A room takes SyncActions only; \(type(of: action)) is none.")
        }
        if collected != nil {
            collected?.append(action)
            return
        }
        // Middleware that dispatches later, or code under test: the server's own actions.
        ownDispatches += 1
        stamp = Stamp(
            id: "server-\(ownDispatches)", sender: .anonymous, time: stamp.time,
            seed: ownDispatches)
        do {
            try reduce([action])
        } catch {
            site.report("\(type(of: action)), the server's own action, was rejected: \(error)")
        }
    }

    // MARK: The log

    /// Reduces all that middleware made of a dispatch, or nothing of it.
    private func reduce(_ actions: [any SyncAction]) throws {
        guard let before = store.state else { return }
        do {
            for (index, action) in actions.enumerated() {
                let action = stamped(action, index)
                let check = definition.validators[ObjectIdentifier(type(of: action))]
                try check?(store.state, action, stamp.sender)
                reduceTwice(action)
            }
            if let state = store.state { try definition.verify(state) }
            store.announce()
        } catch {
            store.replaceState(before)
            throw error
        }
    }

    private func reduceTwice(_ action: any SyncAction) {
        twin.placeState(store.state)
        twin.reduce(action)
        store.reduce(action)
        guard let first = twin.state, let second = store.state, first != second else { return }
        site.report(
            """
            \(type(of: action)) isn't reduced alike every time. Time, identity and chance come from \
            the action's stamp: …
            """, from: ("First", first), to: ("Second", second))
    }

    private func stamped(_ action: any SyncAction, _ index: Int) -> any SyncAction {
        guard var action = action as? any Stamped else { return action }
        action.stamp = stamp
        if index > 0 { action.stamp.id += ".\(index)" }
        action.stamp.seed &+= UInt64(index)
        return action
    }
}
