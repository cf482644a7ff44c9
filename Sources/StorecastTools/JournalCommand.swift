package import ArgumentParser
package import StorecastSQLite
package import StorecastSync

/// `journal`: a journal's file, read and put in order, also beside a live server.
package struct JournalCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Read a journal's file, and keep it in order.",
        subcommands: [
            JournalRoomsCommand.self, JournalLogCommand.self, JournalShowCommand.self,
            JournalStateCommand.self, JournalDiffCommand.self, JournalExportCommand.self,
            JournalVerifyCommand.self, JournalReplayCommand.self,
            JournalBackupCommand.self, JournalRestoreCommand.self, JournalRepairCommand.self,
            JournalImportCommand.self, JournalForkCommand.self,
        ])

    /// What reduces a room's entries in a file, for the commands that need states; nil if that isn't
    /// known. May throw a ``CommandFailure`` that says more.
    @TaskLocal package static var definition:
        @Sendable (_ room: String, _ file: JournalFile) throws -> (any RoomDefinitionProtocol)? = {
            _, _ in nil
        }

    /// Those of the server that wrote the file: how many clients it remembers may decide whether an
    /// action counted.
    @TaskLocal package static var limits = SyncLimits()

    package init() {}
}
