import Foundation
import GRDB
import StorecastRoom
package import StorecastSync
import StorecastWire

/// Up to where a journal is restored.
package enum RestorePoint {
    /// Everything.
    case newest
    /// The entries before the first that is later.
    case time(Timestamp)
    /// The entries up to this offset.
    case offset(UInt64)
    /// The entries up to an offset that is found in the file with everything.
    case found((JournalFile) throws -> UInt64)

    func isBefore(_ row: EntryRow, at place: LogPlace) -> Bool {
        switch self {
        case .newest, .found: false
        case .time(let time): row.time > time.secondsSince1970
        case .offset(let offset): place.offset > offset
        }
    }
}

/// What was restored from a replica.
package struct RestoredReplica: Sendable {
    package let generation: String
    /// How many segments were used.
    package private(set) var segments = 0
    /// The newest entry, and when it was taken.
    package fileprivate(set) var offset: UInt64 = 0
    package fileprivate(set) var time: Timestamp?
    /// When the last segment was copied from the journal.
    package fileprivate(set) var copied: Timestamp
    /// Whether there is more in the generation than was asked for.
    package fileprivate(set) var isCut = false

    fileprivate init(_ generation: String, _ copied: Timestamp) {
        self.generation = generation
        self.copied = copied
    }

    fileprivate mutating func use(_ segment: ReplicaSegment.Header) {
        segments += 1
        copied = segment.time
    }
}

/// Makes a journal's file of the segments of a replica, and checks each of them.
struct ReplicaRestore {
    private struct Room {
        var log: RoomRow
        var end: LogPlace
    }

    private let database: Database
    private let point: RestorePoint
    private var rooms: [ExactString: Room] = [:]
    /// The rooms of the segment that is being read.
    private var mentioned: [(name: String, start: LogPlace, isBegun: Bool)] = []
    private var header: ReplicaSegment.Header?
    /// Of all segments, as the journal forgets those of entries that it deletes.
    private var tombstones: [UInt64: [UInt8]] = [:]
    private var report: RestoredReplica

    /// Writes the file at `path`, which isn't there yet.
    ///
    /// - Parameter generation: which to use; nil for the newest that was complete at `point`.
    static func write(
        _ folder: String, _ generation: String?, until point: RestorePoint, to path: String,
        progress: (Double) -> Void
    ) throws -> RestoredReplica {
        let files = try Self.generation(in: ReplicaFolder(path: folder), generation, point)
        return try StoreEditing.write(to: path) { database in
            var restore = ReplicaRestore(files.name, point, in: database)
            try restore.run(files, progress)
            return restore.report
        }
    }

    private init(_ generation: String, _ point: RestorePoint, in database: Database) {
        self.database = database
        self.point = point
        report = RestoredReplica(generation, Timestamp(secondsSince1970: 0))
    }

    private static func generation(
        in folder: ReplicaFolder, _ name: String?, _ point: RestorePoint
    ) throws -> ReplicaGeneration {
        let all = folder.generations
        guard !all.isEmpty else {
            throw JournalError.unavailable("'\(folder.path)' has no generation of a journal.")
        }
        if let name {
            if let chosen = all.first(where: { $0.name.isSameText(as: name) }) { return chosen }
            throw JournalError.unavailable(
                "'\(folder.path)' has no generation '\(name)', but "
                    + all.map { "'\($0.name)'" }.joined(separator: ", ") + ".")
        }
        var chosen: ReplicaGeneration?
        for files in all.reversed() {
            guard let newest = files.files.last,
                let completed = try files.segment(newest).header.completed
            else { continue }
            chosen = files
            if case .time(let time) = point, completed > time { continue }
            break
        }
        if let chosen { return chosen }
        throw JournalError.unavailable("No generation in '\(folder.path)' is complete.")
    }

    // MARK: Segments

    private mutating func run(_ files: ReplicaGeneration, _ progress: (Double) -> Void) throws {
        let all = files.files
        for file in all where !report.isCut {
            do {
                try take(file, of: files)
            } catch let error as JournalError {
                // What was asked for is there; what is behind it doesn't matter.
                guard case .offset(let offset) = point, report.offset >= offset else { throw error }
                report.isCut = true
            }
            progress(Double(file.number) / Double(all.count))
        }
        try end()
    }

    private mutating func take(
        _ file: ReplicaGeneration.File, of files: ReplicaGeneration
    ) throws {
        let number = (header?.number ?? 0) + 1
        guard file.number == number else {
            throw problem("Segment \(number) of generation '\(files.name)' is missing.")
        }
        do {
            try take(try files.segment(file))
        } catch is SegmentReader.Broken {
            throw problem("Segment \(number) of generation '\(files.name)' makes no sense.")
        } catch JournalError.damaged(let text) {
            throw problem(text)
        }
    }

