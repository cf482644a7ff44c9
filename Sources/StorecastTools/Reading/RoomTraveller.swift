import StorecastSQLite
import StorecastRoom

/// Goes through the entries of a recorded room and reduces them, as long as that is possible.
///
/// It begins at the nearest snapshot, and keeps only the state and one page of entries in memory.
struct RoomTraveller {
    /// A place in a room's history.
    enum Place {
        /// Where this version was reached.
        case version(UInt64)
        /// After the entry at this offset, or the last one before it.
        case offset(UInt64)
        /// After the newest entry.
        case newest

        /// Whether a snapshot isn't later than this place.
        func isBehind(_ snapshot: (offset: UInt64, version: UInt64, bytes: Int)) -> Bool {
            switch self {
            case .version(let version): snapshot.version <= version
            case .offset(let offset): snapshot.offset <= offset
            case .newest: true
            }
        }
    }

    private let room: RecordedRoom
    private var reader: EntryReader
    /// A failure says why the state isn't known, or not any more.
    private var replay: Result<any AnyRoomReplay, CommandFailure>

    /// Begins at the nearest snapshot that isn't later than `place`, or at the beginning of the
    /// history.
    init(_ room: RecordedRoom, near place: Place) throws {
        self.room = room
        reader = EntryReader(room, after: room.room.floor)
        do {
            let replay = try room.definition().replay(KnownRooms.current.limits)
            self.replay = .success(replay)
            try begin(replay, near: place)
        } catch let error as JournalError {
            throw error
        } catch {
            replay = .failure(CommandFailure(error))
            guard case .offset(let offset) = place else { return }
            reader = EntryReader(room, after: max(offset, room.room.floor))
        }
    }

    /// The current version; throws if it isn't known.
    var version: UInt64 { get throws { try replay.get().version } }

    /// The offset of the last entry that was reduced; throws if it isn't known.
    var offset: UInt64 { get throws { try replay.get().offset } }

    /// The current state as JSON; throws if it isn't known.
    var state: JSON { get throws { try replay.get().tree() } }

    /// A selection of the current state, as `viewer` sees it; throws if the state isn't known, or
    /// the selection isn't valid.
    func value(of selection: String, _ parameters: JSON?, viewer: Identity) throws -> JSON {
        do {
            return try replay.get().value(of: selection, parameters, viewer: viewer)
        } catch let rejection as Rejection {
            throw CommandFailure(.refused, rejection.description)
        }
    }

    /// Why the state isn't known, or not any more.
    var problem: CommandFailure? {
        if case .failure(let failure) = replay { failure } else { nil }
    }

    /// The next entry; nil if there is none yet.
    mutating func next() throws -> TravelledEntry? {
        guard let entry = try reader.next() else { return nil }
        guard case .success(let replay) = replay else { return TravelledEntry(entry: entry) }
        do {
            guard entry.isIntact, let record = entry.record else {
                throw CommandFailure(
                    .trouble,
                    "The entry at offset \(entry.offset) isn't what was written, so what came of "
                        + "it isn't known. `storecast journal verify` looks for more of this.")
            }
            TrapNotice.reducing(entry.offset, of: room.name)
            defer { TrapNotice.done() }
            return TravelledEntry(
                entry: entry, replayed: try replay.reduce(record, at: entry.offset))
        } catch {
            self.replay = .failure(CommandFailure(error))
            return TravelledEntry(entry: entry)
        }
    }

    /// Goes on to a later place; throws if it is a version that the room never reached.
    mutating func go(to place: Place) throws {
        switch place {
        case .newest: while try next() != nil {}
        case .offset(let offset):
            while let following = try reader.nextOffset(), following <= offset { _ = try next() }
        case .version(let wanted):
            while try version < wanted {
                guard try next() == nil else { continue }
                throw CommandFailure(
                    .trouble,
                    "Room '\(room.name)' hasn't come to version \(wanted): it is at "
                        + "\(try version).")
            }
        }
    }

    /// Restores the newest snapshot near `place` that is good.
    private mutating func begin(_ replay: any AnyRoomReplay, near place: Place) throws {
        let snapshots = try room.file.snapshots(of: room.name)
        for listed in snapshots.reversed()
        where place.isBehind(listed) && listed.offset >= room.room.floor {
            // If it isn't good, an older one will do, as for a server.
            guard let kept = try room.snapshot(at: listed.offset),
                (try? replay.restore(kept)) != nil
            else { continue }
            reader = EntryReader(room, after: kept.offset)
            return
        }
        guard room.room.floor > 0 else { return }
        throw CommandFailure(
            .trouble,
            "The entries of room '\(room.name)' up to offset \(room.room.floor) are no longer "
                + "kept, and there is no good snapshot from then or before."
                + (snapshots.first.map { " The oldest is of version \($0.version)." } ?? ""))
    }
}

/// Reads the entries of a room with one page in memory at a time, also while a server adds to them.
struct EntryReader {
    /// Few enough that a page of the longest actions fits into memory.
    private static let pageEntries = 200

    private let room: RecordedRoom
    /// The offset after which the next page begins.
    private var end: UInt64
    private var page: ArraySlice<JournalFileEntry> = []

    /// - Parameter offset: where to begin; entries after it have to be kept.
    init(_ room: RecordedRoom, after offset: UInt64) {
        self.room = room
        end = offset
    }

    /// The next entry; nil if there is none yet.
    mutating func next() throws -> JournalFileEntry? {
        try fill()
        return page.popFirst()
    }

    /// The offset of what ``next()`` returns.
    mutating func nextOffset() throws -> UInt64? {
        try fill()
        return page.first?.offset
    }

    private mutating func fill() throws {
        guard page.isEmpty else { return }
        page = try room.file.entries(of: room.name, after: end, limit: Self.pageEntries)[...]
        let floor = try room.file.floor(of: room.name)
        guard floor <= end else {
            throw CommandFailure(
                .trouble,
                "The entries up to offset \(floor) were given up while they were read. Try again.")
        }
        end = page.last?.offset ?? end
    }
}
