/// The members of a JSON object, in the order in which they were added.
///
/// Two objects are equal when they have equal members, in any order. Finding a member takes
/// constant time on average whatever the size, and so does adding or removing one at the end or
/// anywhere else (amortised) while nobody else holds the same storage. Names compare by code
/// points.
public struct JSONObject: Sendable {
    /// A member's name and value.
    public typealias Element = (key: String, value: JSON)

    /// A place for a member; without a value it is a gap that a removal left.
    struct Slot: Sendable {
        let key: String
        var value: JSON?
    }

    /// Below this number of slots looking at every name beats hashing one.
    static let smallCount = 12

    private(set) var slots: [Slot] = []
    /// Where each name is; empty as long as there are few slots.
    private var table = JSONObjectTable()

    /// No members.
    public init() {}

    /// The members given, in order; of two with one name the later value counts.
    public init(_ members: some Sequence<(String, JSON)>) {
        slots.reserveCapacity(members.underestimatedCount)
        for (key, value) in members { self[key] = value }
    }

    /// Room for `capacity` members.
    package init(reserving capacity: Int) {
        slots.reserveCapacity(capacity)
    }

    /// The number of members.
    public var count: Int { slots.count - table.gaps }

    /// Whether there are no members.
    public var isEmpty: Bool { count == 0 }

    /// The names, in order. Complexity: linear.
    public var keys: [String] { map(\.key) }

    /// The member called `key`. Setting nil removes it; a new member goes to the end.
    public subscript(key: String) -> JSON? {
        get { slot(of: key).flatMap { slots[$0].value } }
        set {
            guard let newValue else { return _ = removeValue(forKey: key) }
            if let slot = slot(of: key) {
                slots[slot].value = newValue
            } else {
                append(key, newValue)
            }
        }
    }

    /// Sets a member and returns its former value; nil if it is new.
    @discardableResult
    package mutating func updateValue(_ value: JSON, forKey key: String) -> JSON? {
        guard let slot = slot(of: key) else {
            append(key, value)
            return nil
        }
        defer { slots[slot].value = value }
        return slots[slot].value
    }

    /// Removes a member and returns its value; nil if there was none.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSON? {
        removeMember(key)?.value
    }

    /// Removes a member; `position` is what ``restore(_:_:at:)`` needs.
    mutating func removeMember(_ key: String) -> (value: JSON, position: Int)? {
        guard let slot = slot(of: key), let value = slots[slot].value else { return nil }
        if table.isEmpty {
            slots.remove(at: slot)
            return (value, slot)
        }
        slots[slot].value = nil
        table.gaps += 1
        guard count < slots.count / 2 else { return (value, slot) }
        let position = slots[..<slot].count { $0.value != nil }
        slots.removeAll { $0.value == nil }
        table = slots.count > Self.smallCount ? JSONObjectTable(of: slots) : JSONObjectTable()
        return (value, position)
    }

    /// Puts back, in its place in the order, a member that was removed from this very value.
    mutating func restore(_ key: String, _ value: JSON, at position: Int) {
        if position < slots.count, slots[position].value == nil {
            slots[position].value = value
            table.gaps -= 1
            return
        }
        slots.insert(Slot(key: key, value: value), at: position)
        if slots.count > Self.smallCount { table = JSONObjectTable(of: slots) }
    }

    /// Adds a member that is known to be new.
    package mutating func append(_ key: String, _ value: JSON) {
        slots.append(Slot(key: key, value: value))
        if !table.isEmpty {
            table.insert(slots.count - 1, in: slots)
        } else if slots.count > Self.smallCount {
            table = JSONObjectTable(of: slots)
        }
    }

    /// Changes a member's value in place; nil if there is no such member.
    package mutating func withValue<R, E: Error>(
        forKey key: String, _ change: (inout JSON) throws(E) -> R
    ) throws(E) -> R? {
        guard let slot = slot(of: key), var value = slots[slot].value else { return nil }
        // The slot lets go of its reference, or the change would copy.
        slots[slot].value = .null
        defer { slots[slot].value = value }
        return try change(&value)
    }

    func slot(of key: String) -> Int? {
        if !table.isEmpty { return table.slot(of: key, in: slots) }
        return slots.firstIndex { $0.key.isSameText(as: key) }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members written, in order; of two with one name the later value counts.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self.init(members)
    }
}

extension JSONObject: Sequence {
    /// Goes through the members in order.
    public struct Iterator: IteratorProtocol {
        private var slots: Array<Slot>.Iterator

        init(_ slots: [Slot]) { self.slots = slots.makeIterator() }

        /// The next member; nil at the end.
        public mutating func next() -> Element? {
            while let slot = slots.next() {
                if let value = slot.value { return (slot.key, value) }
            }
            return nil
        }
    }

    /// An iterator at the first member.
    public func makeIterator() -> Iterator { Iterator(slots) }

    /// The number of members.
    public var underestimatedCount: Int { count }
}

extension JSONObject: Hashable {
    /// Whether both have equal members, in any order.
    ///
    /// Complexity: linear on average; constant if both share their storage.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        if left.isSameStorage(as: right) { return true }
        return left.slots.withUnsafeBufferPointer { slots in
            right.slots.withUnsafeBufferPointer { others in
                for index in slots.indices {
                    guard let value = slots[index].value else { continue }
                    // Two versions of one object mostly have their members in the same places.
                    if index < others.count, others[index].key.isSameText(as: slots[index].key),
                        let other = others[index].value
                    {
                        if value != other { return false }
                    } else if right[slots[index].key] != value {
                        return false
                    }
                }
                return true
            }
        }
    }

    /// Feeds `hasher` with what doesn't depend on the order of the members.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        var sum = 0
        for (key, value) in self {
            var member = hasher
            key.hashText(into: &member)
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }

    /// Whether both are copies of one value, unchanged since.
    package func isSameStorage(as other: JSONObject) -> Bool {
        slots.withUnsafeBufferPointer { left in
            other.slots.withUnsafeBufferPointer { right in
                left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
    }
}
