import GRDB
import StorecastRoom

/// The repair of a damaged journal's file, and what it found.
package struct JournalRepair: Sendable {
    /// What happened to a room.
    package struct Room: Sendable {
        package let name: String
        /// Whether nothing of it is lost; its epoch is the same then.
        package var isWhole = false
        /// How many entries are kept.
        package var kept = 0
        /// The newest entry that is kept, or that the snapshot contains with which the history
        /// begins now. Nil if nothing of the room is kept.
        package var head: UInt64?
        /// The snapshot with which the history begins now, as entries before it are damaged; nil if
        /// it begins as before.
        package var start: (offset: UInt64, version: UInt64)?
        /// How many entries aren't kept but contained in that snapshot.
        package var forgotten = 0
        /// How many entries are lost, as far as they can be read: damaged ones, and those after
        /// them.
        package var lostEntries = 0
        /// The offsets of the first and the last of them.
        package var lost: ClosedRange<UInt64>?
        /// How many of them, rejections apart, are from each sender, as far as they can be read.
        package var lostActions: [ExactString: Int] = [:]

        init(name: String) {
            self.name = name
        }
    }

    /// In the order of their names.
    package let rooms: [Room]
    /// The ranges of offsets where nothing can be read; whose entries they were isn't known.
    package let unreadable: [ClosedRange<UInt64>]
    /// How many entries are lost because their room isn't known.
    package let strays: Int
    /// How many snapshots were damaged.
    package let badSnapshots: Int
    /// Where the damaged file is kept.
    package let damagedFile: String

    /// Repairs a file that no server is using.
    ///
    /// Writes what is good to a new file, which replaces the old one; the old one is kept beside
    /// it. Of each room the newest good state is kept: everything up to the first damage, or the
    /// newest good snapshot after that and the entries that follow it. A room that lost something
    /// gets a new epoch. Takes as long as reading the file twice and writing it once.
    ///
    /// - Returns: nil, and nothing was done, if the file is sound.
    /// - Throws: `unavailable` if the file is in use, or there is no space for the new one;
    ///   `damaged` if SQLite can read nothing of it.
    package static func run(on file: String) throws -> JournalRepair? {
        let path = StoreFile.canonicalPath(file)
        guard StoreFile.exists(path) else {
            throw JournalError.unavailable("There is no file '\(path)'.")
        }
        return try StoreEditing.locked(path) {
            let new = StoreFile.unfinished(path)
            guard let (salvage, rooms) = try salvage(path, to: new) else {
                // A read-only connection leaves SQLite's other files behind; this one removes them.
                try JournalFile(path).close()
                return nil
            }
            return JournalRepair(
                rooms: rooms, unreadable: salvage.gaps, strays: salvage.strays,
                badSnapshots: salvage.badSnapshots,
                damagedFile: try KeptFile.replace(path, by: new, keptAs: "damaged"))
        }
    }

    /// Writes what is good to a file at `new`; returns nil, and writes none, if everything is.
    private static func salvage(
        _ path: String, to new: String
    ) throws -> (JournalSalvage, [Room])? {
        let queue = try DatabaseQueue(path: path, configuration: configuration(path))
        defer { try? queue.close() }
        // Without a transaction: ending one fails after a read error.
        return try queue.unsafeRead { source in
            let salvage = try JournalSalvage(of: source)
            if salvage.isSound { return nil }
            let rooms = try StoreEditing.write(to: new) { target in
                try StoreSession.copy(from: source, to: target)
                var copy = try SalvageCopy(salvage, to: target)
                return try copy.run(from: source)
            }
            return (salvage, rooms)
        }
    }

    /// Read-only, so that not even closing it writes to the file or its log.
    private static func configuration(_ path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "storecast-journal-repair"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try StoreSchema.check(database, path)
        }
        return configuration
    }
}

/// Writes what is good of a damaged file to a new one, and counts the rest.
struct SalvageCopy {
    private let salvage: JournalSalvage
    private let target: Database
    private var writers: [Int64: RoomWriter] = [:]
    private var reports: [Int64: JournalRepair.Room] = [:]

    init(_ salvage: JournalSalvage, to target: Database) throws {
        self.salvage = salvage
        self.target = target
        for (id, room) in salvage.rooms { try begin(room, id) }
    }

    /// Copies, and returns what happened to each room, in the order of their names.
    mutating func run(from source: Database) throws -> [JournalRepair.Room] {
        try copySnapshots(from: source)
        // If they can't be read, their entries will be reduced again.
        let tombstones = (try? Tombstones.texts(in: source)) ?? [:]
        let cursor = try SalvagedEntry.cursor(in: source)
        while let step = try cursor.next() {
            guard case .row(let columns) = step else { continue }
            var entry = SalvagedEntry(columns)
            entry.row.tombstone = tombstones[entry.place.offset]
            if let room = salvage.rooms[entry.room] { try take(entry, of: room) }
        }
        return reports.values.sorted { $0.name < $1.name }
    }

    private mutating func begin(_ room: SalvagedRoom, _ id: Int64) throws {
        var report = JournalRepair.Room(name: room.name)
        report.isWhole = salvage.isWhole(room)
        var floor = room.floor
        switch room.choice {
        case .nothing:
            reports[id] = report
            return
        case .entries: break
        case .snapshot:
            report.start = room.snapshot.map { ($0.offset, $0.version) }
            floor = room.seal ?? floor
            floor.offset = report.start?.offset ?? floor.offset
        }
        var random = SystemRandomNumberGenerator()
        let epoch = report.isWhole ? room.epoch : randomID(using: &random)
        writers[id] = try RoomWriter(room.name, epoch: epoch, floor: floor, in: target)
        report.head = floor.offset
        reports[id] = report
    }

    /// The snapshots within the kept history.
    private func copySnapshots(from source: Database) throws {
        for (id, room) in salvage.rooms {
            let offsets: ClosedRange<UInt64>
            switch room.choice {
            case .nothing: continue
            case .entries(let end): offsets = min(room.floor.offset, end)...end
            case .snapshot:
                guard let snapshot = room.snapshot else { continue }
                offsets = snapshot.offset...snapshot.offset
            }
            for snapshot in salvage.snapshots[id] ?? [] where offsets.contains(snapshot.offset) {
                guard let content = try SnapshotTable.intact(snapshot.id, in: source) else {
                    continue
                }
                try writers[id]?.add(content)
            }
        }
    }

    private mutating func take(_ entry: SalvagedEntry, of room: SalvagedRoom) throws {
        let offset = entry.place.offset
        let end: UInt64? =
            switch room.choice {
            case .nothing: nil
            case .entries(let end), .snapshot(let end): end
            }
        guard let end, offset <= end else {
            reports[entry.room]?.lost(entry)
            return
        }
        if offset <= reports[entry.room]?.start?.offset ?? 0 {
            reports[entry.room]?.forgotten += 1
        } else {
            try writers[entry.room]?.add(entry.row, at: offset)
            reports[entry.room]?.kept += 1
            reports[entry.room]?.head = offset
        }
    }
}

extension JournalRepair.Room {
    fileprivate mutating func lost(_ entry: SalvagedEntry) {
        let offset = entry.place.offset
        lost = min(lost?.lowerBound ?? offset, offset)...offset
        lostEntries += 1
        guard let record = try? entry.row.record(), record.rejection == nil else { return }
        lostActions[ExactString(record.sender.id), default: 0] += 1
    }
}
