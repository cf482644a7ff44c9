import GRDB
import StorecastRoom

/// Writes what is good of a damaged file into a new one, and counts what isn't.
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

    /// Copies, and returns what became of each room, in the order of their names.
    mutating func run(from source: Database) throws -> [JournalRepair.Room] {
        try copySnapshots(from: source)
        // Where they can't be read, what is under them is reduced again.
        let tombstones = (try? Tombstones.texts(in: source)) ?? [:]
        let cursor = try EntryRow.salvage(in: source)
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

    /// Those from which the kept entries lead on.
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
