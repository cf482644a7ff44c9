/// The cases of an enumeration without associated values, whether or not it is `CaseIterable`.
///
/// Their number is read from the type's metadata, whose layout is fixed by Swift's ABI (its
/// "Type Metadata" document, nominal type descriptors); cases are numbered from 0 in the order of
/// their declaration.
enum EnumerationCases {
    /// Every case; nil if `type` isn't such an enumeration, or has more than 256 cases.
    static func all<T>(of type: T.Type) -> [T]? {
        guard MemoryLayout<T>.size <= 1, let count = count(of: type), count > 0 else { return nil }
        guard MemoryLayout<T>.size == 1 else {
            // A single case needs no bits.
            return count == 1 ? [value(0, as: type)] : nil
        }
        return (0..<min(count, 256)).map { value(UInt8($0), as: type) }
    }

    private static func value<T>(_ tag: UInt8, as type: T.Type) -> T {
        withUnsafeBytes(of: tag) { $0.loadUnaligned(as: type) }
    }

    private static func count(of type: Any.Type) -> Int? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        // An enumeration is of the kind 0x201.
        guard metadata.load(as: UInt.self) == 0x201 else { return nil }
        let word = MemoryLayout<UInt>.size
        let descriptor = metadata.load(fromByteOffset: word, as: UnsafeRawPointer.self)
        let withPayload = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
        let without = descriptor.load(fromByteOffset: 24, as: UInt32.self)
        return withPayload == 0 ? Int(without) : nil
    }
}
