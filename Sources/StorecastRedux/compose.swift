/// One function of several: the last is applied first, its result goes to the one before it, and so
/// on. Of none it makes the identity.
public func compose<Value>(_ functions: [(Value) -> Value]) -> (Value) -> Value {
    { value in functions.reversed().reduce(value) { $1($0) } }
}

/// One function of several: `compose(f, g)(x)` is `f(g(x))`.
public func compose<Value>(_ functions: ((Value) -> Value)...) -> (Value) -> Value {
    compose(functions)
}
