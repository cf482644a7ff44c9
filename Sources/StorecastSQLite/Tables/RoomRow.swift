import GRDB
import StorecastSync

/// A room's row in the table `rooms`.
struct RoomLog: Sendable {
    var id: Int64
    var epoch: String
    /// What is no longer kept: everything up to this entry, or the beginning.
    var floor: LogPlace

    /// Whether a room can be called so.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && !name.utf8.contains(0)
    }

    /// In bytes; more than any URL's path that a server takes.
    static let longestName = 4096

    /// Nil if nothing was ever appended to the room.
    init?(named room: String, in database: Database) throws {
        // GRDB would end the name there, and take the room for another.
        guard !room.utf8.contains(0) else {
            throw JournalError.unavailable("A room whose name has a NUL character can't be kept.")
        }
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, epoch, floor AS offset, seal AS checksum FROM rooms WHERE name = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [room]) else { return nil }
        id = row["id"]
        epoch = row["epoch"]
        floor = LogPlace(row)
    }

    /// Makes the room's row.
    ///
    /// - Parameter floor: what is no longer kept, if the history doesn't begin with the room.
    init(
        beginning room: String, epoch: String, floor: LogPlace? = nil, in database: Database
    ) throws {
        self.floor = floor ?? .beginning(of: room)
        self.epoch = epoch
        try database.execute(
            sql: "INSERT INTO rooms (name, epoch, floor, seal) VALUES (?, ?, ?, ?)",
            arguments: [
                room, epoch, Int64(self.floor.offset), Int64(bitPattern: self.floor.checksum),
            ])
        id = database.lastInsertedRowID
    }

    /// The newest entry.
    func head(in database: Database) throws -> LogPlace { try last(through: .max, in: database) }

    /// The newest entry up to `offset`, or the floor.
    func last(through offset: UInt64, in database: Database) throws -> LogPlace {
        let statement = try database.cachedStatement(
            sql: """
                SELECT offset, checksum FROM entries WHERE room = ? AND offset <= ?
                ORDER BY offset DESC LIMIT 1
                """)
        let limit = Int64(clamping: offset)
        guard let row = try Row.fetchOne(statement, arguments: [id, limit]) else { return floor }
        return LogPlace(row)
    }
}
