/// What identifies the rows of a table: `String`, the integers, types with such a raw value, and
/// types of your own.
///
/// Keys have an order that is the same in every process and on every machine, as tables are walked,
/// encoded and hashed in it; and a text, which is their name in JSON.
///
/// A `UUID` becomes one with these lines:
///
/// ```swift
/// extension UUID: @retroactive TableKey {
///     public static func isOrdered(_ a: UUID, before b: UUID) -> Bool { a < b }
///     public var keyText: String { uuidString }
///     public init?(keyText: String) { self.init(uuidString: keyText) }
/// }
/// ```
public protocol TableKey: Hashable, Sendable {
    /// Whether one key is before another.
    ///
    /// A strict total order. Two keys are one key only if neither is before the other; `==` isn't
    /// asked, as for strings it takes different bytes for equal.
    static func isOrdered(_ a: Self, before b: Self) -> Bool

    /// The name of the key in JSON. Other keys have other texts.
    var keyText: String { get }

    /// The key with a text; nil if no key has it.
    init?(keyText: String)
}

/// The order of a table's keys.
@usableFromInline package enum KeyOrder<Key: TableKey>: TreeOrder {
    @inlinable package static func isOrdered(_ a: Key, before b: Key) -> Bool {
        Key.isOrdered(a, before: b)
    }
}

extension TableKey {
    /// Whether two keys are one.
    @inlinable package static func areSame(_ a: Self, _ b: Self) -> Bool {
        hasSameValue(a, b) { !isOrdered($0, before: $1) && !isOrdered($1, before: $0) }
    }
}
