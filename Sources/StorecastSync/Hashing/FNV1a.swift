/// The 64-bit FNV-1a hash (draft-eastlake-fnv): quick, and the same in every process and version,
/// unlike `Hasher`.
///
/// It tells things apart and finds damage: each step maps different states to different states, so
/// that any single byte that changed is always noticed, and anything else but once in 2^64 times.
/// It keeps nobody from making two texts with one hash: for that there is ``SHA256``.
package struct FNV1a: Equatable, Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// The hash of a text's UTF-8.
    package init(of text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var hash = value
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        value = hash
    }

    /// Adds eight bytes, the lowest first.
    package mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    /// Adds the length and the bytes, so that no two lists of texts are alike.
    package mutating func add(_ text: [UInt8]?) {
        guard let text else { return add(UInt64.max) }
        add(UInt64(text.count))
        text.withUnsafeBytes { add($0) }
    }

    /// Adds the length and the bytes of the UTF-8 text.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            add(UInt64(utf8.count))
            add(UnsafeRawBufferPointer(utf8))
        }
    }
}
