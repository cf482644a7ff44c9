extension Actor {
    /// Enters an actor whose executor is an event loop from one of that loop's callbacks, without
    /// a hop, with something that isn't `Sendable` and belongs to the loop (a connection, bytes).
    ///
    /// Stops the process if the caller isn't on the actor's executor.
    package nonisolated func enter<Argument, Value: Sendable>(
        with argument: Argument, _ body: @Sendable (isolated Self, Argument) throws -> Value
    ) rethrows -> Value {
        // The compiler can't see that the callback and the actor are one isolation domain;
        // `assumeIsolated` checks it, and so nothing crosses from one to another.
        nonisolated(unsafe) let argument = argument
        return try assumeIsolated { actor in try body(actor, argument) }
    }
}
