import StorecastSync

/// Values by path, to be found along a path and below it. O(path), and what is found.
final class PathTrie<Value> {
    private var value: Value?
    private var children: [ExactString: PathTrie] = [:]

    var isEmpty: Bool { value == nil && children.isEmpty }

    /// Changes what is at a path.
    func update(_ path: JSONPointer, _ change: (inout Value?) -> Void) {
        update(path.tokens[...], change)
    }

    private func update(_ path: ArraySlice<String>, _ change: (inout Value?) -> Void) {
        guard let step = path.first.map({ ExactString($0) }) else { return change(&value) }
        let child = child(at: step)
        child.update(path.dropFirst(), change)
        if child.isEmpty { children[step] = nil }
    }

    /// The first on the way along a path, its end included.
    func first(along path: JSONPointer) -> Value? {
        var node = self
        for step in path.tokens {
            if let value = node.value { return value }
            guard let child = node.children[ExactString(step)] else { return nil }
            node = child
        }
        return node.value
    }

    /// Whether something is on the way along a path, at its end, or below that.
    func hasSome(along path: JSONPointer) -> Bool {
        var node = self
        for step in path.tokens {
            if node.value != nil { return true }
            guard let child = node.children[ExactString(step)] else { return false }
            node = child
        }
        return !node.isEmpty
    }

    /// Puts what `make` makes of all that is below a path, in no order, in place of that.
    func cover(_ path: JSONPointer, _ make: ([Value]) -> Value) {
        var node = self
        for step in path.tokens { node = node.child(at: ExactString(step)) }
        var below: [Value] = []
        if !node.children.isEmpty { node.forEachBelow { below.append($0) } }
        node.children = [:]
        node.value = make(below)
    }

    /// Calls `visit` for what is on the way along the path, its end included, from the outside in;
    /// returns what is below, if anything can be.
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
        for child in children.values {
            if let value = child.value { visit(value) }
            child.forEachBelow(visit)
        }
    }

    /// The child at a step, made if there is none.
    private func child(at step: ExactString) -> PathTrie {
        func made(_ child: inout PathTrie?) -> PathTrie {
            if let child { return child }
            let new = PathTrie()
            child = new
            return new
        }
        return made(&children[step])
    }
}
