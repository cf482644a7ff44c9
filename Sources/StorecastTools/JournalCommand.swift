public import ArgumentParser
package import StorecastSQLite
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
            JournalRoomsCommand.self, JournalLogCommand.self, JournalShowCommand.self,
            JournalStateCommand.self, JournalDiffCommand.self, JournalExportCommand.self,
            JournalVerifyCommand.self, JournalReplayCommand.self,
            JournalBackupCommand.self, JournalRestoreCommand.self, JournalRepairCommand.self,
            JournalImportCommand.self, JournalForkCommand.self,
        ])

    /// The room at a path, as the server has it; nil if there is none.
    public typealias Rooms = @Sendable (_ path: String) -> (any RoomDefinitionProtocol)?

    /// What reduces a room's entries in a file, for the commands that need states; nil if that isn't
    /// known. May throw a ``CommandFailure`` that says more.
    @TaskLocal package static var definition:
        @Sendable (_ room: String, _ file: JournalFile) throws -> (any RoomDefinitionProtocol)? = {
            _, _ in nil
        }

    /// Those of the server that wrote the file: how many clients it remembers may decide whether an
    /// action counted.
    @TaskLocal package static var limits = SyncLimits()

    /// What ArgumentParser makes before it reads arguments.
    public init() {}

    /// Runs the command that the program's arguments name, and ends the program if it fails.
    ///
    /// - Parameters:
    ///   - limits: those of the server that wrote the file.
    ///   - rooms: the rooms that the journal's file is of.
    public static func main(
        limits: SyncLimits = SyncLimits(), rooms: @escaping Rooms
    ) async {
        await $limits.withValue(limits) {
            await $definition.withValue({ room, _ in rooms(room) }) {
                await CommandRun.run(JournalCommand.self)
            }
        }
    }
}
