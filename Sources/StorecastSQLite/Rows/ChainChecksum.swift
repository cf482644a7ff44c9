import GRDB
import StorecastSync

/// The checksum that chains a room's entries.
///
/// FNV-1a finds damage, not forgery: a cryptographic hash would find no more by accident, and takes
/// many times as long; who can write to the file could compute that as well.
typealias ChainChecksum = FNV1a

extension ChainChecksum {
    /// The beginning of the chain of a room.
    init(room: String) {
        self.init()
        add(room)
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
