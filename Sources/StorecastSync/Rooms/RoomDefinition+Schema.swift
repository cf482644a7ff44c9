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
    /// A snapshot whose state can't be read even so is passed over, and more of the journal is read
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

/// An action as an earlier version of the application wrote it to the journal.
public struct ArchivedAction: Equatable, Sendable {
    /// Its name on the wire.
    public var type: String
    /// Its members.
    public var payload: JSON

    /// An action by its name and members.
    public init(type: String, payload: JSON) {
        self.type = type
        self.payload = payload
    }
}

/// The version of a room's schema, and how what earlier ones wrote is brought up to it.
package struct RoomSchema: Sendable {
    package typealias ActionUpcaster = @Sendable (inout ArchivedAction) throws -> Void
    package typealias StateUpcaster = @Sendable (inout JSON) throws -> Void

    package private(set) var version = 1
    package private(set) var actions: [Int: [ExactString: ActionUpcaster]] = [:]
    package private(set) var states: [Int: StateUpcaster] = [:]
    /// Names of actions that reduce nothing any more.
    package internal(set) var retired: Set<ExactString> = []

    mutating func raise(to version: Int) {
        precondition(version > 0, "A schema's version is above 0; it is \(version).")
        self.version = max(self.version, version)
    }

    mutating func add(_ upcaster: @escaping ActionUpcaster, for action: String, of version: Int) {
        raise(to: version + 1)
        let known = actions[version, default: [:]].updateValue(
            upcaster, forKey: ExactString(action))
        precondition(known == nil, "'\(action)' of schema \(version) has two upcasters.")
    }

    mutating func add(_ upcaster: @escaping StateUpcaster, forStateOf version: Int) {
        raise(to: version + 1)
        let known = states.updateValue(upcaster, forKey: version)
        precondition(known == nil, "The state of schema \(version) has two upcasters.")
    }
}
