import StorecastRoom

/// A journal whose appends end when and how a test says.
final class TestJournal: Journal {
    /// How an append ends.
    enum End {
        case kept
        case refused
        case unknown(kept: Bool)
        case unfit(place: Int)
        /// Another server writes the room.
        case replaced
        /// The process dies before it hears.
        case unheard(kept: Bool)

        fileprivate var isKept: Bool {
            switch self {
            case .kept, .unknown(kept: true), .unheard(kept: true): true
            default: false
            }
        }
    }

    private(set) var pending: [(batch: [JournalEntry], finish: (End) -> Void)] = []
    var entries: [JournalEntry]
    /// How many of the next appends fail at once.
    var failures = 0
    /// Whether appends end at once.
    var isImmediate: Bool
    /// Whether it answers who opens a room.
    var opensRooms = true
    /// Whether another process wrote its rooms last.
    var isTakenOver = false
    /// In which term it is written from now on.
    var term: String?
    /// What whoever reads the log is told before its entries; nil for nothing.
    var termRead: String?
    /// Why rooms can't be opened.
    var openingError: JournalError?
    /// Whether it keeps its entries, and says so of snapshots, which nobody needs beside them.
    var isDurable = false
    /// What its disk has left.
    var freeBytes: Int?
    /// Whether writing a snapshot takes until `finishSnapshots()`.
    var holdsSnapshots = false
    /// Whether nobody else writes; nil: it doesn't answer.
    var isAlone: Bool? = true
    private(set) var timesAsked = 0
    /// The rooms that have left memory.
    private(set) var closed: [String] = []
    private var snapshots: [(Result<Void, JournalError>) -> Void] = []
    private var openings: [(Result<RoomHistory, JournalError>) -> Void] = []

    init(isImmediate: Bool = false, entries: [JournalEntry] = []) {
        self.isImmediate = isImmediate
        self.entries = entries
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        let finish = { [unowned self] (end: End) in
            if end.isKept { entries += batch }
            switch end {
            case .kept: completion(.success(UInt64(entries.count)))
            case .refused: completion(.failure(.unavailable("The test says so.")))
            case .unknown: completion(.failure(.unknownOutcome("The test doesn't say.")))
            case .unfit(let place): completion(.failure(.unfit(place: place, "Too odd.")))
            case .replaced: completion(.failure(.replaced("The test says so.")))
            case .unheard: break
            }
        }
        if failures > 0 {
            failures -= 1
            finish(.refused)
        } else if isImmediate {
            finish(.kept)
        } else {
            pending.append((batch, finish))
        }
    }

    func close(_ room: String) { closed.append(room) }

    func isAlone(
        in room: String, completion: @escaping (Result<Bool, JournalError>) -> Void
    ) {
        timesAsked += 1
        if let isAlone { completion(.success(isAlone)) }
    }

    /// Ends the append under way.
    func finish(_ end: End) {
        guard !pending.isEmpty else { return }
        pending.removeFirst().finish(end)
    }

    /// Ends the append under way, well or not.
    func finish(_ works: Bool = true) {
        finish(works ? .kept : .refused)
    }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        guard opensRooms else { return openings.append(completion) }
        if let openingError { return completion(.failure(openingError)) }
        let history = RoomHistory(
            epoch: "test-epoch", head: UInt64(entries.count), isTakenOver: isTakenOver,
            term: term)
        completion(.success(history))
    }

    /// Answers those who open rooms, and waited.
    func finishOpening() {
        opensRooms = true
        let waiting = openings
        openings = []
        for completion in waiting { open("", completion: completion) }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        let kept = entries.enumerated().dropFirst(Int(after))
        do {
            let records = try kept.map { (UInt64($0 + 1), try JournalRecord($1)) }
            if let termRead { receive(.term(termRead)) }
            if !records.isEmpty { receive(.entries(records)) }
            receive(.caughtUp)
        } catch {
            receive(.failed(.damaged("\(error)")))
        }
        return Tail()
    }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        snapshots.append(completion)
        if !holdsSnapshots { finishSnapshots() }
    }

    func finishSnapshots() {
        let ended = snapshots
        snapshots = []
        for end in ended {
            end(isDurable ? .success(()) : .failure(.unavailable("The test keeps no snapshots.")))
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        completion(.success(nil))
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        completion(.failure(.unavailable("The test forgets nothing.")))
    }

    private final class Tail: JournalTail {
        func cancel() {}
    }
}
