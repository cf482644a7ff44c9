extension JSON: Hashable {
    /// Whether both are the same JSON value.
    ///
    /// Numbers are equal when their exact values are (`1` and `1.0`, but not 2^53 + 1 and the
    /// double nearest to it); members are equal in any order; strings when their code points
    /// are. Complexity: linear in the smaller value, constant for values that share their storage.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.string(let left), .string(let right)): left.isSameText(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: left.number.map { $0 == right.number } ?? false
        }
    }

    /// Feeds `hasher` so that equal values hash alike.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .int, .uint, .double: hasher.combine(number)
        case .string(let text): text.hashText(into: &hasher)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }

    /// One form for all numbers of equal value.
    private enum Number: Hashable {
        case int(Int64)
        case uint(UInt64)
        case double(Double)
        case notANumber
    }

    private var number: Number? {
        switch self {
        case .int(let value):
            .int(value)
        case .uint(let value):
            Int64(exactly: value).map(Number.int) ?? .uint(value)
        case .double(let value):
            value.wholeInt64.map(Number.int) ?? value.wholeUInt64.map(Number.uint)
                ?? (value.isNaN ? .notANumber : .double(value))
        default: nil
        }
    }
}
