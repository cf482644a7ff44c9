/// What an `Encodable` value wrote, before it becomes text or a tree.
///
/// A list of values with links to children and siblings: a type may open containers, nested ones
/// and super encoders, and write to them in any order, which a plain writer couldn't follow.
final class JSONEncoding {
    /// What a node is; `kept`: a value that hasn't been encoded yet.
    enum Shape: UInt8 {
        case nothing, value, array, object, kept
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
        /// The first child, or which of the values kept this is.
        var first: Int32 = -1
        var last: Int32 = -1
        var count: Int32 = 0
    }

    /// Unchecked: every access is a single statement that calls no code outside this module, so
    /// none can overlap; the checks cost a fifth of the time of encoding.
    @exclusivity(unchecked) private(set) var nodes: [Node] = []
    /// Whether something is nested deeper than a reader takes.
    private var isTooDeep = false
    /// Whether values inside the value are kept as they are, to be encoded when somebody needs it.
    let isShallow: Bool
    private(set) var keptValues: [any Encodable] = []
    /// Whether several values were written as one in a way that only encoding them can tell.
    private(set) var isMixed = false
    /// Whether text is counted, as there is ``room`` for so many bytes more.
    private let isLimited: Bool
    private var room: Int

    private init(isShallow: Bool = false, room: Int? = nil) {
        self.isShallow = isShallow
        isLimited = room != nil
        self.room = room ?? 0
        nodes.reserveCapacity(16)
        nodes.append(Node(key: "", parent: -1))
    }

    static func encode<T: Encodable>(_ value: T) throws -> JSONEncoding {
        let encoding = JSONEncoding()
        try JSONNodeEncoder(encoding, 0).put(value)
        try encoding.checkLimits()
        return encoding
    }

    /// The tree of a value; nil if its text has `limit` bytes or more, which is found out without
    /// encoding much more than these.
    static func encode<T: Encodable>(_ value: T, below limit: Int) throws -> JSON? {
        let encoding = JSONEncoding(room: limit)
        do {
            try JSONNodeEncoder(encoding, 0).put(value)
        } catch {
            if encoding.isTooLarge { return nil }
            throw error
        }
        if encoding.isTooLarge { return nil }
        try encoding.checkLimits()
        let tree = encoding.tree
        return tree.encodedSize(upTo: limit) < limit ? tree : nil
    }

    /// One level of a value: what its own `encode(to:)` writes, with the values in it kept as they
    /// are. Containers that it opens inside its own belong to this level.
    static func encodeLevel<T: Encodable>(of value: T) throws -> JSONEncoding {
        let encoding = JSONEncoding(isShallow: true)
        try value.encode(to: JSONNodeEncoder(encoding, 0))
        try encoding.checkLimits()
        return encoding
    }

    /// What the type's own `encode(to:)` makes of a value.
    static func encodeOwn<T: Encodable>(_ value: T) throws -> JSON {
        let encoding = JSONEncoding()
        try value.encode(to: JSONNodeEncoder(encoding, 0))
        return encoding.tree
    }

    /// Throws if something was nested too deep, or there is no more room. Asked before each level,
    /// as whatever goes through a value recursively must fit the stack.
    @inline(__always)
    func checkLimits() throws {
        if isTooDeep { throw Self.depthError }
        if isLimited, isTooLarge { throw NoRoom() }
    }

    /// Ends an encoding whose result isn't wanted any more.
    private struct NoRoom: Error {}

    private var isTooLarge: Bool { room <= 0 }

    /// Counts so many bytes, and those of a value that is known.
    @inline(never)
    private func count(_ bytes: Int, _ value: JSON?) {
        room -= bytes
        if room > 0, let value { room -= value.encodedSize(upTo: room) }
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
        if isLimited { count(key.utf8.count + 1, shape == .value ? value : nil) }
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
        if isLimited { count(0, value) }
    }

