extension RoomDefinition {
    /// The action that a journal kept, written with schema `schema`; nil if its type is retired.
    ///
    /// Throws a ``Rejection`` if the room has no such type or can't read the payload, and what an
    /// upcaster throws.
    func action(
        _ recorded: JournalRecord.RecordedAction, of schema: Int
    ) throws -> (any SyncAction)? {
        guard let current = try self.schema.current(recorded, of: schema) else { return nil }
        return try actions.action(current)
    }
}
