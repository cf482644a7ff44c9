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
