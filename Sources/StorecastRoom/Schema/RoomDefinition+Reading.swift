import StorecastWire

extension RoomDefinition {
    /// The action that a journal kept, written with schema `schema`; nil if its type is retired.
    ///
    /// Throws a ``Rejection`` if the room has no such type or can't read the payload, and what an
    /// upcaster throws.
    func action(
        _ recorded: JournalRecord.RecordedAction, of schema: Int
    ) throws -> (any SyncAction)? {
        if recorded.type == RevertTo<State>.wireName, restore != nil {
            return try revert(recorded, of: schema)
        }
        guard let current = try self.schema.current(recorded, of: schema) else { return nil }
        return try actions.action(current)
    }

    /// A revert, whose state is brought up to date as that of a snapshot is.
    private func revert(
        _ recorded: JournalRecord.RecordedAction, of schema: Int
    ) throws -> RevertTo<State> {
        let payload = try JSONDocument(recorded.payload, limits: .trusted).root
        var revert = RevertTo<State>(version: payload["version"]?.uint64 ?? 0)
        revert.state = try payload["state"].map { try state(from: $0, schema: schema) }
        return revert
    }
}
