public import ArgumentParser
public import StorecastRoom

/// The commands of `storecast` that need to know what rooms are made of, for a program's own rooms:
/// `journal` and `types`.
///
/// ```swift
/// import Counter
/// import StorecastTools
///
/// await RoomTools.main { path in path == "/" ? Counter.serverRoom : nil }
/// ```
public struct RoomTools: AsyncParsableCommand {
    /// How the commands present themselves.
    public static let configuration = CommandConfiguration(
        commandName: CommandLine.arguments.first?.split(separator: "/").last.map(String.init),
        abstract: "Look into journals of rooms, keep them in order, and write the rooms' types.",
        subcommands: [JournalCommand.self, TypesCommand.self])

    /// What ArgumentParser makes before it reads arguments.
    public init() {}

    /// Runs the command that the program's arguments name, and ends the program if it fails.
    ///
    /// - Parameters:
    ///   - limits: those of the server that writes the journal.
    ///   - rooms: the room at a path, as the server has it, with its `validate`s: without them what
    ///     they refused counts as accepted, and the states are wrong. Nil if there is none.
    public static func main(
        limits: SyncLimits = SyncLimits(),
        rooms: @escaping @Sendable (_ path: String) -> (any RoomDefinitionProtocol)?
    ) async {
        let known = KnownRooms(limits: limits) { room, _ in rooms(room) }
        await KnownRooms.$current.withValue(known) { await CommandRun.run(RoomTools.self) }
    }
}

/// `journal`: a journal's file, read and put in order, also beside a live server.
package struct JournalCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Read a journal's file, and keep it in order.",
        subcommands: [
            JournalRoomsCommand.self, JournalLogCommand.self, JournalShowCommand.self,
            JournalStateCommand.self, JournalDiffCommand.self, JournalExportCommand.self,
            JournalVerifyCommand.self, JournalReplayCommand.self,
            JournalBackupCommand.self, JournalReplicateCommand.self, JournalRestoreCommand.self,
            JournalRepairCommand.self, JournalSkipCommand.self, JournalImportCommand.self,
            JournalForkCommand.self,
        ])

    package init() {}
}
