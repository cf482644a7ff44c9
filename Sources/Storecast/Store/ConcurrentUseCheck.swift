#if DEBUG
    /// Ends the program when two threads use one store at the same time. Debug builds only.
    ///
    /// Swift 6 checking rules that out, so this is for code that is built without it. Each
    /// outermost dispatch binds a task-local value, which distinguishes a nested call, by a
    /// subscriber for instance, from a call by another thread; outside of tasks, task-local values
    /// belong to the thread. Best effort: calls that don't overlap aren't noticed.
    final class ConcurrentUseCheck {
        private static let storesInUse = TaskLocal<[ObjectIdentifier]>(wrappedValue: [])

        private var isInUse = false

        /// Runs `body`; meanwhile a call by another thread ends the program.
        func dispatching(_ action: any Action, _ body: () -> Void) {
            if isInUse {
                requireSameThread(action)
                return body()
            }
            isInUse = true
            let stores = Self.storesInUse.get() + [ObjectIdentifier(self)]
            Self.storesInUse.withValue(stores, operation: body)
            isInUse = false
        }

        /// Ends the program if another thread is dispatching.
        func requireSameThread(_ action: (any Action)? = nil) {
            guard isInUse, !Self.storesInUse.get().contains(ObjectIdentifier(self)) else { return }
            let use = action.map { "\($0) was dispatched" } ?? "A subscriber came or went"
            preconditionFailure(
                """
                \(use) while another thread was dispatching to the same store. A store belongs to \
                one actor or thread.
                """)
        }
    }
#endif
