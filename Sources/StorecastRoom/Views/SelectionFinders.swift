package import StorecastSync

/// Finds the selections in use that a turn concerns, so that the others needn't be asked.
///
/// Its sources are told what has changed, and the room asks them for it. Belongs to a room.
package protocol SelectionFinder<State>: AnyObject {
    associatedtype State
    /// Whether it has no selections, and can go.
    var isEmpty: Bool { get }
    /// Whether it is to be told of actions; it may not change while there are selections.
    var isListening: Bool { get }
    /// An action is about to be reduced. Without one, the state is about to be replaced.
    func note(_ action: (any SyncAction)?, on state: State)
    /// Goes on to a state, and then calls `changed` with each selection that may have another value;
    /// one maybe twice.
    func advance(to state: State, _ changed: (any ToldSource<State>) throws -> Void) rethrows
    /// Lets go of what only saves work later.
    func forgetIdle()
}

extension SelectionFinder {
    package var isListening: Bool { false }
    package func note(_ action: (any SyncAction)?, on state: State) {}
    package func forgetIdle() {}
}

/// The finders of a room, in the order in which they were first needed.
package final class SelectionFinders<State> {
    /// The room's state as it is now; nil while there is none.
    package let state: () -> State?
    private var finders: [any SelectionFinder<State>] = []
    /// What sources have spent on their updates, in bytes compared and written, about.
    package var work = 0

    package init(_ state: @escaping () -> State? = { nil }) {
        self.state = state
    }

    /// The finder of its type for which `isWanted` holds, made if there is none.
    package func finder<Finder: SelectionFinder>(
        where isWanted: (Finder) -> Bool = { _ in true }, or make: () -> Finder
    ) -> Finder where Finder.State == State {
        for finder in finders {
            if let finder = finder as? Finder, isWanted(finder) { return finder }
        }
        let new = make()
        finders.append(new)
        return new
    }

    package func forgetIdle() {
        for finder in finders { finder.forgetIdle() }
    }

    /// Whether one of them is to be told of actions.
    package var areListening: Bool { finders.contains { $0.isListening } }

    package func note(_ action: (any SyncAction)?, on state: State) {
        for finder in finders where finder.isListening { finder.note(action, on: state) }
    }

    /// Goes on to a state, and then calls `changed` with each selection that may have another value;
    /// one maybe twice.
    package func advance(
        to state: State, _ changed: (any ToldSource<State>) throws -> Void
    ) rethrows {
        if finders.isEmpty { return }
        finders.removeAll { $0.isEmpty }
        if finders.count == 1 { return try finders[0].advance(to: state, changed) }
        // A selection may need what several of them have, so all go on before one is asked.
        var concerned: [any ToldSource<State>] = []
        for finder in finders { finder.advance(to: state) { concerned.append($0) } }
        for source in concerned { try changed(source) }
    }
}