    @inline(__always)
    private func measure(_ value: JSON, at depth: Int) {
        if !value.isScalar, value.isNested(deeperThan: JSONLimits.deepestValue - depth) {
            isTooDeep = true
        }
    }

    /// Makes a node an array or object, which it may be already.
    func open(_ index: Int, _ shape: Shape) {
        if nodes[index].shape == .kept {
            isMixed = true
            nodes[index].shape = .nothing
            nodes[index].first = -1
        }
        precondition(
            nodes[index].shape == .nothing || nodes[index].shape == shape,
            "a value can't be encoded as two different things")
        nodes[index].isShared = nodes[index].shape == shape
        nodes[index].shape = shape
        if nodes[index].depth >= JSONLimits.deepestValue { isTooDeep = true }
    }

    /// Keeps a value for a node, unless it has one already.
    func keep(_ value: any Encodable, at index: Int) {
        guard nodes[index].shape == .nothing else { return isMixed = true }
        nodes[index].shape = .kept
        nodes[index].first = Int32(keptValues.count)
        keptValues.append(value)
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
        case .nothing, .kept:
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
        case .nothing, .kept: return .object(JSONObject())
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

/// One level of a value.
extension JSONEncoding {
    /// The children of a node, in order.
    func children(of index: Int) -> [Int] {
        var children: [Int] = []
        children.reserveCapacity(Int(nodes[index].count))
        guard nodes[index].shape == .array || nodes[index].shape == .object else { return [] }
        var child = Int(nodes[index].first)
        while child >= 0 {
            children.append(child)
            child = Int(nodes[child].next)
        }
        return children
    }

    /// The members of a node by name, as the numbers of their nodes. Of two with one name the later
    /// counts, as in a tree.
    func members(of index: Int) -> JSONObject {
        var members = JSONObject(reserving: Int(nodes[index].count))
        for child in children(of: index) { members[nodes[child].key] = .int(Int64(child)) }
        return members
    }

    /// The value that is kept for a node.
    func kept(_ index: Int) -> any Encodable { keptValues[Int(nodes[index].first)] }

    /// The tree of a node, for which what is kept in it is encoded now; nil if its text has `limit`
    /// bytes or more.
    func whole(_ index: Int, below limit: Int) throws -> JSON? {
        let least = leastSize(of: index)
        var room: Int? = limit - least
        guard least < limit, try encodeKept(in: index, &room) else { return nil }
        let tree = tree(index)
        return tree.encodedSize(upTo: limit) < limit ? tree : nil
    }

    /// The tree of a node, for which what is kept in it is encoded now.
    func whole(_ index: Int) throws -> JSON {
        var room: Int?
        _ = try encodeKept(in: index, &room)
        return tree(index)
    }

    private func encodeKept(in index: Int, _ room: inout Int?) throws -> Bool {
        guard nodes[index].shape == .kept else {
            return try children(of: index).allSatisfy { try encodeKept(in: $0, &room) }
        }
        let value = kept(index)
        guard let limit = room else {
            set(index, try JSONCoding.encodeTree(value))
            return true
        }
        // One byte of it is counted already.
        guard let json = try Self.encode(value, below: limit + 1) else { return false }
        room = limit + 1 - json.encodedSize
        set(index, json)
        return true
    }

    /// A number of bytes that the text of a node has at least.
    private func leastSize(of index: Int) -> Int {
        let children = children(of: index)
        switch nodes[index].shape {
        case .nothing: return 2
        case .value: return nodes[index].value.encodedSize
        case .kept:
            // In base 64, which is not to be made for nothing.
            let value = kept(index)
            let isData = FoundationType(type(of: value)) == .data
            return isData ? (value as? any Collection<UInt8>)?.count ?? 1 : 1
        case .array:
            return children.reduce(max(children.count, 1) + 1) { $0 + leastSize(of: $1) }
        case .object:
            return children.reduce(max(children.count, 1) + 1) {
                $0 + nodes[$1].key.utf8.count + 3 + leastSize(of: $1)
            }
        }
    }
}
