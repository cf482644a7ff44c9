import GRDB
import StorecastRoom

/// Writes the history of a new room, entry by entry, within the caller's transaction.
struct RoomWriter {
    private let id: Int64
    private var end: LogPlace
    private let database: Database

    /// Makes the room.
    ///
    /// - Parameter floor: where its history begins; nil if that is with the room.
    init(
        _ name: String, epoch: String, floor: LogPlace? = nil, in database: Database
    ) throws {
        let log = try RoomLog(beginning: name, epoch: epoch, floor: floor, in: database)
        id = log.id
        end = log.floor
        self.database = database
    }

    /// The newest entry.
    var head: UInt64 { end.offset }

    /// Appends an entry; offsets rise.
    mutating func add(_ row: EntryRow, at offset: UInt64) throws {
        let checksum = row.checksum(at: offset, after: end.checksum)
        var insertion = StatementBinding(
            try database.cachedStatement(sql: EntryRow.insertion), of: database)
        try row.insert(&insertion, room: id, at: offset, checksum: checksum)
        if let tombstone = row.tombstone {
            try Tombstones.add(tombstone, over: offset, of: id, in: database)
        }
        end = LogPlace(offset: offset, checksum: checksum)
    }

    func add(_ snapshot: JournalSnapshot) throws {
        try SnapshotTable.insert(snapshot, of: id, in: database)
    }
}
