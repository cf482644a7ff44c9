import StorecastTables

/// How the values of a subscription are derived from the state: one operator, and what precedes it.
///
/// `connect` turns the description into stages, closures that pass values on. A stage holds the
/// stages after it and nothing before it: the list of subscribers holds the entry, the entry its
/// first stage, and so all stages are released with the entry.
class Derivation<Value> {
    /// Has `stage` called with the values that `connector` supplies.
    func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        preconditionFailure("Every derivation overrides this.")
    }

    /// Whether it begins at the output of an operator of the user's own and not at the store.
    var isDetached: Bool { false }

    /// The same values, with no filter shared with other subscribers; for use before another
    /// filter. Two filters of one subscriber must agree on which value was delivered last.
    var withOwnFilters: Derivation<Value> { self }

    /// The results of applying a closure to each value.
    func selecting<Selected>(
        _ selector: @escaping (Value) -> Selected
    ) -> Derivation<Selected> {
        MapDerivation(self, selector)
    }

    /// The values that a key path leads to.
    func selecting<Selected>(_ path: KeyPath<Value, Selected>) -> Derivation<Selected> {
        selecting { $0[keyPath: path] }
    }
}

extension Derivation where Value: Equatable {
    /// The same values without repeats.
    func skippingRepeats() -> Derivation<Value> {
        if self is DistinctDerivation<Value> {
            self
        } else if let selection = self as? RootSelection<Value> {
            DistinctDerivation(selection)
        } else {
            FilterDerivation(self, isRepeat: ==)
        }
    }
}

/// The source of the values at the beginning of a derivation.
///
/// Only a connector knows the type of the state.
protocol Connector {
    /// Has `stage` called with the selection's value after every change of the state.
    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void)

    /// Has `stage` called with the selection's value when it differs from the one last delivered.
    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void)

    /// Has `stage` called with a row of a table after every change of the row.
    func connect<Rows: RowsByID>(
        _ id: Rows.Row.ID, of rows: RootSelection<Rows>,
        stage: @escaping (Reading<Rows.Row?>) -> Void)

    /// Has `commit` called just before a value is delivered; returns false if the connector doesn't
    /// know when that is.
    func whenDelivered(_ commit: @escaping () -> Void) -> Bool
}

/// One value on its way to subscribers: what a selection yielded at one version of the state.
///
/// A reference, so that passing it on and remembering it doesn't copy the value, and doesn't cost
/// the generic metadata that optionals and tuples of an unknown type would cost at every step.
final class Reading<Value> {
    let value: Value
    /// The version of the state that the value was read from.
    let version: UInt64
    /// The reading before it; kept during a round in which some subscribers may have seen that one
    /// last.
    var older: Reading<Value>?

    init(_ value: Value, version: UInt64, older: Reading<Value>? = nil) {
        self.value = value
        self.version = version
        self.older = older
    }

    /// Releases the older ones one by one: releasing a long chain at once would recurse as deep as
    /// the chain is long.
    func forgetOlder() {
        var next = older.take()
        while let reading = next {
            next = reading.older.take()
        }
    }
}

// MARK: - Selections from the root

/// A part of the root state, with no filter before it: what subscribers can share.
class RootSelection<Value>: Derivation<Value> {
    /// The key path from the root, if it is one: subscribers with equal ones share an evaluation.
    var sharedPath: AnyKeyPath? { nil }

    /// Whether it is the root state itself.
    var isRoot: Bool { false }

    /// The selection as a function of the root.
    ///
    /// `Root` must be the type that the subscription started from.
    func evaluator<Root>(from _: Root.Type) -> (Root) -> Value {
        preconditionFailure("Every root selection overrides this.")
    }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        connector.connect(self, stage: stage)
    }

    override func selecting<Selected>(
        _ selector: @escaping (Value) -> Selected
    ) -> Derivation<Selected> {
        ComputedSelection(of: self, selector)
    }
}

/// A part of the root state selected by a key path.
final class KeyPathSelection<Value>: RootSelection<Value> {
    private let path: AnyKeyPath
    override var sharedPath: AnyKeyPath? { path }
    private let isWhole: Bool
    override var isRoot: Bool { isWhole }

