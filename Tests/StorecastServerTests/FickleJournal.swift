import StorecastRoom
import Synchronization

/// Where a server keeps rooms in memory, whose rooms can be opened or not, as a test has it.
final class FickleJournal: Sendable {
    /// What becomes of a room that is to be opened.
    enum Answer {
        case history
        case failure(JournalError)
        /// It is waited for without end.
        case none
    }

    private struct State {
        var answer = Answer.history
        var asked = 0
        var takesAppends = true
        var users = 0
    }

    private let state = Mutex(State())

    /// What becomes of rooms from now on.
    var answer: Answer {
        get { state.withLock(\.answer) }
        set { state.withLock { $0.answer = newValue } }
    }

    /// Whether appends have an outcome from now on.
    var takesAppends: Bool {
        get { state.withLock(\.takesAppends) }
        set { state.withLock { $0.takesAppends = newValue } }
    }

    /// How often a room was to be opened.
    var asked: Int { state.withLock(\.asked) }

    /// How many servers have it open.
    var users: Int { state.withLock(\.users) }

    /// - Parameters:
    ///   - opening: runs while a server opens it.
    ///   - beginning: runs when a loop of the server begins.
    func provider(
        opening: @escaping @Sendable () async throws(JournalError) -> Void = {
            () async throws(JournalError) in
        },
        beginning: @escaping @Sendable () -> Void = {}
    ) -> JournalProvider {
        JournalProvider { [self] () async throws(JournalError) in
            try await opening()
            state.withLock { $0.users += 1 }
            return Store(owner: self, beginning: beginning)
        }
    }

    private struct Store: JournalStore {
        let owner: FickleJournal
        let beginning: @Sendable () -> Void

        func journal(on loop: @escaping JournalLoop) -> any Journal {
            beginning()
            return FickleRooms(owner)
        }

        func close() async { owner.state.withLock { $0.users -= 1 } }
    }

    /// Whether a room may be opened now; nil if nobody is to know.
    fileprivate func ask() -> Answer {
        state.withLock { state in
            state.asked += 1
            return state.answer
        }
    }
}

/// The rooms of one loop.
private final class FickleRooms: Journal {
    private let owner: FickleJournal
    private let memory = MemoryJournal(capacity: .max)

    init(_ owner: FickleJournal) {
        self.owner = owner
    }

    var isDurable: Bool { true }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        switch owner.ask() {
        case .history: memory.open(room, completion: completion)
        case .failure(let error): completion(.failure(error))
        case .none: break
        }
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        guard owner.takesAppends else { return }
        memory.append(batch, to: room, completion: completion)
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        memory.tail(of: room, after: after, receive: receive)
    }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        memory.saveSnapshot(
            of: room, offset: offset, version: version, content: content, completion: completion)
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        memory.loadSnapshot(of: room, through: offset, completion: completion)
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        memory.truncate(room, through: offset, completion: completion)
    }
}
