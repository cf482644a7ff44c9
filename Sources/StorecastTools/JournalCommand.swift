package import ArgumentParser

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
            JournalSkipCommand.self, JournalImportCommand.self, JournalForkCommand.self,
        ])

    package init() {}
}
