import GRDB

/// An entry's place in a room's chain.
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
