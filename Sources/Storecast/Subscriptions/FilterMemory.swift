/// What a filter remembers.
///
/// Two values, because what passed the filter may be stopped by a later one, or overtaken by a
/// newer state before the subscriber's turn comes; only what was delivered is compared with.
final class FilterMemory<Value> {
    var delivered: Reading<Value>?
    var candidate: Reading<Value>?

    func commit() {
        guard let reading = candidate else { return }
        candidate = nil
        delivered = reading
    }
}
