import Synchronization

/// Counts the connections of the whole process, so that a number in a log says which one.
enum ConnectionIdentifier {
    private static let last = Atomic<UInt64>(0)

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
