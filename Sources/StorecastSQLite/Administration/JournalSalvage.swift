import GRDB

/// What a search through a damaged file found: what of each room is good, and where nothing can be
/// read.
struct JournalSalvage {
    /// By their ids in the file.
    private(set) var rooms: [Int64: SalvagedRoom] = [:]
    /// The good snapshots of each room, by offset.
    private(set) var snapshots: [Int64: [SalvagedSnapshot]] = [:]
    /// How many snapshots aren't what was written.
    private(set) var badSnapshots = 0
    /// How many entries belong to rooms that aren't in the file, or not any more.
    private(set) var strays = 0
    /// The ranges of offsets where nothing can be read; whose entries they were isn't known.
    private(set) var gaps: [ClosedRange<UInt64>] = []
    /// Whether SQLite's own check fails: anything may be missing then.
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

    /// Whether a room certainly has everything that was ever acknowledged.
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
            // No journal writes other rows than these.
            guard RoomRow.isName(name), floor.offset <= Self.largestOffset,
                names.insert(ExactString(name)).inserted
            else { continue }
            rooms[id] = SalvagedRoom(
                name: name, epoch: columns.text(2), floor: floor, snapshot: snapshots[id]?.last)
        }
    }

    private mutating func readEntries(in database: Database) throws {
        let cursor = try SalvagedEntry.cursor(in: database)
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

/// An entry in a damaged file, good or not.
struct SalvagedEntry {
    let room: Int64
    let place: LogPlace
    var row: EntryRow

    /// All entries of a damaged file, with their rooms.
    static func cursor(in database: Database) throws -> SalvageCursor {
        try SalvageCursor(EntryRow.columns + ["room"], of: "entries", in: database)
    }

    init(_ columns: StatementColumns) {
        place = LogPlace(offset: columns.number(0), checksum: columns.number(1))
        row = EntryRow(columns)
        room = Int64(bitPattern: columns.number(Int32(EntryRow.columns.count)))
    }
}

/// What is good of a room in a damaged file. Gets the entries one by one, as far as they can be
/// read.
struct SalvagedRoom {
    /// What to keep of a room.
    enum Choice: Equatable {
        /// The entries up to this one.
        case entries(through: UInt64)
        /// The newest good snapshot, and the entries after it up to this one.
        case snapshot(through: UInt64)
        /// The beginning of the history is no longer kept, and no snapshot of it is good.
        case nothing
    }

    let name: String
    let epoch: String
    /// Where the kept entries begin.
    let floor: LogPlace
    /// The newest snapshot that is good.
    let snapshot: SalvagedSnapshot?
    /// The last of the good entries at the beginning.
    private var prefix: LogPlace
    /// The last of the good entries that follow the snapshot.
    private var tail: LogPlace?
    /// The entry that was read last, good or not.
    private var last: LogPlace
    /// The entry at the snapshot's offset.
    private(set) var seal: LogPlace?
    private(set) var isBroken = false
    private var isTailBroken = false

    init(name: String, epoch: String, floor: LogPlace, snapshot: SalvagedSnapshot?) {
        self.name = name
        self.epoch = epoch
        self.floor = floor
        self.snapshot = snapshot
        prefix = floor
        last = floor
        if floor.offset == snapshot?.offset { seal = floor }
    }

    mutating func take(_ row: EntryRow, at place: LogPlace) {
        let isIntact = (try? row.verified(at: place, after: last)) != nil
        if !isIntact { isBroken = true }
        if !isBroken { prefix = place }
        if let snapshot, place.offset > snapshot.offset, !isTailBroken {
            // The chain alone shows that no entry is missing between the snapshot and this one.
            isTailBroken = !isIntact || tail == nil && seal == nil
            if !isTailBroken { tail = place }
        }
        last = place
        if place.offset == snapshot?.offset { seal = place }
    }

    var choice: Choice {
        if let snapshot, snapshot.offset > prefix.offset {
            return .snapshot(through: tail?.offset ?? snapshot.offset)
        }
        guard floor.offset == 0 || snapshot.map({ $0.offset >= floor.offset }) ?? false else {
            return .nothing
        }
        return .entries(through: prefix.offset)
    }

    /// Whether all that could be read is kept.
    var isWhole: Bool { choice == .entries(through: last.offset) }
}

/// A snapshot whose content is what was written.
struct SalvagedSnapshot: Equatable {
    let id: Int64
    let offset: UInt64
    let version: UInt64
}
