import StorecastSync

/// Finds what a room's state was at an earlier version, by reducing its log again.
///
/// From the newest snapshot that isn't above the version, in the journal's pages, so that the loop
/// goes on with other things in between. Belongs to the room's loop, and lives until it is done.
final class StateLookup<State: Codable & Sendable> {
    let version: UInt64
    /// Nil until it is known.
    private(set) var result: Result<State, Rejection>?

    private let room: String
    private let journal: any Journal
    private let replay: RoomReplay<State>
    private let completion: (Result<State, Rejection>) -> Void
    private var tail: (any JournalTail)?

    /// Begins; `completion` is called once, possibly before this returns.
    init(
        of version: UInt64, in log: RoomLog<State>, of room: String, journal: any Journal,
        completion: @escaping (Result<State, Rejection>) -> Void
    ) {
        self.version = version
        self.room = room
        self.completion = completion
        self.journal = journal
        replay = RoomReplay(of: log)
        loadSnapshot(through: log.offset)
    }

    private func loadSnapshot(through offset: UInt64) {
        journal.loadSnapshot(of: room, through: offset) { [self] result in
            guard case .success(let kept?) = result, kept.offset <= offset else { return follow() }
            let isRestored = kept.version <= version && (try? replay.restore(kept)) != nil
            if isRestored || kept.offset == 0 {
                follow()
            } else {
                loadSnapshot(through: kept.offset - 1)
            }
        }
    }

    private func follow() {
        if replay.version == version { return end(.success(replay.state)) }
        let tail = journal.tail(of: room, after: replay.offset) { [self] event in
            take(event)
        }
        if result == nil { self.tail = tail } else { tail.cancel() }
    }

    private func take(_ event: JournalTailEvent) {
        guard result == nil else { return }
        if case .term = event { return }
        guard case .entries(let records) = event else { return end(.failure(Self.unknown)) }
        do throws(JournalError) {
            for (offset, record) in records {
                try replay.reduce(record, at: offset)
                if replay.version == version { return end(.success(replay.state)) }
            }
        } catch {
            end(.failure(Self.unknown))
        }
    }

    private func end(_ result: Result<State, Rejection>) {
        self.result = result
        tail?.cancel()
        tail = nil
        completion(result)
    }

    private static var unknown: Rejection {
        Rejection(.invalid, "The room's state at this version isn't known any more.")
    }
}
