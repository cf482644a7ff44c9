import GRDB
package import StorecastRoom

/// Adds rooms to a journal's file that no server is using: all of them or, after an error, none.
///
/// Used within ``run(on:_:)``. Offsets continue after those that the file already has.
package final class JournalAddition {
    private let database: Database
    private var room = ""
    private var epoch: String?
    private var writer: RoomWriter?
    /// The newest offset in the file before the room was begun.
    private var shift: UInt64 = 0
    /// The offset of the last entry, as the caller gave it.
    private var last: UInt64 = 0

    private init(to database: Database) {
        self.database = database
    }

    /// Runs `body` with the file, which is made if there is none. If `body` throws, nothing is
    /// added, and a new file is removed.
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

    /// Runs `body`, which begins a room and adds to it. If it throws, that room isn't added, and
    /// others may be.
    package func attempt<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try database.inSavepoint {
            value = try body()
            return .commit
        }
        guard let value else { preconditionFailure("A savepoint that was released ran its body.") }
        return value
    }

    /// Whether the file has a room of this name.
    package func has(_ room: String) throws -> Bool {
        try RoomRow(named: room, in: database) != nil
    }

    /// Begins a room.
    ///
    /// - Parameter epoch: nil for a new one.
    /// - Throws: `unfit` if the file has the room, or its name can't be kept.
    package func begin(_ room: String, epoch: String? = nil) throws {
        guard RoomRow.isName(room) else {
            throw JournalError.unfit(
                place: 0,
                "A room's name has 1 to \(RoomRow.longestName) bytes and no NUL character.")
        }
        guard try !has(room) else {
            throw JournalError.unfit(place: 0, "The file has a room '\(room)' already.")
        }
        self.room = room
        self.epoch = epoch
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
        try row.check(place: 0)
        if writer == nil { try make(floor: nil) }
        try writer?.add(row, at: shifted(offset))
        last = offset
    }

    /// Adds a snapshot of the state after the last entry or, before all entries, of the state with
    /// which the history begins.
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
            room, epoch: epoch ?? randomID(using: &random), floor: place, in: database)
    }

    /// 0 stays 0: it is before everything in any file.
    private func shifted(_ offset: UInt64) throws -> UInt64 {
        guard offset > 0 else { return 0 }
        guard offset <= UInt64(Int64.max) - shift else {
            throw JournalError.unfit(place: 0, "The offset \(offset) is too large.")
        }
        return offset + shift
    }
}
