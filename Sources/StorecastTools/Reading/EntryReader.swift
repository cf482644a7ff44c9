import StorecastSQLite
import StorecastSync

/// Goes through a room's entries, a page in memory at a time; also while a server adds to them.
struct EntryReader {
    /// Few enough that a page of the longest actions fits into memory.
    private static let pageEntries = 200

    private let room: RecordedRoom
    /// Behind which offset the next page begins.
    private var end: UInt64
    private var page: ArraySlice<JournalFileEntry> = []

    /// - Parameter offset: the entries behind it are read; not below what is kept.
    init(_ room: RecordedRoom, after offset: UInt64) {
        self.room = room
        end = offset
    }

    /// The next entry; nil if there is none yet.
    mutating func next() throws -> JournalFileEntry? {
        try fill()
        return page.popFirst()
    }

    /// The offset of what ``next()`` returns.
    mutating func nextOffset() throws -> UInt64? {
        try fill()
        return page.first?.offset
    }

    private mutating func fill() throws {
        guard page.isEmpty else { return }
        page = try room.file.entries(of: room.name, after: end, limit: Self.pageEntries)[...]
        let floor = try room.file.floor(of: room.name)
        guard floor <= end else {
            throw CommandFailure(
                .trouble,
                "The entries up to offset \(floor) were given up while they were read. Try again.")
        }
        end = page.last?.offset ?? end
    }
}
