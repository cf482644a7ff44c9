import StorecastWire

extension RoomReplay {
    /// Whether the snapshot holds what the replay has come to: the same version and state.
    ///
    /// Throws an error that describes itself if the snapshot isn't good.
    package func agrees(with kept: JournalSnapshot) throws -> Bool {
        let snapshot = try log.snapshot(from: kept)
        return try snapshot.version == version && Self.isSame(snapshot.state, state)
    }

    /// Whether two states are the same: their canonical texts, or else, as sets have no order in
    /// which they are written, the states themselves if they can be compared.
    static func isSame(_ left: State, _ right: State) throws -> Bool {
        if let left = left as? any Equatable, left.isEqual(to: right) { return true }
        let texts = try (JSONCoding.encodeTree(left), JSONCoding.encodeTree(right))
        return texts.0 == texts.1
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool {
        (other as? Self).map { $0 == self } ?? false
    }
}
