import StorecastSync

/// Values by path, to be found along a path and below it. O(path), and what is found.
///
/// Steps that lead to one place only are kept together, as the way to it: so the memory follows the
/// number of values, and not the length of their paths.
final class PathTrie<Value> {
    private struct Way {
        /// At least one step.
        var steps: ArraySlice<String>
        var end: PathTrie
    }

    private var value: Value?
    /// By their first steps; behind each is a value.
    private var ways: [ExactString: Way] = [:]

    var isEmpty: Bool { value == nil && ways.isEmpty }

    /// Changes what is at a path.
    func update(_ path: JSONPointer, _ change: (inout Value?) -> Void) {
        update(path.tokens[...], change)
    }

    private func update(_ path: ArraySlice<String>, _ change: (inout Value?) -> Void) {
        guard let first = path.first.map({ ExactString($0) }) else { return change(&value) }
        let way = self.way(toward: path, from: first)
        way.end.update(path.dropFirst(way.steps.count), change)
        guard way.end.value == nil, way.end.ways.count < 2 else { return }
        // An end without a value is there for the ways that part in it.
        ways[first] = way.end.ways.values.first.map {
            Way(steps: way.steps + $0.steps, end: $0.end)
        }
    }

    /// The first on the way along a path, its end included.
    func first(along path: JSONPointer) -> Value? {
        var found: Value?
        follow(path) { value in
            if found == nil { found = value }
        }
        return found
    }

    /// Whether something is on the way along a path, at its end, or below that.
    func hasSome(along path: JSONPointer) -> Bool {
        var isOnTheWay = false
        let below = follow(path) { _ in isOnTheWay = true }
        return isOnTheWay || below?.ways.isEmpty == false
    }

    /// Puts what `make` makes of all that is below a path, in no order, in place of that.
    func cover(_ path: JSONPointer, _ make: ([Value]) -> Value) {
        var node = self
        var rest = path.tokens[...]
        while let first = rest.first {
            let way = node.way(toward: rest, from: ExactString(first))
            rest = rest.dropFirst(way.steps.count)
            node = way.end
        }
        var below: [Value] = []
        if !node.ways.isEmpty { node.forEachBelow { below.append($0) } }
        node.ways = [:]
        node.value = make(below)
    }

    /// Calls `visit` for what is on the way along the path, its end included, from the outside in;
    /// returns what is below, if anything can be.
    @discardableResult
    func follow(_ path: JSONPointer, _ visit: (Value) -> Void) -> PathTrie? {
        var node = self
        var rest = path.tokens[...]
        if let value { visit(value) }
        while let first = rest.first {
            guard let way = node.ways[ExactString(first)] else { return nil }
            let shared = Self.shared(way.steps, rest)
            if shared < way.steps.count {
                guard shared == rest.count else { return nil }
                let below = PathTrie()
                below.ways[ExactString(way.steps[way.steps.startIndex + shared])] =
                    Way(steps: way.steps.dropFirst(shared), end: way.end)
                return below
            }
            rest = rest.dropFirst(shared)
            node = way.end
            if let value = node.value { visit(value) }
        }
        return node
    }

    /// Calls `visit` for what is below this, in no order.
    func forEachBelow(_ visit: (Value) -> Void) {
        for way in ways.values {
            if let value = way.end.value { visit(value) }
            way.end.forEachBelow(visit)
        }
    }

    /// The way that begins as `path`, which has a step, and leads no further than it; made if there
    /// is none.
    private func way(toward path: ArraySlice<String>, from first: ExactString) -> Way {
        guard let known = ways[first] else {
            let new = Way(steps: path, end: PathTrie())
            ways[first] = new
            return new
        }
        let shared = Self.shared(known.steps, path)
        guard shared < known.steps.count else { return known }
        let parting = PathTrie()
        let rest = known.steps.dropFirst(shared)
        parting.ways[ExactString(known.steps[rest.startIndex])] = Way(steps: rest, end: known.end)
        let way = Way(steps: known.steps.prefix(shared), end: parting)
        ways[first] = way
        return way
    }

    /// How many steps two ways have in common from their beginnings.
    private static func shared(_ left: ArraySlice<String>, _ right: ArraySlice<String>) -> Int {
        zip(left, right).prefix { $0.isSameText(as: $1) }.count
    }
}
