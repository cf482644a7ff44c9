/// What an `Encodable` value wrote, before it becomes text or a tree.
///
/// A list of values with links to children and siblings: a type may open containers, nested ones
/// and super encoders, and write to them in any order, which a plain writer couldn't follow.
final class JSONEncoding {
    /// What a node is.
    enum Shape: UInt8 {
        case nothing, value, array, object
    }

    /// One value, and its name if it is a member.
    struct Node {
        var key: String
        var value = JSON.null
        var shape = Shape.nothing
        /// Whether a container was asked for twice, so that a name may have been written twice.
        var isShared = false
        var parent: Int32
        /// How many arrays and objects it is in.
        var depth: Int32 = 0
        var next: Int32 = -1
        var first: Int32 = -1
        var last: Int32 = -1
        var count: Int32 = 0
    }

    /// Unchecked: every access is a single statement that calls no code outside this module, so
    /// none can overlap; the checks cost a fifth of the time of encoding.
    @exclusivity(unchecked) private(set) var nodes: [Node] = []
    /// Whether something is nested deeper than a reader takes.
    private var isTooDeep = false

    private init() {
        nodes.reserveCapacity(16)
        nodes.append(Node(key: "", parent: -1))
    }

    static func encode<T: Encodable>(_ value: T) throws -> JSONEncoding {
        let encoding = JSONEncoding()
        try JSONNodeEncoder(encoding, 0).put(value)
        try encoding.checkDepth()
        return encoding
    }

    /// What the type's own `encode(to:)` makes of a value.
    static func encodeOwn<T: Encodable>(_ value: T) throws -> JSON {
        let encoding = JSONEncoding()
        try value.encode(to: JSONNodeEncoder(encoding, 0))
        return encoding.tree
    }

    /// Throws if something was nested too deep. Asked before each level, as whatever goes through a
    /// value recursively must fit the stack.
    @inline(__always)
    func checkDepth() throws {
        if isTooDeep { throw Self.depthError }
    }

    static var depthError: EncodingError {
        let limit = JSONLimits.deepestValue
        return .invalidValue(
            limit,
            EncodingError.Context(
                codingPath: [], debugDescription: "arrays and objects nested over \(limit) levels"))
    }

    /// Adds a child to a container.
    func add(_ key: String, _ value: JSON, _ shape: Shape, to parent: Int) {
        let index = Int32(nodes.count)
        let depth = nodes[parent].depth + 1
        nodes.append(
            Node(key: key, value: value, shape: shape, parent: Int32(parent), depth: depth))
        measure(value, at: Int(depth))
        nodes.withUnsafeMutableBufferPointer { nodes in
            let last = Int(nodes[parent].last)
            if last < 0 { nodes[parent].first = index } else { nodes[last].next = index }
            nodes[parent].last = index
            nodes[parent].count += 1
        }
    }

    /// Adds a child without a value yet, and returns its index.
    func add(_ key: String, to parent: Int) -> Int {
        add(key, .null, .nothing, to: parent)
        return nodes.count - 1
    }

    /// Gives a node its value; a later one counts.
    func set(_ index: Int, _ value: JSON) {
        nodes[index].value = value
        nodes[index].shape = .value
        measure(value, at: Int(nodes[index].depth))
    }

    @inline(__always)
    private func measure(_ value: JSON, at depth: Int) {
        if !value.isScalar, value.isNested(deeperThan: JSONLimits.deepestValue - depth) {
            isTooDeep = true
        }
    }

    /// Makes a node an array or object, which it may be already.
    func open(_ index: Int, _ shape: Shape) {
        precondition(
            nodes[index].shape == .nothing || nodes[index].shape == shape,
            "a value can't be encoded as two different things")
        nodes[index].isShared = nodes[index].shape == shape
        nodes[index].shape = shape
        if nodes[index].depth >= JSONLimits.deepestValue { isTooDeep = true }
    }

    func path(_ index: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var at = index
        while nodes[at].parent >= 0 {
            let parent = Int(nodes[at].parent)
            path.append(
                nodes[parent].shape == .array
                    ? JSONCodingKey(intValue: position(of: at, in: parent))
                    : JSONCodingKey(nodes[at].key))
            at = parent
        }
        return path.reversed()
    }

    private func position(of child: Int, in parent: Int) -> Int {
        var position = 0
        var at = Int(nodes[parent].first)
        while at >= 0, at != child {
            position += 1
            at = Int(nodes[at].next)
        }
        return position
    }
}

extension JSONEncoding {
    /// Writes the value as text.
    func write(to writer: inout JSONWriter) { write(0, to: &writer) }

    /// The value as a tree.
    var tree: JSON { tree(0) }

    private func write(_ index: Int, to writer: inout JSONWriter) {
        switch nodes[index].shape {
        case .nothing:
            // A type that encodes nothing at all is an object without members.
            writer.beginObject()
            writer.endObject()
        case .value:
            writer.write(nodes[index].value)
        case .array:
            writer.beginArray()
            var child = Int(nodes[index].first)
            while child >= 0 {
                write(child, to: &writer)
                child = Int(nodes[child].next)
            }
            writer.endArray()
        case .object where nodes[index].isShared:
            writer.write(tree(index))
        case .object:
            writer.beginObject()
            var child = Int(nodes[index].first)
            while child >= 0 {
                writer.write(key: nodes[child].key)
                write(child, to: &writer)
                child = Int(nodes[child].next)
            }
            writer.endObject()
        }
    }

    private func tree(_ index: Int) -> JSON {
        switch nodes[index].shape {
        case .nothing: return .object(JSONObject())
        case .value: return nodes[index].value
        case .array:
            var elements: [JSON] = []
            elements.reserveCapacity(Int(nodes[index].count))
            var child = Int(nodes[index].first)
            while child >= 0 {
                elements.append(tree(child))
                child = Int(nodes[child].next)
            }
            return .array(elements)
        case .object:
            var object = JSONObject(reserving: Int(nodes[index].count))
            var child = Int(nodes[index].first)
            while child >= 0 {
                object[nodes[child].key] = tree(child)
                child = Int(nodes[child].next)
            }
            return .object(object)
        }
    }
}
