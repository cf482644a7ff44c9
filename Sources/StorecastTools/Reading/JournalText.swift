package import StorecastSQLite
package import StorecastRoom

/// A recorded room as JSON Lines.
package struct JournalText {
    private let room: RecordedRoom
    private let withSnapshots: Bool
    private let end: UInt64
    private var reader: EntryReader
    /// The snapshots after the current place.
    private var snapshots: ArraySlice<(offset: UInt64, version: UInt64, bytes: Int)>
    /// The lines before the next entry.
    private var waiting: [JournalLine]

    /// - Parameters:
    ///   - place: the text begins at the newest good snapshot that isn't later; nil for everything.
    ///   - withSnapshots: whether to include the later snapshots.
    ///   - end: the last offset to include.
    init(
        of room: RecordedRoom, from place: RoomTraveller.Place?, withSnapshots: Bool,
        through end: UInt64 = .max
    ) throws {
        self.room = room
        self.end = end
        self.withSnapshots = withSnapshots
        waiting = [.header(room: room.name, epoch: room.room.epoch)]
        reader = EntryReader(room, after: room.room.floor)
        snapshots = try room.file.snapshots(of: room.name)[...]
        let first = try Self.beginning(of: room, place, snapshots)
        guard let first else { return }
        waiting.append(.snapshot(first))
        snapshots = snapshots.drop { $0.offset <= first.offset }
        reader = EntryReader(room, after: first.offset)
    }

    /// All of a room, with its snapshots.
    package init(of room: JournalRoom, in file: JournalFile) throws {
        try self.init(of: RecordedRoom(of: file, room), from: nil, withSnapshots: true)
    }

    /// The snapshot to begin with; nil to begin with the first entry.
    private static func beginning(
        of room: RecordedRoom, _ place: RoomTraveller.Place?,
        _ snapshots: ArraySlice<(offset: UInt64, version: UInt64, bytes: Int)>
    ) throws -> JournalSnapshot? {
        let floor = room.room.floor
        if let place {
            for listed in snapshots.reversed()
            where place.isBehind(listed) && listed.offset >= floor {
                if let kept = try room.snapshot(at: listed.offset) { return kept }
            }
        }
        for listed in snapshots where listed.offset >= floor && (floor > 0 || listed.offset == 0) {
            if let kept = try room.snapshot(at: listed.offset) { return kept }
        }
        guard floor == 0 else {
            throw CommandFailure(
                .trouble,
                "The entries of room '\(room.name)' up to offset \(floor) are no longer kept, and "
                    + "there is no good snapshot from that time.")
        }
        return nil
    }

    /// The next line in UTF-8, with its end; nil after the last.
    mutating func next() throws -> [UInt8]? { try nextLine()?.bytes() }

    /// The next line; nil after the last.
    package mutating func nextLine() throws -> JournalLine? {
        if waiting.isEmpty { try read() }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private mutating func read() throws {
        guard let offset = try reader.nextOffset(), offset <= end, let entry = try reader.next()
        else { return }
        guard entry.isIntact, let record = entry.record else {
            throw CommandFailure(
                .trouble,
                "The entry at offset \(entry.offset) isn't what was written. Stop the server and "
                    + "run: storecast journal repair \(room.file.path)")
        }
        waiting = [.entry(offset: entry.offset, record)]
        while let listed = snapshots.first, listed.offset <= entry.offset {
            snapshots.removeFirst()
            guard withSnapshots, listed.offset == entry.offset,
                let kept = try room.snapshot(at: listed.offset)
            else { continue }
            waiting.append(.snapshot(kept))
        }
    }
}

/// Writes the lines of a room's journal to a file.
package struct JournalTextImport {
    /// The name of the room in the file.
    private(set) var room = ""
    package private(set) var entries = 0
    private let addition: JournalAddition
    private let name: String?
    private let keepsEpoch: Bool
    private var isBegun = false

    /// - Parameters:
    ///   - name: the name of the room; nil for the one in the text.
    ///   - keepsEpoch: whether its epoch is that of the text; else it is a new one.
    package init(to addition: JournalAddition, as name: String? = nil, keepsEpoch: Bool = false) {
        self.addition = addition
        self.name = name
        self.keepsEpoch = keepsEpoch
    }

    /// Takes the next line, without its end.
    mutating func take(_ text: ArraySlice<UInt8>, number: Int) throws {
        do {
            if !text.isEmpty { try take(try JournalLine(text)) }
        } catch let error as JournalLineError {
            throw Self.failure(number, error.description)
        } catch JournalError.unfit(_, let problem) {
            throw Self.failure(number, problem)
        }
    }

    /// There are no more lines.
    func end() throws(CommandFailure) {
        if entries == 0 { throw CommandFailure(.trouble, "The text has no entries.") }
    }

    package mutating func take(_ line: JournalLine) throws {
        switch line {
        case .header(let room, let epoch):
            guard !isBegun else {
                throw JournalError.unfit(place: 0, "A second header: these are two journals.")
            }
            isBegun = true
            self.room = name ?? room
            try addition.begin(self.room, epoch: keepsEpoch ? epoch : nil)
        case _ where !isBegun:
            throw JournalError.unfit(place: 0, "A journal's text begins with its header.")
        case .entry(let offset, let record):
            try addition.add(record, at: offset)
            entries += 1
        case .snapshot(let snapshot): try addition.add(snapshot)
        }
    }

    private static func failure(_ number: Int, _ problem: String) -> CommandFailure {
        CommandFailure(.trouble, "Line \(number): \(problem) Nothing was imported.")
    }
}
