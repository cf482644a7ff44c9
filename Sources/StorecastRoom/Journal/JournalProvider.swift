/// Where a server keeps its rooms' journals.
public struct JournalProvider: Sendable {
    /// Opens the place: once for a server, before it listens.
    package let open: @Sendable () async throws(JournalError) -> any JournalStore

    package init(open: @escaping @Sendable () async throws(JournalError) -> any JournalStore) {
        self.open = open
    }

    /// In memory: rooms start empty with the process and end with it.
    public static let memory = JournalProvider { () throws(JournalError) in MemoryJournalStore() }
}
