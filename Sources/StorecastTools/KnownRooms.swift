package import StorecastSQLite
package import StorecastRoom

/// The rooms that a program with these commands knows the definitions of.
///
/// One value for all, and a type of its own: with a function by itself as the task-local value the
/// release build crashed in `swift_task_localValuePush` (Swift 6.3; why isn't known).
package struct KnownRooms: Sendable {
    /// A room's definition; nil if it isn't known. The file is the one that has the room's journal,
    /// if there is one. May throw a ``CommandFailure`` that says more.
    package typealias Definition =
        @Sendable (_ room: String, _ file: JournalFile?) throws -> (any RoomDefinitionProtocol)?

    /// Those of the server that wrote the file: how many clients it remembers may decide whether an
    /// action counted.
    package let limits: SyncLimits
    package let definition: Definition

    package init(limits: SyncLimits = SyncLimits(), definition: @escaping Definition) {
        self.limits = limits
        self.definition = definition
    }

    @TaskLocal package static var current = KnownRooms { _, _ in nil }
}
