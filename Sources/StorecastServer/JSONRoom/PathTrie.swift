import StorecastSync

/// Values by path, to be found along a path and below it. O(path), and what is found.
final class PathTrie<Value> {
    private var value: Value?
    private var children: [ExactString: PathTrie] = [:]

    var isEmpty: Bool { value == nil && children.isEmpty }

    /// Changes what is at a path.
    func update(_ path: some Collection<String>, _ change: (inout Value?) -> Void) {
        guard let step = path.first.map({ ExactString($0) }) else { return change(&value) }
        let child = children[step] ?? PathTrie()
        child.update(path.dropFirst(), change)
        children[step] = child.isEmpty ? nil : child
    }

    /// Takes out all that is at the path or below it; calls `visit` for each, in no order.
    func removeAll(below path: some Collection<String>, _ visit: (Value) -> Void) {
        guard let step = path.first.map({ ExactString($0) }) else {
            forEach(visit)
            value = nil
            return children = [:]
        }
        guard let child = children[step] else { return }
        child.removeAll(below: path.dropFirst(), visit)
        if child.isEmpty { children[step] = nil }
    }

    /// Calls `visit` for what is on the way along the path, its end included, from the outside in;
    /// returns what is below, if anything can be.
    @discardableResult
    func walk(along path: JSONPointer, _ visit: (Value) -> Void) -> PathTrie? {
        var node = self
        if let value { visit(value) }
        for step in path.tokens {
            guard let child = node.children[ExactString(step)] else { return nil }
            node = child
            if let value = node.value { visit(value) }
        }
        return node
    }

    /// Calls `visit` for what is below this, in no order.
    func forEachBelow(_ visit: (Value) -> Void) {
        for child in children.values { child.forEach(visit) }
    }

    private func forEach(_ visit: (Value) -> Void) {
        if let value { visit(value) }
        forEachBelow(visit)
    }
}
