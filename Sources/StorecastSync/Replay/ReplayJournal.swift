/// The journal of a room that is only replayed: it never answers, so that the room stays as it is
/// while it reads its history, and is handed its entries by somebody else.
final class ReplayJournal: Journal {
    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {}

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {}

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail { Tail() }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {}

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {}

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {}

    private final class Tail: JournalTail {
        func cancel() {}
    }
}
