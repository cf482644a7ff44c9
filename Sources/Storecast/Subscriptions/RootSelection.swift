/// A part of the root state, with no filter before it: what subscribers can share.
class RootSelection<Value>: Derivation<Value> {
    /// The key path from the root, if it is one: subscribers with equal ones share an evaluation.
    var sharedPath: AnyKeyPath? { nil }

    /// Whether it is the root state itself.
    var isRoot: Bool { false }

    /// The selection as a function of the root.
    ///
    /// `Root` is the type that the subscription started from; another is a defect of this module.
    func evaluator<Root>(from _: Root.Type) -> (Root) -> Value {
        preconditionFailure("every root selection overrides this")
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
