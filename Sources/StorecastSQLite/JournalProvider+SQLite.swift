@_exported public import StorecastRoom

extension JournalProvider {
    /// In one SQLite file, so that rooms outlive the process.
    ///
    /// ```swift
    /// try await SyncServer(journal: .sqlite("boards.sqlite"), rooms: …).run()
    /// ```
    /// The file is made, readable by its owner alone, if there is none. While the server runs, a
    /// `-wal` and a `-shm` file of SQLite's, a `-lock` and a `-reducing` file lie beside it;
    /// together they are the journal. One process at a time may serve from it, on a disk of the
    /// machine's own: SQLite's write-ahead log doesn't work over a network. Others may read it
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - file: its path, relative to the working directory if it doesn't begin with `/`.
    ///   - durability: what an acknowledged action survives.
    ///   - afterCrashes: what becomes of a room one of whose actions ends the process whenever it
    ///     is reduced.
    public static func sqlite(
        _ file: String, durability: SQLiteDurability = .machine,
        afterCrashes: CrashPolicy = .skip()
    ) -> JournalProvider {
        JournalProvider { () throws(JournalError) in
            try await SQLiteStore.open(file, durability: durability, crashes: afterCrashes)
        }
    }
}
