/// A part of the root state that a key path names.
final class KeyPathSelection<Value>: RootSelection<Value> {
    private let path: AnyKeyPath
    override var sharedPath: AnyKeyPath? { path }
    private let isWhole: Bool
    override var isRoot: Bool { isWhole }

    /// Describes the value at `path`, whose value type is `Value`.
    init(_ path: AnyKeyPath) {
        self.path = path
        isWhole = false
    }

    /// Describes the root state itself.
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
            preconditionFailure("\(path) doesn't lead from \(Root.self) to \(Value.self)")
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
