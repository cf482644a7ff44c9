import StorecastSync

/// Which history of all its rooms a file has, from its making or its restoring on.
struct StoreHistory: Equatable, Sendable {
    /// Random.
    let seed: UInt64

    /// The epoch of a room that nothing was appended to yet: always the same one, so that the file
    /// needn't know of the room.
    func epoch(of room: String) -> String {
        var hash = MixingHash(seed: seed)
        for byte in room.utf8 { hash.mix(UInt64(byte)) }
        var random = SeededGenerator(seed: hash.finish())
        return randomID(using: &random)
    }
}
