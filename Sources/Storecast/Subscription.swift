/// What a subscriber gets to see of the state, and when.
///
/// A store hands one to the closure given to `subscribe`, which selects and filters:
///
/// ```swift
/// store.subscribe(self) { $0.select(\.cards.count).only { old, new in new > old } }
/// ```
///
/// Filters compare a new value with the one last delivered to this subscriber, and let the first
/// one pass. Selectors and predicates must be pure functions: they run as often as they are needed.
public final class Subscription<State> {
    /// Where an operator of your own takes the values from this subscription.
    ///
    /// It is called with the value it last got, nil at first, and the new one; see ``init(sink:)``.
    public var observer: ((State?, State) -> Void)? {
        get { outlet?.observer }
        set { (outlet ?? tap()).observer = newValue }
    }

    /// Nil unless an operator of the user's own begins here, as it does with few.
    private var outlet: Outlet<State>?
    let derivation: Derivation<State>
    /// Where the subscriptions derived from a store's collect those that have an observer; nil
    /// beyond an operator of the user's own.
    let taps: Taps?

    init(derivation: Derivation<State>, taps: Taps?) {
        self.derivation = derivation
        self.taps = taps
    }

    /// Makes the outcome of an operator of your own: whatever values are given to the sink.
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
    /// The sink's first argument is there for ReSwift's sake and isn't used. It may be called later
    /// as well, on the store's thread; of several values given to it at once the subscriber gets
    /// the last.
    public init(sink: (@escaping (State?, State) -> Void) -> Void) {
        let inlet = InletDerivation<State>()
        derivation = inlet
        taps = nil
        sink { _, new in inlet.receive(new) }
    }

    /// Selects a part of the state. One evaluation serves all subscribers of an equal key path.
    public func select<Selected>(_ keyPath: KeyPath<State, Selected>) -> Subscription<Selected> {
        deriving(derivation.selecting(keyPath))
    }

    /// Selects what `selector` makes of the state.
    public func select<Selected>(
        _ selector: @escaping (State) -> Selected
    ) -> Subscription<Selected> {
        deriving(derivation.selecting(selector))
    }

    /// Skips a value if `isRepeat` says that it repeats the one last delivered.
    public func skipRepeats(
        _ isRepeat: @escaping (_ oldState: State, _ newState: State) -> Bool
    ) -> Subscription<State> {
        deriving(FilterDerivation(derivation, isRepeat: isRepeat))
    }

    /// Skips a value if `when` says so of the one last delivered and of the new one.
    public func skip(
        when: @escaping (_ oldState: State, _ newState: State) -> Bool
    ) -> Subscription<State> {
        skipRepeats(when)
    }

    /// Skips a value, unless it is the first, if `when` says so of it.
    public func skip(when: @escaping (_ newState: State) -> Bool) -> Subscription<State> {
        skipRepeats { _, new in when(new) }
    }

    /// Skips a value unless `when` says yes to the one last delivered and the new one.
    public func only(
        when: @escaping (_ oldState: State, _ newState: State) -> Bool
    ) -> Subscription<State> {
        skipRepeats { old, new in !when(old, new) }
    }

    /// Skips a value, unless it is the first, if `when` says no to it.
    public func only(when: @escaping (_ newState: State) -> Bool) -> Subscription<State> {
        skipRepeats { _, new in !when(new) }
    }

    private func tap() -> Outlet<State> {
        let (derivation, outlet) = (derivation, Outlet<State>())
        let tap = { derivation.connect(to: $0) { outlet.receive($0.value) } }
        if let taps { taps.add(tap) } else { tap(LooseConnector()) }
        self.outlet = outlet
        return outlet
    }

    func deriving<Value>(_ derivation: Derivation<Value>) -> Subscription<Value> {
        Subscription<Value>(derivation: derivation, taps: taps)
    }
}

extension Subscription where State: Equatable {
    /// Skips a value that is equal to the one last delivered.
    public func skipRepeats() -> Subscription<State> {
        deriving(derivation.skippingRepeats())
    }
}
