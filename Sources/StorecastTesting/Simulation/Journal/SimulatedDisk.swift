import StorecastSync

/// A journal in memory that outlives the server's process: one room's records, as they are at rest.
final class SimulatedDisk: Journal {
    private(set) var epoch: String
    private(set) var records: [JournalRecord] = []

    init(epoch: String) {
        self.epoch = epoch
    }

    /// What a backup brings back: the first `count` records, as a history of its own.
    func restore(keeping count: Int, as epoch: String) {
        records.removeLast(records.count - count)
        self.epoch = epoch
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
        while offset < records.count {
            let end = min(offset + 100, records.count)
            receive(.entries((offset..<end).map { (UInt64($0 + 1), records[$0]) }))
            offset = end
        }
        receive(.caughtUp)
        return Tail()
    }

    /// Nobody appends to the room while it is read.
    private final class Tail: JournalTail {
        func cancel() {}
    }
}
