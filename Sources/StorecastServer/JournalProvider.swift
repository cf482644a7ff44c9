/// Where a server keeps its rooms' journals.
public struct JournalProvider: Sendable {
    /// Opens the journal for the rooms of one loop, on that loop.
    package let open: @Sendable () throws(ServerError) -> any Journal

    package init(open: @escaping @Sendable () throws(ServerError) -> any Journal) {
        self.open = open
    }

    /// In memory: rooms start empty with the process and end with it.
    public static let memory = JournalProvider { () throws(ServerError) in MemoryJournal() }
}
