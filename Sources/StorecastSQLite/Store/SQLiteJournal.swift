import StorecastRoom

/// The journal of one loop in a ``SQLiteStore``: hands work to the store's threads, and brings the
/// results back to the loop.
final class SQLiteJournal: Journal {
    private let store: SQLiteStore
    private let loop: JournalLoop
    private var tails = PagedTails<LogPage.Start>()
    private let slot: ReducingSlot
    /// Entries that may end the process; seldom any.
    private var suspects: [ReducingSlot.Note]

    let isDurable = true

    var freeBytes: Int? { store.freeBytes }

    init(_ store: SQLiteStore, on loop: @escaping JournalLoop) {
        self.store = store
        self.loop = loop
        slot = store.reducing.slot()
        suspects = store.review.suspects
    }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        let callback = LoopCallback(loop, completion)
        if let problem = store.review.closed[Array(room.utf8)] {
            return callback.call(.failure(.damaged(problem)))
        }
        let unknown = RoomHistory(epoch: store.history.epoch(of: room), head: 0)
        store.read { database in
            guard let log = try RoomRow(named: room, in: database) else { return unknown }
            return RoomHistory(epoch: log.epoch, head: try log.head(in: database).offset)
        } completion: {
            callback.call($0)
        }
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        let callback = LoopCallback<Result<UInt64, JournalError>>(loop) { [weak self] result in
            completion(result)
            if case .success = result { self?.tails.grown(room) }
        }
        store.writer.append(AppendRequest(room: room, batch: batch) { callback.call($0) })
    }

    func reducing(_ offset: UInt64, of room: String, isNew: Bool) {
        slot.note(offset, of: room, isNew: isNew)
    }

    func reduced() {
        slot.clear()
        guard !suspects.isEmpty else { return }
        // These and those before them were reduced without a crash.
        let acquitted = suspects.filter {
            $0.room.utf8.elementsEqual(slot.room.utf8) && $0.offset <= slot.offset
        }
        for suspect in acquitted { store.reducing.acquit(suspect) }
        suspects.removeAll { acquitted.contains($0) }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        let source: PagedTail<LogPage.Start>.Source = { [store] start, completion in
            store.read { database in
                let page = try LogPage(of: room, from: start, in: database)
                return PagedTail.Page(
                    entries: page.entries, end: LogPage.Start.entry(page.end), isLast: page.isLast)
            } completion: {
                completion($0)
            }
        }
        let tail = PagedTail(from: .offset(after), on: loop, source: source, receive: receive)
        tails.add(tail, of: room)
        return tail
    }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        let callback = LoopCallback(loop, completion)
        store.saveSnapshot(of: room, offset: offset, version: version, content: content) {
            callback.call($0)
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        let callback = LoopCallback(loop, completion)
        store.read { database in
            try SnapshotTable.newest(ofRoom: room, through: offset, in: database)
        } completion: {
            callback.call($0)
        }
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        let callback = LoopCallback(loop, completion)
        store.truncate(room, through: offset) { callback.call($0) }
    }
}
