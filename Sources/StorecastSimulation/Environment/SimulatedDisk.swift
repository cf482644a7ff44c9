import StorecastRoom

/// A journal in memory that outlives the server's process: the durable records of one room.
final class SimulatedDisk: Journal {
    let isDurable = true
    private(set) var epoch: String
    /// All records that weren't lost; the first `forgotten` can't be read any more.
    private(set) var records: [JournalRecord] = []
    private var forgotten = 0
    /// In the order of their offsets.
    private var snapshots: [JournalSnapshot] = []

    init(epoch: String) {
        self.epoch = epoch
    }

    /// Restores a backup: all but the last `count` records, under another epoch. Returns how many
    /// were lost.
    func restore(losing count: Int, as epoch: String) -> Int {
        let lost = min(count, records.count - forgotten)
        records.removeLast(lost)
        snapshots.removeAll { $0.offset > records.count }
        self.epoch = epoch
        return lost
    }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        completion(.success(RoomHistory(epoch: epoch, head: UInt64(records.count))))
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        do {
            records += try batch.map { try JournalRecord($0) }
            completion(.success(UInt64(records.count)))
        } catch {
            completion(.failure(.unavailable("An action can't be encoded: \(error)")))
        }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        var offset = Int(after)
        guard offset >= forgotten else {
            receive(.failed(.truncated(below: UInt64(forgotten) + 1)))
            return Tail()
        }
        while offset < records.count {
            let end = min(offset + 100, records.count)
            receive(.entries((offset..<end).map { (UInt64($0 + 1), records[$0]) }))
            offset = end
        }
        receive(.caughtUp)
        return Tail()
    }

    /// Everything was read before `tail` returned.
    private final class Tail: JournalTail {
        func cancel() {}
    }

    // MARK: Snapshots

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        do {
            let content = try content()
            let place = snapshots.firstIndex { $0.offset >= offset } ?? snapshots.count
            snapshots.insert(
                JournalSnapshot(offset: offset, version: version, content: content), at: place)
            completion(.success(()))
        } catch {
            completion(.failure(.unfit(place: 0, "\(error)")))
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        completion(.success(snapshots.last { $0.offset <= offset }))
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        guard let last = snapshots.last, last.offset >= offset else {
            return completion(.failure(.unavailable("No snapshot holds what is to be forgotten.")))
        }
        forgotten = max(forgotten, Int(offset))
        if let newest = snapshots.lastIndex(where: { $0.offset <= offset }) {
            snapshots.removeFirst(newest)
        }
        completion(.success(()))
    }
}
