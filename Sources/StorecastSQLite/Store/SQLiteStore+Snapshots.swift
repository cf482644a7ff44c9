import Dispatch
import GRDB
import StorecastSync

extension SQLiteStore {
    /// Has the content made on a thread of its own, and writes it part by part between the batches.
    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        DispatchQueue.global(qos: .utility).async { [self] in
            do {
                let snapshot = JournalSnapshot(
                    offset: offset, version: version, content: try content())
                writePart(0, of: snapshot, as: nil, room, completion)
            } catch {
                completion(.failure(.unfit(place: 0, "\(error)")))
            }
        }
    }

    private func writePart(
        _ number: Int, of snapshot: JournalSnapshot, as id: Int64?, _ room: String,
        _ completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        let start = number * SnapshotTable.partBytes
        let rest = snapshot.content[start...]
        let isLast = rest.count <= SnapshotTable.partBytes
        writer.write { [history] database in
            try database.inTransactionReturning {
                let id =
                    try id
                    ?? SnapshotTable.begin(
                        snapshot, of: roomID(room, history, in: database), in: database)
                try SnapshotTable.add(
                    rest.prefix(SnapshotTable.partBytes), number, to: id, in: database)
                if isLast { try SnapshotTable.finish(id, in: database) }
                return id
            }
        } completion: { [self] result in
            switch result {
            case .success where isLast: completion(.success(()))
            case .success(let id):
                writePart(number + 1, of: snapshot, as: id, room, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Forgets entries a portion at a time, between the batches.
    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        read { database in
            guard let log = try RoomLog(named: room, in: database),
                let newest = try SnapshotTable.newest(of: log.id, through: .max, in: database),
                newest.offset >= offset
            else { throw JournalError.unavailable("No snapshot holds the entries.") }
            return log.id
        } completion: { [self] result in
            switch result {
            case .success(let id): removePortion(of: id, through: offset, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func removePortion(
        of room: Int64, through offset: UInt64,
        _ completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        writer.write { database in
            try database.inTransactionReturning {
                let isLast = try LogTruncation.removePortion(
                    of: room, through: offset, in: database)
                if isLast {
                    try SnapshotTable.removeBefore(offset, of: room, in: database)
                }
                return isLast
            }
        } completion: { [self] result in
            switch result {
            case .success(true): shrink(completion)
            case .success(false): removePortion(of: room, through: offset, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func shrink(_ completion: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        writer.write {
            try LogTruncation.shrink($0)
        } completion: { [self] result in
            switch result {
            case .success(true): completion(.success(()))
            case .success(false): shrink(completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}

private func roomID(_ room: String, _ history: StoreHistory, in database: Database) throws -> Int64
{
    let log = try RoomLog(named: room, in: database)
    return
        try log?.id
        ?? RoomLog(beginning: room, epoch: history.epoch(of: room), in: database).id
}
