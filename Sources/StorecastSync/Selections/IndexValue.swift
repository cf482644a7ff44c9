import StorecastWire

/// What rows can be selected and sorted by: numbers, strings, booleans, enumerations of these, and
/// optionals of all.
///
/// An enumeration takes part by its raw values: `enum Column: String, Codable, Indexable`. Of a
/// date use the number: `\.due.timeIntervalSinceReferenceDate`.
public protocol Indexable: Sendable {
    /// The value as it is compared.
    var indexValue: IndexValue { get }
}

/// A value as rows are compared by it: the same order in every process and on every machine.
///
/// Nothing is before everything, `false` before `true`, then numbers by their value (what isn't a
/// number before all), then strings by the bytes of their UTF-8.
public enum IndexValue: Sendable {
    /// Of an optional without a value.
    case none
    /// Of a `Bool`.
    case bool(Bool)
    /// Of an integer.
    case int(Int64)
    /// Of an integer above `Int64.max`.
    case uint(UInt64)
    /// Of a number with a fraction.
    case double(Double)
    /// Of a string.
    case string(String)
}

extension IndexValue: Comparable, Hashable {
    /// Whether both are at the same place of the order: numbers by value, strings by bytes.
    public static func == (left: Self, right: Self) -> Bool { left.order(against: right) == 0 }

    /// Whether one is before the other.
    public static func < (left: Self, right: Self) -> Bool { left.order(against: right) < 0 }

    /// Feeds `hasher` with what the order goes by.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(Double(value))
        case .uint(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value.isNaN ? -.infinity : value)
        case .string(let value): value.hashText(into: &hasher)
        }
    }

    /// Negative if this is before `other`, positive if it is behind, else 0.
    package func order(against other: Self) -> Int {
        switch (self, other) {
        case (.string(let left), .string(let right)): return left.orderOfText(against: right)
        case (.int(let left), .int(let right)): return Self.order(left, right)
        case (.bool(let left), .bool(let right)): return Self.order(left ? 1 : 0, right ? 1 : 0)
        default: break
        }
        guard rank == 2, other.rank == 2 else { return Self.order(rank, other.rank) }
        return orderOfNumbers(other)
    }

    private var rank: Int {
        switch self {
        case .none: 0
        case .bool: 1
        case .int, .uint, .double: 2
        case .string: 3
        }
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    /// Exactly: an integer isn't rounded to be compared with a fraction.
    private func orderOfNumbers(_ other: Self) -> Int {
        switch (self, other) {
        case (.double(let left), .double(let right)):
            if left.isNaN || right.isNaN {
                return Self.order(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1)
            }
            return Self.order(left, right)
        case (.double(let fraction), _): return -other.order(toFraction: fraction)
        case (_, .double(let fraction)): return order(toFraction: fraction)
        default: return Self.order(wholeNumber, other.wholeNumber)
        }
    }

    /// The integer; 0 for anything else.
    package var wholeNumber: Int128 {
        switch self {
        case .int(let value): Int128(value)
        case .uint(let value): Int128(value)
        default: 0
        }
    }

    private func order(toFraction fraction: Double) -> Int {
        if fraction.isNaN { return 1 }
        // Beyond all integers of 64 bits.
        if fraction.magnitude >= 0x1p65 { return fraction > 0 ? -1 : 1 }
        let below = fraction.rounded(.down)
        let order = Self.order(wholeNumber, Int128(below))
        return order == 0 && below < fraction ? -1 : order
    }
}

extension String {
    /// Negative if the UTF-8 bytes of this are before those of `other`, positive if behind, else 0.
    package func orderOfText(against other: String) -> Int {
        if isSameText(as: other) { return 0 }
        return String.isOrdered(self, before: other) ? -1 : 1
    }
}

extension String: Indexable {
    /// The string itself.
    public var indexValue: IndexValue { .string(self) }
}

extension Bool: Indexable {
    /// The boolean itself.
    public var indexValue: IndexValue { .bool(self) }
}

extension Indexable where Self: BinaryInteger {
    /// The integer itself.
    public var indexValue: IndexValue {
        Int64(exactly: self).map(IndexValue.int) ?? .uint(UInt64(clamping: self))
    }
}

extension Int: Indexable {}
extension Int8: Indexable {}
extension Int16: Indexable {}
extension Int32: Indexable {}
extension Int64: Indexable {}
extension UInt: Indexable {}
extension UInt8: Indexable {}
extension UInt16: Indexable {}
extension UInt32: Indexable {}
extension UInt64: Indexable {}

extension Double: Indexable {
    /// The number itself.
    public var indexValue: IndexValue { .double(self) }
}

extension Float: Indexable {
    /// The number itself.
    public var indexValue: IndexValue { .double(Double(self)) }
}

extension Optional: Indexable where Wrapped: Indexable {
    /// That of the value, or nothing.
    public var indexValue: IndexValue { self?.indexValue ?? .none }
}

extension Timestamp: Indexable {
    /// The seconds.
    public var indexValue: IndexValue { .double(secondsSince1970) }
}

extension RawRepresentable where Self: Indexable, RawValue: Indexable {
    /// That of the raw value.
    public var indexValue: IndexValue { rawValue.indexValue }
}

extension IndexValue: Codable {
    /// Reads null, a boolean, a number or a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .none
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .uint(value)
        } else if let value = try? container.decode(String.self) {
            // Numbers that JSON has no text for are words; a string that is one stays a string only
            // where strings are compared.
            self = .string(value)
        } else {
            self = .double(try container.decode(Double.self))
        }
    }

    /// Writes null, a boolean, a number or a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .none: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        }
    }
}
