import GRDB

/// A damaged file looked through: what of each room is good, and where nothing can be read.
struct JournalSalvage {
    /// By their numbers in the file.
    private(set) var rooms: [Int64: SalvagedRoom] = [:]
    /// The good snapshots of each room, by offset.
    private(set) var snapshots: [Int64: [SalvagedSnapshot]] = [:]
    /// How many snapshots aren't what was written.
    private(set) var badSnapshots = 0
    /// How many entries are of rooms that the file doesn't name, or not any more.
    private(set) var strays = 0
    /// Where entries can't be read at all; nobody can tell whose they are.
    private(set) var gaps: [ClosedRange<UInt64>] = []
    /// Whether SQLite finds that the file isn't what it wrote: anything may be missing.
    private(set) var isDoubtful = false

    private static let largestOffset = UInt64(Int64.max)

    init(of database: Database) throws {
        try findDoubts(in: database)
        try readSnapshots(in: database)
        try readRooms(in: database)
        try readEntries(in: database)
    }

    var isSound: Bool {
        !isDoubtful && gaps.isEmpty && strays == 0 && badSnapshots == 0
            && rooms.values.allSatisfy { isWhole($0) }
    }

    /// Whether a room is known to have all that was ever acknowledged.
    func isWhole(_ room: SalvagedRoom) -> Bool {
        !isDoubtful && gaps.isEmpty && room.isWhole
    }

    private mutating func findDoubts(in database: Database) throws {
        do {
            let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check(1)")
            isDoubtful = findings != ["ok"]
        } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_IOERR].contains(error.resultCode)
        {
            isDoubtful = true
        }
    }

    private mutating func readSnapshots(in database: Database) throws {
        let cursor = try SalvageCursor(
            ["id", "room", "offset", "version", "isWhole"], of: "snapshots", in: database)
        while let step = try cursor.next() {
            guard case .row(let columns) = step, columns.number(4) == 1 else { continue }
            let snapshot = SalvagedSnapshot(
                id: Int64(bitPattern: columns.number(0)), offset: columns.number(2),
                version: columns.number(3))
            let room = Int64(bitPattern: columns.number(1))
            if snapshot.offset <= Self.largestOffset,
                try SnapshotTable.intact(snapshot.id, in: database) != nil
            {
                snapshots[room, default: []].append(snapshot)
            } else {
                badSnapshots += 1
            }
        }
        for room in snapshots.keys {
            snapshots[room]?.sort { ($0.offset, $0.id) < ($1.offset, $1.id) }
        }
    }

    private mutating func readRooms(in database: Database) throws {
        let cursor = try SalvageCursor(
            ["id", "name", "epoch", "floor", "seal"], of: "rooms", in: database)
        var names: Set<ExactString> = []
        while let step = try cursor.next() {
            guard case .row(let columns) = step else { continue }
            let (id, name) = (Int64(bitPattern: columns.number(0)), columns.text(1))
            let floor = LogPlace(offset: columns.number(3), checksum: columns.number(4))
            // What no journal has written is no room.
            guard RoomLog.isName(name), floor.offset <= Self.largestOffset,
                names.insert(ExactString(name)).inserted
            else { continue }
            rooms[id] = SalvagedRoom(
                name: name, epoch: columns.text(2), floor: floor, snapshot: snapshots[id]?.last)
        }
    }

    private mutating func readEntries(in database: Database) throws {
        let cursor = try EntryRow.salvage(in: database)
        while let step = try cursor.next() {
            switch step {
            case .row(let columns):
                let entry = SalvagedEntry(columns)
                if rooms[entry.room]?.take(entry.row, at: entry.place) == nil { strays += 1 }
            case .gap(let after, let through):
                gaps.append(UInt64(after) + 1...UInt64(through))
            }
        }
    }
}

/// An entry as it stands in a file, good or not.
struct SalvagedEntry {
    let room: Int64
    let place: LogPlace
    var row: EntryRow

    init(_ columns: StatementColumns) {
        place = LogPlace(offset: columns.number(0), checksum: columns.number(1))
        row = EntryRow(columns)
        room = Int64(bitPattern: columns.number(15))
    }
}
