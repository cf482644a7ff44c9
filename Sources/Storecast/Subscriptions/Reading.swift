/// One value on its way to subscribers: what a selection was at one version of the state.
///
/// A reference, so that it is passed on and remembered without copying the value, and without the
/// generic metadata that optionals and tuples of an unknown type would cost at every step.
final class Reading<Value> {
    let value: Value
    /// The version of the state from which it is.
    let version: UInt64
    /// The reading before it, while a round is under way in which some may have seen that one last.
    var older: Reading<Value>?

    init(_ value: Value, version: UInt64, older: Reading<Value>? = nil) {
        self.value = value
        self.version = version
        self.older = older
    }

    /// Forgets those before it, one by one: to free a long chain at once would need as deep a
    /// stack.
    func forgetOlder() {
        var next = older.take()
        while let reading = next {
            next = reading.older.take()
        }
    }
}
