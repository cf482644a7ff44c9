package import StorecastRoom
import StorecastWebSocket

/// The journals of a server's rooms at NATS JetStream, where other servers go on with them.
///
/// One connection for all loops, on a loop of its own. May be used from any thread.
package final class JetStreamStore: JournalStore {
    private let loop: EventLoop
    let jetStream: JetStream
    package let logs: JetStreamLogs
    let snapshots: JetStreamSnapshots
    /// Who has which room, if servers share them; else this server takes what it is asked for.
    package let places: RoomPlaces?
    private let own: String

    private init(
        _ loop: EventLoop, _ jetStream: JetStream, _ layout: JetStreamLayout, _ own: String?,
        _ pulseInterval: Duration
    ) {
        self.loop = loop
        self.jetStream = jetStream
        self.own = own ?? ""
        places = own.map { _ in
            RoomPlaces(jetStream, layout, on: loop, interval: pulseInterval)
        }
        logs = JetStreamLogs(jetStream, layout, on: loop)
        snapshots = JetStreamSnapshots(jetStream, layout)
    }

    /// Connects, and finds or makes the streams. Servers that have just been started haven't chosen
    /// their leaders yet: it is tried again then.
    ///
    /// - Parameters:
    ///   - own: the id of this server in its cluster, if it is one of several that share rooms.
    ///   - timeout: of each request, also later.
    ///   - patience: how long it may take until all is there.
    /// - Throws: ``JournalError/unavailable(_:)`` with a sentence if NATS can't be reached, is too
    ///   old, has no JetStream, or keeps less than was asked for.
    @concurrent package static func open(
        _ configuration: NATSConfiguration, _ layout: JetStreamLayout = .init(),
        own: String? = nil, timeout: Duration = .seconds(5), patience: Duration = .seconds(30),
        pulseInterval: Duration = .milliseconds(500)
    ) async throws(JournalError) -> JetStreamStore {
        let loop: EventLoop
        let end = ContinuousClock.now + patience
        do { loop = try EventLoop(name: "storecast-nats") } catch {
            throw .unavailable(error.description)
        }
        let jetStream = await JetStream(on: loop, configuration, timeout: timeout)
        let store = JetStreamStore(loop, jetStream, layout, own, pulseInterval)
        do throws(NATSError) {
            try await jetStream.connected(within: patience)
            while true {
                do throws(NATSError) {
                    try await store.logs.prepare()
                    try await store.places?.prepare()
                    break
                } catch {
                    guard case .unanswered = error, .now < end else { throw error }
                    await jetStream.pause(.milliseconds(100))
                }
            }
        } catch {
            await store.close()
            throw .unavailable(error.description)
        }
        return store
    }

    package func journal(on loop: @escaping JournalLoop) -> any Journal {
        JetStreamJournal(self, on: loop)
    }

    /// Throws ``JournalError/replaced(_:)`` if another server of the cluster has the room.
    func checkPlace(of room: String) async throws(JournalError) {
        guard let places else { return }
        let server: ClusterServer
        do throws(NATSError) { server = try await places.server(of: room) } catch {
            throw .unavailable(error.description)
        }
        guard server.id.isSameText(as: own) else {
            throw .replaced("The server at \(server.address) has it.")
        }
    }

    /// The room has left memory. If nothing ever happened in it, nobody has to have it: anybody may
    /// ask for any number of paths.
    ///
    /// Somebody may come for it at this moment. Then it may be given to another server while it is
    /// open here, and goes there; the log decides who writes it in any case.
    fileprivate func left(_ room: String) async {
        guard let places, (try? await logs.isEmpty(room)) == true else { return }
        try? await places.forget(room)
    }

    package func close() async {
        await places?.close()
        await logs.close()
        await jetStream.close()
        await loop.shutDown()
    }
}

/// The journal of one loop in a ``JetStreamStore``: hands work to the loop of NATS, and brings the
/// results back.
final class JetStreamJournal: Journal {
    private let store: JetStreamStore
    private let loop: JournalLoop
    private var tails = PagedTails<LogPlace>()

    let isDurable = true

    init(_ store: JetStreamStore, on loop: @escaping JournalLoop) {
        self.store = store
        self.loop = loop
    }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        perform(completion) { store throws(JournalError) in
            try await store.checkPlace(of: room)
            let (history, isFresh) = try await store.logs.open(room) {
                () throws(JournalError) in try await store.checkPlace(of: room)
            }
            if isFresh {
                try await store.snapshots.forget(of: room, above: history.head)
                await store.logs.opened(room)
            }
            return history
        }
    }

    func close(_ room: String) {
        let store = store
        Task { await store.left(room) }
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        perform { [weak self] (result: Result<UInt64, JournalError>) in
            completion(result)
            if case .success = result { self?.tails.grown(room) }
        } _: { store throws(JournalError) in
            try await store.logs.append(batch, to: room)
        }
    }

    func isAlone(
        in room: String, completion: @escaping (Result<Bool, JournalError>) -> Void
    ) {
        perform(completion) { store throws(JournalError) in
            try await store.logs.isAlone(in: room)
        }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        let source: PagedTail<LogPlace>.Source = { [store] start, completion in
            Task {
                do throws(JournalError) {
                    completion(.success(try await store.logs.page(of: room, from: start)))
                } catch {
                    completion(.failure(error))
                }
            }
        }
        let tail = PagedTail(
            from: LogPlace(after: after), on: loop, source: source, receive: receive)
        tails.add(tail, of: room)
        return tail
    }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        perform(completion) { store throws(JournalError) in
            try await store.snapshots.save(
                of: room, offset: offset, version: version, content: content)
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        perform(completion) { store throws(JournalError) in
            try await store.snapshots.newest(of: room, through: offset)
        }
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        perform(completion) { store throws(JournalError) in
            let head = await store.logs.head(of: room)
            guard try await store.snapshots.holds(offset, of: room, head: head) else {
                throw .unavailable("No snapshot holds the entries.")
            }
            try await store.logs.forget(room, through: offset)
            try await store.snapshots.forget(of: room, through: offset)
        }
    }

    private func perform<Value: Sendable>(
        _ completion: @escaping (Result<Value, JournalError>) -> Void,
        _ work: @escaping @Sendable (JetStreamStore) async throws(JournalError) -> Value
    ) {
        let callback = LoopCallback(loop, completion)
        let store = store
        Task {
            do throws(JournalError) { callback.call(.success(try await work(store))) } catch {
                callback.call(.failure(error))
            }
        }
    }
}

extension JournalProvider {
    /// At NATS JetStream, so that another server can go on with the rooms when this one ends.
    ///
    /// Opening it takes as long as connecting, at most half a minute; it fails if a stream is kept
    /// less well than `layout` says.
    package static func jetStream(
        _ configuration: NATSConfiguration, _ layout: JetStreamLayout = .init()
    ) -> JournalProvider {
        JournalProvider { () throws(JournalError) in
            try await JetStreamStore.open(configuration, layout)
        }
    }
}
