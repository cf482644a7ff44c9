/// A part of the root state that a key path names.
final class KeyPathSelection<Value>: RootSelection<Value> {
    private let path: AnyKeyPath

    /// Describes the value at `path`, whose value type is `Value`.
    init(_ path: AnyKeyPath) {
        self.path = path
    }

    override var sharedPath: AnyKeyPath? { path }

    override func evaluator<Root>(from _: Root.Type) -> (Root) -> Value {
        let whole: (Root) -> Root = { $0 }
        if path == \Root.self, let whole = whole as? (Root) -> Value {
            return whole
        }
        guard let path = path as? KeyPath<Root, Value> else {
            preconditionFailure("\(path) doesn't lead from \(Root.self) to \(Value.self)")
        }
        return { $0[keyPath: path] }
    }

    override func selecting<Selected>(_ next: KeyPath<Value, Selected>) -> Derivation<Selected> {
        guard let longer = path.appending(path: next) else {
            return super.selecting(next)
        }
        return KeyPathSelection<Selected>(longer)
    }
}
