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
