/// A part of the root state that a closure works out.
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
