import GRDB
import StorecastRoom

/// What is decided about entries whose reducing ended the process, before any room is opened.
struct CrashReview: Sendable {
    /// Messages for the server's log.
    private(set) var reports: [String] = []
    /// The rooms that aren't opened, with the reason; by the bytes of their names.
    private(set) var closed: [[UInt8]: String] = [:]
    /// Entries that may end the process again when they are reduced.
    private(set) var suspects: [ReducingSlot.Note] = []

    let policy: CrashPolicy
    private let path: String

    /// Reviews the file's suspects, and writes the tombstones that are due.
    init(
        of file: ReducingFile, by policy: CrashPolicy, in database: Database, _ path: String
    ) throws {
        self.policy = policy
        self.path = path
        for suspect in file.suspects where try !review(suspect, in: database) {
            file.acquit(suspect)
        }
    }

    /// Whether the entry may be reduced again.
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
            // Still a suspect until the room is past it: later entries weren't reduced before
            // either.
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

/// An entry in the file that may have ended the process.
struct SuspectedEntry {
    /// The names of its actions.
    let types: String
    private let room: Int64
    private let offset: UInt64

    /// Nil if there is no such entry, or no longer, or if it is rejected already.
    init?(_ offset: UInt64, of name: String, in database: Database) throws {
        guard let log = try RoomRow(named: name, in: database), offset > log.floor.offset,
            let (place, row) = try EntryRows(of: log.id, after: offset - 1, in: database).next(),
            place.offset == offset, row.rejection == nil, row.tombstone == nil
        else { return nil }
        room = log.id
        self.offset = offset
        let actions = (try? row.record().actions) ?? []
        types =
            actions.isEmpty
            ? "no action" : actions.map { $0.type.excerpt() }.joined(separator: ", ")
    }

    /// Whether a snapshot is newer, which shows that the entry was reduced.
    func isInSnapshot(in database: Database) throws -> Bool {
        try SnapshotTable.all(of: room, in: database).last.map { $0.offset >= offset } ?? false
    }

    /// Adds a tombstone for it. Within a transaction.
    func bury(crashes: Int?, in database: Database) throws {
        let rejection = Tombstones.rejection(crashes: crashes)
        try Tombstones.add(
            EntryRow.text(rejection, of: nil), over: offset, of: room, in: database)
    }
}

extension String {
    /// Quoted as one word for a shell.
    fileprivate var quoted: String { "'" + replacing("'", with: #"'\''"#) + "'" }
}

/// What becomes of a room when the process ends again and again while it reduces the same action.
public struct CrashPolicy: Sendable {
    let skips: Bool
    let crashes: Int

    /// After so many crashes in a row the room goes on without the action, which then counts as
    /// rejected (`internal`), for good. Only if nobody was told that it had been reduced: one that
    /// an earlier version of the code reduced is as with ``stop(after:)``.
    ///
    /// - Parameter crashes: 1 or more.
    public static func skip(after crashes: Int = 3) -> CrashPolicy {
        CrashPolicy(skips: true, crashes)
    }

    /// After so many crashes in a row the room isn't opened; other rooms are. It is tried again
    /// when the server was ended in order and is started again.
    ///
    /// - Parameter crashes: 1 or more.
    public static func stop(after crashes: Int = 3) -> CrashPolicy {
        CrashPolicy(skips: false, crashes)
    }

    private init(skips: Bool, _ crashes: Int) {
        precondition(crashes >= 1, "A room isn't given up before it has crashed.")
        self.skips = skips
        self.crashes = crashes
    }
}
