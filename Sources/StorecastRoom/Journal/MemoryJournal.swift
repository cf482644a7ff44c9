import StorecastSync
import StorecastWire

/// A journal in memory: for tests and rooms that may be lost when the process ends.
///
/// Everything completes before a call returns. It keeps the newest `capacity` entries of each room,
/// none by default, as a room that runs needs none of them.
package final class MemoryJournal: Journal {
    private struct Log {
        var epoch: String
        var head: UInt64 = 0
        var entries: [JournalEntry] = []
        var tails: [Tail] = []
        /// The oldest first.
        var snapshots: [JournalSnapshot] = []
    }

    private final class Tail: JournalTail {
        var receive: ((JournalTailEvent) -> Void)?

        init(_ receive: @escaping (JournalTailEvent) -> Void) { self.receive = receive }

        func cancel() { receive = nil }
    }

    private let capacity: Int
    private var random: any RandomNumberGenerator
    private var logs: [ExactString: Log] = [:]

    /// - Parameters:
    ///   - capacity: how many entries are kept for each room, at least; `Int.max` for all, so that
    ///     rooms may come and go while the journal lives.
    ///   - random: where the rooms' epochs come from.
    package init(
        capacity: Int = 0, random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.capacity = capacity
        self.random = random
    }

    package var isDurable: Bool { capacity == .max }

    package func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        if capacity == 0 {
            // Nothing of it can be read again, so this is another history. Nor is anything kept of
            // it, so that opening any number of paths costs nothing.
            logs[ExactString(room)] = nil
            return completion(.success(RoomHistory(epoch: randomID(using: &random), head: 0)))
        }
        let history = withLog(of: room) { RoomHistory(epoch: $0.epoch, head: $0.head) }
        completion(.success(history))
    }

    package func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        let (head, tails) = keep(batch, in: room)
        if !tails.isEmpty {
            let event = events(batch, from: head - UInt64(batch.count) + 1)
            for tail in tails { tail.receive?(event) }
        }
        completion(.success(head))
    }

    package func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        let tail = Tail(receive)
        let (head, kept) = withLog(of: room) { ($0.head, $0.entries) }
        let first = head - UInt64(kept.count) + 1
        guard after >= head || after + 1 >= first else {
            receive(.failed(.truncated(below: first)))
            return tail
        }
        if after < head { receive(events(kept[Int(after + 1 - first)...], from: after + 1)) }
        tail.receive?(.caughtUp)
        withLog(of: room) { $0.tails.append(tail) }
        return tail
    }

    package func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        do {
            let snapshot = JournalSnapshot(
                offset: offset, version: version, content: try content())
            withLog(of: room) { log in
                log.snapshots.removeAll { $0.offset == offset }
                let place = log.snapshots.firstIndex { $0.offset > offset } ?? log.snapshots.count
                log.snapshots.insert(snapshot, at: place)
            }
            completion(.success(()))
        } catch {
            completion(.failure(.unfit(place: 0, "\(error)")))
        }
    }

    package func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        let snapshot = withLog(of: room) { log in log.snapshots.last { $0.offset <= offset } }
        completion(.success(snapshot))
    }

    package func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        let isHeld = withLog(of: room) { log in
            guard let newest = log.snapshots.last, newest.offset >= offset else { return false }
            let kept = log.snapshots.lastIndex { $0.offset <= offset } ?? 0
            log.snapshots.removeFirst(kept)
            let first = log.head - UInt64(log.entries.count) + 1
            if offset >= first { log.entries.removeFirst(Int(offset + 1 - first)) }
            return true
        }
        completion(
            isHeld ? .success(()) : .failure(.unavailable("No snapshot holds the entries.")))
    }

    private func events(
        _ entries: some Sequence<JournalEntry>, from first: UInt64
    ) -> JournalTailEvent {
        do {
            return .entries(
                try zip(first..., entries).map { (offset: $0, record: try JournalRecord($1)) })
        } catch {
            return .failed(.damaged("An action can't be encoded: \(error)"))
        }
    }

    private func keep(_ batch: [JournalEntry], in room: String) -> (head: UInt64, tails: [Tail]) {
        let capacity = capacity
        return withLog(of: room) { log in
            log.head += UInt64(batch.count)
            if capacity > 0 {
                log.entries += batch
                if log.entries.count / 2 >= capacity {
                    log.entries.removeFirst(log.entries.count - capacity)
                }
            }
            if !log.tails.isEmpty { log.tails.removeAll { $0.receive == nil } }
            return (log.head, log.tails)
        }
    }

    private func withLog<Result>(of room: String, _ body: (inout Log) -> Result) -> Result {
        var log =
            logs.removeValue(forKey: ExactString(room)) ?? Log(epoch: randomID(using: &random))
        defer { logs[ExactString(room)] = log }
        return body(&log)
    }
}

/// Journals in memory: each loop has one of its own, and they share nothing.
package struct MemoryJournalStore: JournalStore {
    private let capacity: Int

    /// - Parameter capacity: how many entries are kept for each room, at least.
    package init(capacity: Int = 0) {
        self.capacity = capacity
    }

    package func journal(on loop: @escaping JournalLoop) -> any Journal {
        MemoryJournal(capacity: capacity)
    }

    package func close() async {}
}
