public import StorecastWire

extension RoomDefinition {
    /// Says that state and actions have schema `version`; 1 if nothing says more.
    ///
    /// Entries and snapshots in the journal carry the version that they were written with. A server
    /// doesn't open a room that was written with a later one. An upcaster from version n implies
    /// n + 1, so this is needed only when the schema changed in a way that needs none.
    public func schema(_ version: Int) -> Self {
        var room = self
        room.schema.raise(to: version)
        return room
    }

    /// Says how actions called `name` on the wire, written with schema `version`, look in the next.
    ///
    /// ```swift
    /// Board.room
    ///     .upcast("Add", from: 1) { action in
    ///         action.type = "AddCard"
    ///         action.payload["column"] = "todo"
    ///     }
    /// ```
    /// Runs when a journal is read, once for each version in between, under the name that the
    /// action then has; actions without an upcaster pass unchanged. It must be deterministic. What
    /// it throws stops the room's recovery. Two for one name and version are a programming error.
    public func upcast(
        _ name: String, from version: Int,
        _ change: @escaping @Sendable (inout ArchivedAction) throws -> Void
    ) -> Self {
        var room = self
        room.schema.add(change, for: name, of: version)
        return room
    }

    /// Says how the state of a snapshot, written with schema `version`, looks in the next.
    ///
    /// A snapshot whose state can't be read even so is passed over, and more of the log is read
    /// instead. Two for one version are a programming error.
    public func upcastState(
        from version: Int, _ change: @escaping @Sendable (inout JSON) throws -> Void
    ) -> Self {
        var room = self
        room.schema.add(change, forStateOf: version)
        return room
    }

    /// Says that the application has no actions called `name` any more: those in the journal count
    /// as dispatches that reduce nothing, and new ones are rejected by name.
    public func retire(_ name: String) -> Self {
        var room = self
        room.schema.retired.insert(ExactString(name))
        return room
    }
}
