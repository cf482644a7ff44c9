#if DEBUG
    /// Notices that two threads use one store at the same time.
    ///
    /// Swift 6 checking rules that out, so this is for code that is built without it. Debug builds
    /// only: each outermost dispatch binds a task-local value, which is how a call from within, by
    /// a subscriber say, is told from one by another thread. Outside tasks Swift keeps these values
    /// by thread. Best effort: calls that don't overlap aren't noticed.
    final class Occupancy {
        private static let current = TaskLocal<[ObjectIdentifier]>(wrappedValue: [])

        private var isOccupied = false

        /// Runs `body`, during which calls from elsewhere end the program.
        func occupy(for action: any Action, _ body: () -> Void) {
            if isOccupied {
                requireFree(action)
                return body()
            }
            isOccupied = true
            let stores = Self.current.get() + [ObjectIdentifier(self)]
            Self.current.withValue(stores, operation: body)
            isOccupied = false
        }

        /// Ends the program if another thread is dispatching.
        func requireFree(_ action: (any Action)? = nil) {
            guard isOccupied, !Self.current.get().contains(ObjectIdentifier(self)) else { return }
            let use = action.map { "\($0) was dispatched" } ?? "A subscriber came or went"
            preconditionFailure(
                """
                \(use) while another thread was dispatching to the same store. A store belongs to \
                one actor or thread.
                """)
        }
    }
#endif
