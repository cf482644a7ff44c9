/// A journal in memory: for tests and rooms that may be lost when the process ends.
///
/// Appends complete before `append` returns. It keeps the newest `capacity` entries of each room,
/// 0 by default, as a room that runs needs none of them.
package final class MemoryJournal: Journal {
    private struct Log {
        var epoch: String
        var head: UInt64 = 0
        var entries: [JournalEntry] = []
    }

    private let capacity: Int
    private var random: any RandomNumberGenerator
    private var logs: [String: Log] = [:]

    /// - Parameters:
    ///   - capacity: how many entries are kept for each room, at least.
    ///   - random: where the rooms' epochs come from.
    package init(
        capacity: Int = 0, random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.capacity = capacity
        self.random = random
    }

    package func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        let head = keep(batch, in: room)
        completion(.success(head))
    }

    package func entries(
        of room: String, after: UInt64
    ) throws(JournalError) -> [(offset: UInt64, entry: JournalEntry)] {
        guard let log = logs[room], after < log.head else { return [] }
        let first = log.head - UInt64(log.entries.count) + 1
        guard after + 1 >= first else { throw .truncated(below: first) }
        let kept = log.entries[Int(after + 1 - first)...]
        return zip((after + 1)..., kept).map { (offset: $0, entry: $1) }
    }

    package func head(of room: String) -> UInt64 {
        logs[room]?.head ?? 0
    }

    package func epoch(of room: String) -> String {
        withLog(of: room) { $0.epoch }
    }

    private func keep(_ batch: [JournalEntry], in room: String) -> UInt64 {
        let capacity = capacity
        return withLog(of: room) { log in
            log.head += UInt64(batch.count)
            guard capacity > 0 else { return log.head }
            log.entries += batch
            if log.entries.count >= capacity * 2 {
                log.entries.removeFirst(log.entries.count - capacity)
            }
            return log.head
        }
    }

    private func withLog<Result>(of room: String, _ body: (inout Log) -> Result) -> Result {
        var log = logs.removeValue(forKey: room) ?? Log(epoch: randomID(using: &random))
        defer { logs[room] = log }
        return body(&log)
    }
}
