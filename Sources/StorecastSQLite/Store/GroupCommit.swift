import GRDB
import StorecastRoom
import Synchronization

/// The one writer of a file. Each transaction takes all batches that are waiting.
///
/// While the disk makes one transaction durable, the batches of all rooms and loops gather for the
/// next: the busier the server, the more actions share a wait for the disk.
final class GroupCommit: Sendable {
    /// What waits for the writer.
    private struct Inbox {
        var work: [Work] = []
        var isWriterAwake = false
        var isClosed = false
    }

    private enum Work: Sendable {
        case append(AppendRequest)
        case task(@Sendable (Database) -> Void)
    }

    private let pool: DatabasePool
    private let inbox = Mutex(Inbox())
    /// Used on the writer's thread only, so that nobody ever waits for the lock.
    private let log: Mutex<LogWriter>

    init(_ pool: DatabasePool, _ log: LogWriter) {
        self.pool = pool
        self.log = Mutex(log)
    }

    /// Appends a batch, together with the others that are waiting.
    func append(_ request: AppendRequest) {
        if !submit(.append(request)) { request.completion(.failure(.closed)) }
    }

    /// Runs `body` after everything that was submitted before. It makes its own transactions.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value,
        completion: @escaping @Sendable (Result<Value, JournalError>) -> Void
    ) {
        let isTaken = submit(
            .task { database in
                completion(Result { try body(database) }.mapError { JournalError($0) })
            })
        if !isTaken { completion(.failure(.closed)) }
    }

    /// Refuses further work, and runs `last` after everything that was submitted before. False if
    /// it was closed already.
    func close(_ last: @escaping @Sendable (Database) -> Void) -> Bool {
        submit(.task(last), isLast: true)
    }

    private func submit(_ work: Work, isLast: Bool = false) -> Bool {
        let (isTaken, wakesWriter) = inbox.withLock { inbox in
            guard !inbox.isClosed else { return (false, false) }
            inbox.isClosed = isLast
            inbox.work.append(work)
            defer { inbox.isWriterAwake = true }
            return (true, !inbox.isWriterAwake)
        }
        if wakesWriter { pool.asyncWriteWithoutTransaction { self.drain($0) } }
        return isTaken
    }

    private func drain(_ database: Database) {
        while let work = takeWork() {
            var requests: [AppendRequest] = []
            for piece in work {
                switch piece {
                case .append(let request): requests.append(request)
                case .task(let task):
                    commit(requests, to: database)
                    requests = []
                    task(database)
                }
            }
            commit(requests, to: database)
        }
    }

    /// The waiting work; nil if there is none, and then the writer has to be woken again.
    private func takeWork() -> [Work]? {
        inbox.withLock { inbox in
            inbox.isWriterAwake = !inbox.work.isEmpty
            guard inbox.isWriterAwake else { return nil }
            defer { inbox.work = [] }
            return inbox.work
        }
    }

    private func commit(_ requests: [AppendRequest], to database: Database) {
        guard !requests.isEmpty else { return }
        let outcomes = log.withLock { log in
            let outcomes = Self.transact(requests, &log, database)
            if outcomes.contains(where: \.isSuccess) { log.keep() } else { log.forget() }
            return outcomes
        }
        for (request, outcome) in zip(requests, outcomes) { request.completion(outcome) }
    }

    private static func transact(
        _ requests: [AppendRequest], _ log: inout LogWriter, _ database: Database
    ) -> [Result<UInt64, JournalError>] {
        var outcomes: [Result<UInt64, JournalError>] = []
        do {
            try database.beginTransaction(.immediate)
            for request in requests {
                outcomes.append(try request.append(to: &log, in: database))
            }
        } catch {
            try? database.rollback()
            return fail(requests, outcomes, with: JournalError(error))
        }
        do {
            try database.commit()
        } catch {
            try? database.rollback()
            return fail(requests, outcomes, with: JournalError(committing: error))
        }
        return outcomes
    }

    /// The outcomes of a failed transaction. Batches that are unfit keep their own error.
    private static func fail(
        _ requests: [AppendRequest], _ outcomes: [Result<UInt64, JournalError>],
        with error: JournalError
    ) -> [Result<UInt64, JournalError>] {
        requests.indices.map { index in
            if outcomes.indices.contains(index), case .failure = outcomes[index] {
                return outcomes[index]
            }
            return .failure(error)
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
