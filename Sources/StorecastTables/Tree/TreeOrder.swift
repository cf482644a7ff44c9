/// The order of a tree's keys, given by a type, so that the compiler specialises the tree for it.
///
/// A type of keys can be its own order, with `typealias Key = Self`.
@usableFromInline package protocol TreeOrder {
    associatedtype Key

    /// A strict total order. Two keys are one key only if neither is before the other.
    static func isOrdered(_ a: Key, before b: Key) -> Bool

    /// A node is divided when it has this number of entries or children; 8 to 255.
    static var capacity: Int { get }
}

extension TreeOrder {
    /// Measured: smaller nodes copy less per change, larger ones take less memory and are walked
    /// faster.
    @inlinable package static var capacity: Int { 32 }
}
