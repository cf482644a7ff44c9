import GRDB

/// The 64-bit FNV-1a hash (draft-eastlake-fnv) that chains a room's entries.
///
/// It finds damage, not forgery: each step maps different states to different states, so that any
/// single byte that changed is always noticed, and anything else but once in 2^64 times. A
/// cryptographic hash would find no more by accident, and takes many times as long; who can write
/// to the file could compute that as well.
struct ChainChecksum: Equatable, Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The beginning of the chain of a room.
    init(room: String) {
        add(room)
    }

    init() {}

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var hash = value
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        value = hash
    }

    /// Adds eight bytes, the lowest first.
    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    /// Adds the length and the bytes, so that no two lists of texts are alike.
    mutating func add(_ text: [UInt8]?) {
        guard let text else { return add(UInt64.max) }
        add(UInt64(text.count))
        text.withUnsafeBytes { add($0) }
    }

    /// Adds the length and the bytes of the UTF-8 text.
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            add(UInt64(utf8.count))
            add(UnsafeRawBufferPointer(utf8))
        }
    }
}

/// The position of an entry in a room's chain.
struct LogPlace: Equatable, Sendable {
    var offset: UInt64
    var checksum: UInt64

    init(offset: UInt64, checksum: UInt64) {
        self.offset = offset
        self.checksum = checksum
    }

    /// From a row with these two columns.
    init(_ row: Row) {
        offset = UInt64(bitPattern: row["offset"])
        checksum = UInt64(bitPattern: row["checksum"])
    }

    /// Before the first entry of a room.
    static func beginning(of room: String) -> LogPlace {
        LogPlace(offset: 0, checksum: ChainChecksum(room: room).value)
    }
}
