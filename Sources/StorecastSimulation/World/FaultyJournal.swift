import StorecastRoom

/// A process's access to its journal, with delays and the faults of the scenario: a journal that
/// servers share has its own, and is asked at once, as it notes whose room asks.
///
/// When the process has ended, it passes nothing on in either direction.
final class FaultyJournal: Journal {
    private let storage: any Journal
    private unowned let process: ServerProcess
    private unowned let world: World
    /// Whether the outcome of the last batch is unknown, so that the next one is the same batch.
    private var isUncertain = false

    init(_ storage: any Journal, of process: ServerProcess, in world: World) {
        self.storage = storage
        self.process = process
        self.world = world
    }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        begin { [self] in
            if world.faults.first == .unavailable {
                world.faults.removeFirst()
                world.note(.journal, 0, 1) { "can't be opened" }
                return completion(.failure(.unavailable("simulated")))
            }
            storage.open(room, completion: completion)
        }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        storage.tail(of: room, after: after, receive: receive)
    }

    func isAlone(
        in room: String, completion: @escaping (Result<Bool, JournalError>) -> Void
    ) {
        begin { [self] in storage.isAlone(in: room, completion: completion) }
    }

    func close(_ room: String) { storage.close(room) }

    var isDurable: Bool { storage.isDurable }

    // MARK: Snapshots

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        begin { [self] in
            guard !process.failsAtSnapshots() else {
                return completion(.failure(.unavailable("simulated")))
            }
            storage.saveSnapshot(of: room, offset: offset, version: version, content: content) {
                [self] result in
                world.note(.journal, 0, Int(offset)) { "keeps a snapshot as of entry \(offset)" }
                guard process.isAlive, !process.crashesNow() else { return }
                completion(result)
            }
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        begin { [self] in
            guard !process.failsAtSnapshots() else {
                return completion(.failure(.damaged("simulated")))
            }
            storage.loadSnapshot(of: room, through: offset, completion: completion)
        }
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        begin { [self] in storage.truncate(room, through: offset, completion: completion) }
    }

    // MARK: Entries

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        guard !process.crashesNow() else { return }
        let fault = world.faults.isEmpty ? nil : world.faults.removeFirst()
        if case .stalled(let time) = fault {
            process.after(time) { [self] in
                keep(batch, room) { [self] result in later { completion(result) } }
            }
        } else {
            begin { [self] in
                perform(fault, batch, room) { [self] result in later { completion(result) } }
            }
        }
    }

    private func perform(
        _ fault: JournalFault?, _ batch: [JournalEntry], _ room: String,
        _ completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        if let fault {
            world.note(.journal, 0, batch.count) {
                "\(fault.debugDescription), \(batch.count) entries"
            }
        }
        // A batch that may be there already can't be refused as unfit.
        let isRetry = isUncertain
        isUncertain =
            fault == .unknownKept || fault == .unknownLost || isRetry && fault == .unavailable
        switch fault {
        case .unavailable: completion(.failure(.unavailable("simulated")))
        case .unknownLost: completion(.failure(.unknownOutcome("simulated")))
        case .unknownKept:
            keep(batch, room) { _ in completion(.failure(.unknownOutcome("simulated"))) }
        case .keptTwice:
            keep(batch, room) { [self] _ in keep(batch, room, completion) }
        case .unfit:
            // The server's own entries are small and always fit.
            let place = batch.lastIndex {
                $0.rejection == nil && world.client(withID: $0.client) != nil
            }
            guard !isRetry, let place else { return keep(batch, room, completion) }
            completion(.failure(.unfit(place: place, "simulated")))
        case nil, .stalled: keep(batch, room, completion)
        }
    }

    private func keep(
        _ batch: [JournalEntry], _ room: String,
        _ completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        storage.append(batch, to: room) { [self] result in
            // What servers share says itself what it keeps, and when.
            if case .success = result, world.cluster == nil { world.becameDurable(batch) }
            guard process.isAlive, !process.crashesNow() else { return }
            completion(result)
        }
    }

    /// Asks the journal.
    private func begin(_ body: @escaping () -> Void) {
        if world.cluster == nil { later(body) } else { body() }
    }

    /// Runs `body` after the journal's delay, if the process is still alive.
    private func later(_ body: @escaping () -> Void) {
        let delay = process.journalDelay()
        if delay == .zero { body() } else { process.after(delay, body) }
    }
}
