extension Subscription {
    /// The same, skipping repeats if `State` is Equatable, which isn't known before run time.
    ///
    /// That is how it works through a generic `S: StoreType` as well, where overloads can't help.
    func automaticallySkippingRepeats() -> Subscription<State> {
        guard let type = State.self as? any Equatable.Type else { return self }
        return skippingRepeats(of: type)
    }

    private func skippingRepeats<Value: Equatable>(of _: Value.Type) -> Subscription<State> {
        guard let equatable = self as? Subscription<Value>,
            let skipping = equatable.skipRepeats() as? Subscription<State>
        else {
            preconditionFailure("Value is State, seen with its conformance")
        }
        return skipping
    }
}