    /// Selects the value at `path`, whose value type is `Value`.
    init(_ path: AnyKeyPath) {
        self.path = path
        isWhole = false
    }

    /// Selects the root state itself.
    init(whole path: AnyKeyPath) {
        self.path = path
        isWhole = true
    }

    override func evaluator<Root>(from _: Root.Type) -> (Root) -> Value {
        let whole: (Root) -> Root = { $0 }
        if isWhole, let whole = whole as? (Root) -> Value {
            return whole
        }
        guard let path = path as? KeyPath<Root, Value> else {
            preconditionFailure("\(path) doesn't lead from \(Root.self) to \(Value.self).")
        }
        return { $0[keyPath: path] }
    }

    override func selecting<Selected>(_ next: KeyPath<Value, Selected>) -> Derivation<Selected> {
        if isWhole { return KeyPathSelection<Selected>(next) }
        guard let longer = path.appending(path: next) else {
            return super.selecting(next)
        }
        return KeyPathSelection<Selected>(longer)
    }
}

/// A part of the root state that a closure computes.
final class ComputedSelection<Base, Value>: RootSelection<Value> {
    private let base: RootSelection<Base>
    private let selector: (Base) -> Value

    init(of base: RootSelection<Base>, _ selector: @escaping (Base) -> Value) {
        self.base = base
        self.selector = selector
    }

    override func evaluator<Root>(from root: Root.Type) -> (Root) -> Value {
        if base.isRoot, let selector = selector as? (Root) -> Value {
            return selector
        }
        let evaluateBase = base.evaluator(from: root)
        let selector = selector
        return { selector(evaluateBase($0)) }
    }
}

// MARK: - Filters and what follows them

/// A part of the root state without repeats: the comparison is shared like the evaluation.
final class DistinctDerivation<Value: Equatable>: Derivation<Value> {
    private let selection: RootSelection<Value>

    init(_ selection: RootSelection<Value>) {
        self.selection = selection
    }

    override var withOwnFilters: Derivation<Value> {
        FilterDerivation(selection, isRepeat: ==)
    }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        connector.connectSkippingRepeats(selection, stage: stage)
    }

    override func selecting<Selected>(
        _ selector: @escaping (Value) -> Selected
    ) -> Derivation<Selected> {
        MapDerivation(withOwnFilters, selector)
    }
}

/// Values without those that a predicate considers repeats of the one last delivered.
final class FilterDerivation<Value>: Derivation<Value> {
    private let base: Derivation<Value>
    private let isRepeat: (Value, Value) -> Bool

    init(_ base: Derivation<Value>, isRepeat: @escaping (Value, Value) -> Bool) {
        self.base = base.withOwnFilters
        self.isRepeat = isRepeat
    }

    override var isDetached: Bool { base.isDetached }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        let memory = FilterMemory<Value>()
        let isRepeat = isRepeat
        let knowsDeliveries = connector.whenDelivered { memory.commit() }
        base.connect(to: connector) { new in
            if let last = memory.delivered, isRepeat(last.value, new.value) { return }
            memory.candidate = new
            if !knowsDeliveries { memory.commit() }
            stage(new)
        }
    }
}

/// What a filter remembers.
///
/// Two values, because one that passed this filter may be stopped by a later one, or overtaken by a
/// newer state before it is the subscriber's turn. New values are compared with the delivered one.
private final class FilterMemory<Value> {
    var delivered: Reading<Value>?
    var candidate: Reading<Value>?

    func commit() {
        guard let reading = candidate else { return }
        candidate = nil
        delivered = reading
    }
}

/// The results of applying a closure to filtered values.
final class MapDerivation<Base, Value>: Derivation<Value> {
    private let base: Derivation<Base>
    private let selector: (Base) -> Value

    init(_ base: Derivation<Base>, _ selector: @escaping (Base) -> Value) {
        self.base = base
        self.selector = selector
    }

    override var isDetached: Bool { base.isDetached }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        let selector = selector
        base.connect(to: connector) { reading in
            stage(Reading(selector(reading.value), version: reading.version))
        }
    }
}
