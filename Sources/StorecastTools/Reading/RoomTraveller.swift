import StorecastSQLite
import StorecastRoom

/// Goes through a recorded room, entry by entry, and reduces them as long as that is possible.
///
/// It begins at the nearest snapshot, and holds nothing but the state and a page of entries.
struct RoomTraveller {
    /// A place in a room's history.
    enum Place {
        /// Where the version was reached.
        case version(UInt64)
        /// Behind the entry at the offset, or the last one before it.
        case offset(UInt64)
        /// Behind the newest entry.
        case newest

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
    /// Or why states aren't known any more, or never were.
    private var replay: Result<any AnyRoomReplay, CommandFailure>

    /// A traveller at the nearest snapshot that isn't behind `place`, or where the history begins.
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

    /// The version at which it is; throws if that isn't known.
    var version: UInt64 { get throws { try replay.get().version } }

    /// The newest entry in the state at which it is; throws if that isn't known.
    var offset: UInt64 { get throws { try replay.get().offset } }

    /// The state at which it is, as JSON; throws if it isn't known.
    var state: JSON { get throws { try replay.get().tree() } }

    /// A selection at which it is, as `viewer` sees it; throws if it isn't known, or makes no
    /// sense.
    func value(of selection: String, _ parameters: JSON?, viewer: Identity) throws -> JSON {
        do {
            return try replay.get().value(of: selection, parameters, viewer: viewer)
        } catch let rejection as Rejection {
            throw CommandFailure(.refused, rejection.description)
        }
    }

    /// All that the room had become, for another room; throws if it isn't known.
    var snapshot: JournalSnapshot { get throws { try replay.get().keptSnapshot() } }

    /// Why states aren't known any more, or never were.
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

    /// Goes on to a place that isn't behind; throws if it is a version that is never reached.
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
            // One that isn't good is passed over for an older one, as a server does.
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
                + "kept, and no good snapshot that isn't later than what was asked for."
                + (snapshots.first.map { " The oldest is of version \($0.version)." } ?? ""))
    }
}
