import GRDB
import StorecastRoom

/// What is done, before any room is opened, about entries whose reducing the process didn't
/// survive.
struct CrashReview: Sendable {
    /// What to tell the server's owner.
    private(set) var reports: [String] = []
    /// Rooms that aren't opened, and why; by the bytes of their names.
    private(set) var closed: [[UInt8]: String] = [:]
    /// Entries that may end the process again when they are reduced.
    private(set) var suspects: [ReducingSlot.Note] = []

    private let policy: CrashPolicy
    private let path: String

    /// Reviews what a file says, and writes the tombstones that are due.
    init(
        of file: ReducingFile, by policy: CrashPolicy, in database: Database, _ path: String
    ) throws {
        self.policy = policy
        self.path = path
        for suspect in file.suspects where try !review(suspect, in: database) {
            file.acquit(suspect)
        }
    }

    /// Whether the entry is still to be reduced some day.
    private mutating func review(
        _ suspect: ReducingSlot.Note, in database: Database
    ) throws -> Bool {
        guard let entry = try SuspectedEntry(suspect.offset, of: suspect.room, in: database) else {
            return false
        }
        let place = "the entry at offset \(suspect.offset) (\(entry.types))"
        let times = suspect.crashes == 1 ? "once" : "\(suspect.crashes) times in a row"
        let ended =
            "The process ended \(times) while it reduced \(place) of room '\(suspect.room)'."
        if suspect.crashes < policy.crashes {
            let then = policy.skips ? "the room goes on without it" : "the room stays closed"
            reports.append("\(ended) When it was \(policy.crashes) times, \(then).")
        } else if policy.skips, suspect.isNew {
            try database.inTransactionReturning {
                try entry.bury(crashes: suspect.crashes, in: database)
            }
            reports.append(
                "\(ended) The room goes on WITHOUT this action, which counts as rejected for good.")
            // Kept until the room is past it: what came with it wasn't reduced before either.
        } else {
            let reason = policy.skips ? " Its sender may have been told that it was reduced." : ""
            let problem =
                "\(ended) The room isn't opened.\(reason) Mend the reducer, end the server with "
                + "SIGTERM and start it again; or end it and have the room go on without the action: "
                + "storecast journal skip \(path.quoted) --room \(suspect.room.quoted) --offset "
                + "\(suspect.offset)"
            reports.append(problem)
            closed[Array(suspect.room.utf8)] = problem
        }
        suspects.append(suspect)
        return true
    }
}

/// An entry in a file that can't be reduced.
struct SuspectedEntry {
    /// The names of its actions.
    let types: String
    private let room: Int64
    private let offset: UInt64

    /// Nil if there is no such entry (any more), or it has a tombstone already.
    init?(_ offset: UInt64, of name: String, in database: Database) throws {
        guard let log = try RoomLog(named: name, in: database), offset > log.floor.offset,
            let (place, row) = try LogRows(of: log.id, after: offset - 1, in: database).next(),
            place.offset == offset, row.rejection == nil, row.tombstone == nil
        else { return nil }
        room = log.id
        self.offset = offset
        let actions = (try? row.record().actions) ?? []
        types =
            actions.isEmpty
            ? "no action" : actions.map { $0.type.excerpt() }.joined(separator: ", ")
    }

    /// Whether a snapshot is newer, so that the entry was reduced.
    func isInSnapshot(in database: Database) throws -> Bool {
        try SnapshotTable.all(of: room, in: database).last.map { $0.offset >= offset } ?? false
    }

    /// Puts a tombstone over it, within a transaction.
    func bury(crashes: Int?, in database: Database) throws {
        let rejection = Tombstones.rejection(crashes: crashes)
        try Tombstones.add(
            EntryRow.text(rejection, of: nil), over: offset, of: room, in: database)
    }
}

extension String {
    /// As one word of a shell's, whatever is in it.
    fileprivate var quoted: String { "'" + replacing("'", with: #"'\''"#) + "'" }
}
