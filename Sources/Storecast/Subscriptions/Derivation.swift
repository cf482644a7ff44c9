/// How the values of a subscription come about: the description of one operator and what is before
/// it.
///
/// `connect` turns it into stages, closures that pass values on. The root's type is known only
/// there. A stage holds what comes behind it and nothing that is before it: the list holds the entry,
/// the entry its first stage, and so all of them go with the entry.
class Derivation<Value> {
    /// Has `stage` called with the values as `connector` brings them.
    func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        preconditionFailure("every derivation overrides this")
    }

    /// Whether it begins at an operator of the user's own and not at the store.
    var isDetached: Bool { false }

    /// The same values with all filters this subscriber's own, for use before another filter: two
    /// filters of one subscriber must agree on what was delivered last.
    var withOwnFilters: Derivation<Value> { self }

    /// What follows when a closure is applied to each value.
    func selecting<Selected>(
        _ selector: @escaping (Value) -> Selected
    ) -> Derivation<Selected> {
        MapDerivation(self, selector)
    }

    /// What follows when a key path is read from each value.
    func selecting<Selected>(_ path: KeyPath<Value, Selected>) -> Derivation<Selected> {
        selecting { $0[keyPath: path] }
    }
}

extension Derivation where Value: Equatable {
    /// What follows when equal values in a row are left out.
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
