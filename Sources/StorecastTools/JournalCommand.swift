public import ArgumentParser
public import StorecastSync

/// `storecast journal`: a journal's file, read and put in order, also beside a live server.
///
/// A program with rooms of its own has the same commands for them:
///
/// ```swift
/// @main
/// struct Tool {
///     static func main() async {
///         await JournalCommand.main { path in path == "/" ? Counter.room : nil }
///     }
/// }
/// ```
public struct JournalCommand: AsyncParsableCommand {
    /// How the commands present themselves.
    public static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Read a journal's file, and keep it in order.",
        subcommands: [
            JournalRoomsCommand.self,
            JournalBackupCommand.self, JournalRestoreCommand.self, JournalRepairCommand.self,
            JournalImportCommand.self,
        ])

    /// The room at a path, as the server has it; nil if there is none.
    public typealias Rooms = @Sendable (_ path: String) -> (any RoomDefinitionProtocol)?

    /// What reduces the journal's entries, for the commands that need states.
    @TaskLocal package static var rooms: Rooms = { _ in nil }

    /// What ArgumentParser makes before it reads arguments.
    public init() {}

    /// Runs the command that the program's arguments name, and ends the program if it fails.
    ///
    /// - Parameter rooms: the rooms that the journal's file is of.
    public static func main(rooms: @escaping Rooms) async {
        await $rooms.withValue(rooms) { await CommandRun.run(JournalCommand.self) }
    }
}
