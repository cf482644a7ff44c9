/// What a subscriber receives of the state, and when.
///
/// A store passes one to the closure given to `subscribe`, which selects and filters:
///
/// ```swift
/// store.subscribe(self) { $0.select(\.cards.count).only { old, new in new > old } }
/// ```
///
/// Filters compare a new value with the one last delivered to this subscriber, and let the first
/// one pass. Selectors and predicates must be pure functions: they run as often as needed.
public final class Subscription<State> {
    /// What an operator of your own does with the values of this subscription.
    ///
    /// It is called with the value it was last called with, nil at first, and the new one; see
    /// ``init(sink:)``.
    public var observer: ((State?, State) -> Void)? {
        get { input?.observer }
        set { (input ?? connectInput()).observer = newValue }
    }

    let derivation: Derivation<State>
    /// The input of the user's own operator that begins here; nil in most subscriptions.
    private var input: OperatorInput<State>?
    /// Collects the inputs of all operators that begin in this chain of subscriptions; nil if the
    /// chain begins at the output of an operator and not at a store.
    private let inputs: OperatorInputs?

    init(derivation: Derivation<State>, inputs: OperatorInputs?) {
        self.derivation = derivation
        self.inputs = inputs
    }

    /// Makes the output of an operator of your own: the values that are passed to the sink.
    ///
    /// ```swift
    /// extension Subscription {
    ///     func compact<Value>() -> Subscription<Value> where State == Value? {
    ///         Subscription<Value> { sink in
    ///             self.observer = { _, new in if let new { sink(nil, new) } }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The sink's first argument exists for compatibility with ReSwift and isn't used. The sink may
    /// be called later as well, on the store's thread; of several values passed to it at once, the
    /// subscriber receives the last.
    public init(sink: (@escaping (State?, State) -> Void) -> Void) {
        let output = OperatorOutput<State>()
        derivation = output
        inputs = nil
        sink { _, new in output.receive(new) }
    }

    /// Selects a part of the state. One evaluation serves all subscribers with an equal key path.
    public func select<Selected>(_ keyPath: KeyPath<State, Selected>) -> Subscription<Selected> {
        deriving(derivation.selecting(keyPath))
    }

    /// Selects the result of `selector`.
    public func select<Selected>(
        _ selector: @escaping (State) -> Selected
    ) -> Subscription<Selected> {
        deriving(derivation.selecting(selector))
    }

    /// Skips a value if `isRepeat` is true of the one last delivered and the new one.
    public func skipRepeats(
        _ isRepeat: @escaping (_ oldState: State, _ newState: State) -> Bool
    ) -> Subscription<State> {
        deriving(FilterDerivation(derivation, isRepeat: isRepeat))
    }

    /// Skips a value if `when` is true of the one last delivered and the new one.
    public func skip(
        when: @escaping (_ oldState: State, _ newState: State) -> Bool
    ) -> Subscription<State> {
        skipRepeats(when)
    }

    /// Skips a value, unless it is the first, if `when` is true of it.
    public func skip(when: @escaping (_ newState: State) -> Bool) -> Subscription<State> {
        skipRepeats { _, new in when(new) }
    }

    /// Skips a value unless `when` is true of the one last delivered and the new one.
    public func only(
        when: @escaping (_ oldState: State, _ newState: State) -> Bool
    ) -> Subscription<State> {
        skipRepeats { old, new in !when(old, new) }
    }

    /// Skips a value, unless it is the first, if `when` is false of it.
    public func only(when: @escaping (_ newState: State) -> Bool) -> Subscription<State> {
        skipRepeats { _, new in !when(new) }
    }

    func deriving<Value>(_ derivation: Derivation<Value>) -> Subscription<Value> {
        Subscription<Value>(derivation: derivation, inputs: inputs)
    }

    private func connectInput() -> OperatorInput<State> {
        let (derivation, input) = (derivation, OperatorInput<State>())
        let connect = { derivation.connect(to: $0) { input.receive($0.value) } }
        if let inputs { inputs.add(connect) } else { connect(OutputConnector()) }
        self.input = input
        return input
    }
}

extension Subscription where State: Equatable {
    /// Skips a value that is equal to the one last delivered.
    public func skipRepeats() -> Subscription<State> {
        deriving(derivation.skippingRepeats())
    }
}

extension Subscription {
    /// The same, skipping repeats if `State` is Equatable, which is only known at run time.
    ///
    /// So it works through a generic `S: StoreType` as well, where overloads can't help.
    func automaticallySkippingRepeats() -> Subscription<State> {
        guard let type = State.self as? any Equatable.Type else { return self }
        return skippingRepeats(of: type)
    }

    private func skippingRepeats<Value: Equatable>(of _: Value.Type) -> Subscription<State> {
        guard let equatable = self as? Subscription<Value>,
            let skipping = equatable.skipRepeats() as? Subscription<State>
        else {
            preconditionFailure("Value is the same type as State.")
        }
        return skipping
    }
}
