import GRDB
package import StorecastSync

/// Adds rooms to a journal's file that no server is using: all that it is told of, or nothing.
///
/// Used within ``run(on:_:)``. Offsets are counted on from what the file has already.
package final class JournalAddition {
    private let database: Database
    private var room = ""
    private var writer: RoomWriter?
    /// What the file had before the room.
    private var shift: UInt64 = 0
    /// The offset of the entry that was added last, as it was given.
    private var last: UInt64 = 0

    private init(to database: Database) {
        self.database = database
    }

    /// Runs `body` with the file, which is made if there is none; when `body` throws, nothing was
    /// added, and a new file is gone.
    ///
    /// - Throws: `unavailable` if the file is in use, or can't be opened or written, `damaged` if
    ///   it isn't a journal, and what `body` throws.
    package static func run<Value>(
        on file: String, _ body: (JournalAddition) throws -> Value
    ) throws -> Value {
        let path = StoreFile.canonicalPath(file)
        return try StoreEditing.locked(path) {
            try StoreEditing.write(to: path) { try body(JournalAddition(to: $0)) }
        }
    }

    /// Begins a room, with an epoch of its own.
    ///
    /// - Throws: `unfit` if the file has the room, or its name can't be kept.
    package func begin(_ room: String) throws {
        guard RoomLog.isName(room) else {
            throw JournalError.unfit(
                place: 0,
                "A room's name has 1 to \(RoomLog.longestName) bytes and no NUL character.")
        }
        guard try RoomLog(named: room, in: database) == nil else {
            throw JournalError.unfit(place: 0, "The file has a room '\(room)' already.")
        }
        self.room = room
        writer = nil
        last = 0
        shift = try StoreSchema.newestOffset(in: database)
    }

    /// Adds the next entry of the room.
    ///
    /// - Throws: `unfit` if its offset isn't above that of the one before, or it can't be kept.
    package func add(_ record: JournalRecord, at offset: UInt64) throws {
        guard offset > last else {
            throw JournalError.unfit(
                place: 0, "The offset \(offset) isn't above \(last), that of what is before.")
        }
        let row = EntryRow(record)
        guard row.textBytes <= AppendRequest.largestEntry, row.time.isFinite else {
            throw JournalError.unfit(
                place: 0,
                "The entry has \(row.textBytes) bytes; a journal takes "
                    + "\(AppendRequest.largestEntry).")
        }
        if writer == nil { try make(floor: nil) }
        try writer?.add(row, at: shifted(offset))
        last = offset
    }

    /// Adds a snapshot of what the room is with the entry that was added last; before all entries,
    /// of what the kept history begins with.
    ///
    /// - Throws: `unfit` if its offset is another one.
    package func add(_ snapshot: JournalSnapshot) throws {
        if writer == nil {
            try make(floor: snapshot.offset)
            last = snapshot.offset
        }
        guard snapshot.offset == last else {
            throw JournalError.unfit(
                place: 0, "The snapshot at \(snapshot.offset) doesn't belong behind offset \(last)."
            )
        }
        var snapshot = snapshot
        snapshot.offset = try shifted(snapshot.offset)
        try writer?.add(snapshot)
    }

    private func make(floor: UInt64?) throws {
        var random = SystemRandomNumberGenerator()
        var place = LogPlace.beginning(of: room)
        place.offset = try shifted(floor ?? 0)
        writer = try RoomWriter(
            room, epoch: randomID(using: &random), floor: place, in: database)
    }

    /// 0 is before everything, in any file.
    private func shifted(_ offset: UInt64) throws -> UInt64 {
        guard offset > 0 else { return 0 }
        guard offset <= UInt64(Int64.max) - shift else {
            throw JournalError.unfit(place: 0, "The offset \(offset) is too large.")
        }
        return offset + shift
    }
}