    /// Nothing is made of a time at which nothing had happened yet.
    private func checkFirst(_ cut: EntryRow) throws(JournalError) {
        guard report.offset == 0, case .time(let time) = point else { return }
        func text(_ seconds: Double) -> String {
            Date(timeIntervalSince1970: seconds).formatted(
                Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        throw JournalError.unavailable(
            "At \(text(time.secondsSince1970)) there was nothing yet: the first entry is of "
                + "\(text(cut.time)).")
    }

    /// An error that says what can still be restored.
    private func problem(_ text: String) -> JournalError {
        guard report.offset > 0 else { return .damaged(text) }
        return .damaged(
            "\(text) What was copied before it can be restored with --offset \(report.offset), or "
                + "choose another generation with --generation.")
    }

    private mutating func take(_ segment: ReplicaSegment) throws {
        let start = header?.position.end.offset ?? 0
        guard segment.header.start == start else {
            throw JournalError.damaged(
                "Segment \(segment.header.number) begins after offset \(segment.header.start), not "
                    + "after \(start), where the one before it ends.")
        }
        header = segment.header
        tombstones.merge(segment.header.position.tombstones) { $1 }
        mentioned = []
        var reader = SegmentReader(segment.records[...])
        while !reader.isAtEnd {
            switch try ReplicaSegment.Record(&reader) {
            case .room(let name, let start): mentioned.append((name, start, false))
            case .snapshot(let snapshot, let room): try take(snapshot, of: room)
            case .entry(let row, let place, let room):
                report.isCut = point.isBefore(row, at: place)
                if report.isCut {
                    try checkFirst(row)
                    return
                }
                try take(row, at: place, of: room)
            }
        }
        report.use(segment.header)
    }

    private mutating func take(_ snapshot: JournalSnapshot, of number: Int) throws {
        guard mentioned.indices.contains(number) else { throw SegmentReader.Broken() }
        let room = try room(mentioned[number].name, beginningAfter: mentioned[number].start)
        try SnapshotTable.insert(snapshot, of: room.log.id, in: database)
    }

    private mutating func take(_ row: EntryRow, at place: LogPlace, of number: Int) throws {
        guard mentioned.indices.contains(number) else { throw SegmentReader.Broken() }
        let (name, start, isBegun) = mentioned[number]
        var room = try room(name, beginningAfter: start)
        if !isBegun, room.end != start { try begin(&room, anewAfter: start) }
        mentioned[number].isBegun = true
        _ = try row.verified(at: place, after: room.end)
        var insertion = try EntryInsertion(into: database)
        try insertion.append(row, at: place.offset, to: room.log.id, after: &room.end)
        rooms[ExactString(name)] = room
        report.offset = place.offset
        report.time = Timestamp(secondsSince1970: row.time)
    }

    private mutating func room(_ name: String, beginningAfter start: LogPlace) throws -> Room {
        if let room = rooms[ExactString(name)] { return room }
        let log = try RoomRow(beginning: name, epoch: "", floor: start, in: database)
        let room = Room(log: log, end: start)
        rooms[ExactString(name)] = room
        return room
    }

    /// The server deleted entries before they were copied: what is before them goes as well.
    private func begin(_ room: inout Room, anewAfter start: LogPlace) throws {
        guard start.offset > header?.start ?? 0 else {
            throw JournalError.damaged(
                "What follows offset \(start.offset) doesn't follow what is before it.")
        }
        while try !LogTruncation.removePortion(of: room.log.id, through: start.offset, in: database)
        {}
        try database.execute(
            sql: "UPDATE rooms SET floor = ?, seal = ? WHERE id = ?",
            arguments: [
                Int64(bitPattern: start.offset), Int64(bitPattern: start.checksum), room.log.id,
            ])
        room.log.floor = start
        room.end = start
    }

    // MARK: The end

    private mutating func end() throws {
        for (offset, text) in tombstones {
            let room = try Int64.fetchOne(
                database, sql: "SELECT room FROM entries WHERE offset = ?",
                arguments: [Int64(bitPattern: offset)])
            if let room { try Tombstones.add(text, over: offset, of: room, in: database) }
        }
        for (name, room) in rooms.sorted(by: { $0.key < $1.key }) { try finish(room, name.string) }
    }

    private func finish(_ room: Room, _ name: String) throws {
        try SnapshotTable.remove(
            "room = \(room.log.id) AND (offset > \(room.end.offset) OR offset < "
                + "\(room.log.floor.offset))", in: database)
        let snapshots = try SnapshotTable.all(of: room.log.id, in: database)
        guard room.log.floor.offset > 0, snapshots.isEmpty || room.end.offset > cut else { return }
        throw JournalError.unavailable(
            "Room '\(name)' can't be restored to then: generation '\(report.generation)' has it "
                + "from offset \(room.log.floor.offset) on only. Choose a later time, or an earlier "
                + "generation with --generation.")
    }

    /// Nothing after this offset is restored.
    private var cut: UInt64 { report.isCut ? report.offset : .max }
}
