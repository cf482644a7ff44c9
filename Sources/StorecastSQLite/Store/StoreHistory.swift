import StorecastSync

/// Which history of all its rooms a file has, from its making or its restoring on.
struct StoreHistory: Equatable, Sendable {
    /// Random.
    let seed: UInt64

    /// The epoch of a room that nothing was appended to yet: always the same one, so that the file
    /// needn't know of the room.
    func epoch(of room: String) -> String {
        String(SHA256.hexadecimalDigest(of: "\(seed)/\(room)".utf8).prefix(32))
    }
}
