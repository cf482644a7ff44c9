package import StorecastRoom
import StorecastWebSocket
import Synchronization

/// The journals of a server's rooms at NATS JetStream, where other servers go on with them.
///
/// One connection for all loops, on a loop of its own. May be used from any thread.
package final class JetStreamStore: JournalStore {
    private let loop: EventLoop
    let jetStream: JetStream
    package let rooms: JetStreamRooms

    private init(_ loop: EventLoop, _ jetStream: JetStream, _ rooms: JetStreamRooms) {
        self.loop = loop
        self.jetStream = jetStream
        self.rooms = rooms
    }

    package var logs: JetStreamLogs { rooms.logs }
    package var places: RoomPlaces? { rooms.places }
    var snapshots: JetStreamSnapshots { rooms.snapshots }

    /// Connects, and finds or makes the streams. Servers that have just been started haven't chosen
    /// their leaders yet: it is tried again then.
    ///
    /// - Parameters:
    ///   - own: the id of this server in its cluster, if it is one of several that share rooms.
    ///   - timeout: of each request, also later.
    ///   - patience: how long it may take until all is there.
    ///   - waits: called with a sentence as soon as connecting takes long, or making the streams.
    /// - Throws: ``JournalError/unavailable(_:)`` with a sentence if NATS can't be reached, is too
    ///   old, has no JetStream, or keeps less than was asked for.
    @concurrent package static func open(
        _ configuration: NATSConfiguration, _ layout: JetStreamLayout = .init(),
        own: String? = nil, timeout: Duration = .seconds(5), patience: Duration = .seconds(30),
        pulseInterval: Duration = .milliseconds(500), waits: (@Sendable (String) -> Void)? = nil
    ) async throws(JournalError) -> JetStreamStore {
        let loop: EventLoop
        let end = ContinuousClock.now + patience
        do { loop = try EventLoop(name: "storecast-nats") } catch {
            throw .unavailable(error.description)
        }
        let jetStream = await JetStream(on: loop, configuration, timeout: timeout)
        let rooms = JetStreamRooms(jetStream, layout, own: own, pulseInterval: pulseInterval)
        let store = JetStreamStore(loop, jetStream, rooms)
        do throws(NATSError) {
            try await jetStream.connected(within: patience, waits: waits)
            var telling = waits
            while true {
                do throws(NATSError) {
                    try await rooms.prepare()
                    break
                } catch {
                    guard case .unanswered = error, .now < end else { throw error }
                    if let tell = telling.take() { tell(error.description) }
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
        rooms.journal(on: loop)
    }

    package func close() async {
        await rooms.close()
        await jetStream.close()
        await loop.shutDown()
    }
}

/// What one server has of rooms at JetStream: their logs and snapshots, and who has which of them.
package struct JetStreamRooms: Sendable {
    package let logs: JetStreamLogs
    let snapshots: JetStreamSnapshots
    /// Who has which room, if servers share them; else this server takes what it is asked for.
    package let places: RoomPlaces?
    private let own: String
    fileprivate let jetStream: any LogService

    /// - Parameter own: the id of this server in its cluster, if it is one of several that share
    ///   rooms.
    package init(
        _ jetStream: any LogService, _ layout: JetStreamLayout, own: String?,
        pulseInterval: Duration,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.own = own ?? ""
        self.jetStream = jetStream
        places = own.map { _ in RoomPlaces(jetStream, layout, interval: pulseInterval) }
        logs = JetStreamLogs(jetStream, layout, random: random)
        snapshots = JetStreamSnapshots(jetStream, layout)
    }

    /// Finds or makes the streams.
    package func prepare() async throws(NATSError) {
        try await logs.prepare()
        try await places?.prepare()
    }

    /// One of the streams that NATS hasn't any more; nil if all are there.
    ///
    /// O(streams), in requests.
    ///
    /// - Throws: a sentence if it can't be asked, or a stream has no leader now.
    package func missingStream() async throws(NATSError) -> String? {
        for name in logs.layout.allStreams {
            do throws(NATSError) {
                _ = try await jetStream.last(of: logs.layout.nothing, in: name)
            } catch .missing {
                return name
            }
        }
        return nil
    }

    package func journal(on loop: @escaping JournalLoop) -> any Journal {
        JetStreamJournal(self, on: loop)
    }

    package func close() async {
        await places?.close()
        await logs.close()
    }

    /// Why a room that is open here has to be left.
    package enum ReasonToLeave: Equatable, Sendable, CustomStringConvertible {
        /// It was given to another server.
        case given(to: ClusterServer)
        /// NATS has lost the end of its log, or another server has written there.
        case lostEnd

        package var description: String {
            switch self {
            case .given(let server): "It goes to the server \(server.id) at \(server.address)."
            case .lostEnd: "Its log doesn't end at NATS where it did here."
            }
        }
    }

    /// Why a room that is open here has to be left; nil if it hasn't.
    package func reasonToLeave(_ room: String) async throws(JournalError) -> ReasonToLeave? {
        let holder: ClusterServer?
        do throws(NATSError) { holder = try await places?.holder(of: room) } catch {
            throw .unavailable(error.description)
        }
        if let holder, !holder.id.isSameText(as: own) {
            return .given(to: holder)
        }
        return try await logs.hasLostEnd(of: room) ? .lostEnd : nil
    }

    /// Throws ``JournalError/replaced(_:)`` if another server of the cluster has the room.
    fileprivate func checkPlace(of room: String) async throws(JournalError) {
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

    /// What it knows of NATS now, and of the servers that share it.
    var link: JournalLink {
        let (isConnected, reconnects) = jetStream.connections
        return JournalLink(
            isConnected: isConnected, reconnects: reconnects, cluster: places?.link)
    }

    /// Who has which room; nil if this server shares none.
    func placement() async throws(JournalError) -> JournalPlacement? {
        guard let places else { return nil }
        let given: [(room: String, server: ClusterServer)]
        do throws(NATSError) { given = try await places.all() } catch {
            throw .unavailable(error.description)
        }
        let servers = await places.servers
        var counts: [ClusterServer: Int] = [:]
        for (_, server) in given { counts[server, default: 0] += 1 }
        let present = Set(servers.map(\.server))
        let shown = given.map { (name: ExactString($0.room), server: $0.server) }
            .sorted { $0.name < $1.name }.prefix(JournalPlacement.mostRooms)
        return JournalPlacement(
            servers: servers.map { sight in
                JournalPlacement.Server(
                    id: sight.server.id, address: sight.server.address,
                    rooms: counts[sight.server] ?? 0, isLeaving: sight.isLeaving,
                    isOwn: sight.server.id.isSameText(as: own))
            },
            rooms: shown.map { name, server in
                JournalPlacement.Room(
                    name: name.string, server: present.contains(server) ? server.id : nil)
            }, total: given.count)
    }
}

/// The journal of one loop at ``JetStreamRooms``: hands work to the loop of NATS, and brings the
/// results back.
final class JetStreamJournal: Journal {
    package let rooms: JetStreamRooms
    private let loop: JournalLoop
    private var tails = PagedTails<LogPlace>()
    /// How often each room had been taken over when it was opened here last.
    private var openings: [ExactString: Int] = [:]
    /// The rooms that are being opened. That may take long: then the room may have left memory, and
    /// be opened again.
    private var attempts: [ExactString: Attempt] = [:]

    private final class Attempt: Sendable {
        let isWanted = Atomic(true)
    }

    let isDurable = true
    var link: JournalLink? { rooms.link }

    init(_ rooms: JetStreamRooms, on loop: @escaping JournalLoop) {
        self.rooms = rooms
        self.loop = loop
    }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        let attempt = Attempt()
        attempts.updateValue(attempt, forKey: ExactString(room))?.isWanted.store(
            false, ordering: .relaxed)
        perform {
            [weak self] (result: Result<(history: RoomHistory, opening: Int), JournalError>) in
            guard let self else { return completion(result.map(\.history)) }
            if attempts[ExactString(room)] === attempt { attempts[ExactString(room)] = nil }
            if case .success(let opened) = result {
                openings[ExactString(room)] = opened.opening
            }
            completion(result.map(\.history))
        } _: { rooms throws(JournalError) in
            try await rooms.logs.open(room) { () throws(JournalError) in
                try await rooms.checkPlace(of: room)
                guard attempt.isWanted.load(ordering: .relaxed) else {
                    throw .unavailable("Nobody waits for the room any more.")
                }
            }
        }
    }

    func close(_ room: String) {
        openings[ExactString(room)] = nil
        let rooms = rooms
        Task(executorPreference: rooms.jetStream.tasks) { await rooms.left(room) }
    }

    func placement(
        completion: @escaping (Result<JournalPlacement?, JournalError>) -> Void
    ) {
        perform(completion) { rooms throws(JournalError) in try await rooms.placement() }
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        let opening = openings[ExactString(room)]
        perform { [weak self] (result: Result<UInt64, JournalError>) in
            completion(result)
            if case .success = result { self?.tails.grown(room) }
        } _: { rooms throws(JournalError) in
            try await rooms.logs.append(batch, to: room, since: opening)
        }
    }

    func isAlone(
        in room: String, completion: @escaping (Result<Bool, JournalError>) -> Void
    ) {
        perform(completion) { rooms throws(JournalError) in
            try await rooms.logs.isAlone(in: room)
        }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        let source: PagedTail<LogPlace>.Source = { [rooms] start, completion in
            Task(executorPreference: rooms.jetStream.tasks) {
                do throws(JournalError) {
                    completion(.success(try await rooms.logs.page(of: room, from: start)))
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
        let opening = openings[ExactString(room)]
        perform(completion) { rooms throws(JournalError) in
            let number = try await rooms.snapshots.save(
                of: room, offset: offset, version: version, content: content
            ) { body throws(JournalError) in
                try await rooms.logs.whileWriting(
                    room, since: opening, marks: offset == 0, body)
            }
            // It is kept in any case; what isn't removed now is with the next one.
            try? await rooms.snapshots.removeUnfinished(of: room, below: number) {
                () throws(JournalError) in
                try await rooms.logs.fence(room, since: opening)
            }
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        perform(completion) { rooms throws(JournalError) in
            try await rooms.snapshots.newest(of: room, through: offset)
        }
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        let opening = openings[ExactString(room)]
        perform(completion) { rooms throws(JournalError) in
            let head = await rooms.logs.head(of: room)
            guard try await rooms.snapshots.holds(offset, of: room, head: head) else {
                throw .unavailable("No snapshot holds the entries.")
            }
            try await rooms.logs.forget(room, through: offset, since: opening)
            try await rooms.snapshots.forget(of: room, through: offset)
        }
    }

    private func perform<Value: Sendable>(
        _ completion: @escaping (Result<Value, JournalError>) -> Void,
        _ work: @escaping @Sendable (JetStreamRooms) async throws(JournalError) -> Value
    ) {
        let callback = LoopCallback(loop, completion)
        let rooms = rooms
        Task(executorPreference: rooms.jetStream.tasks) {
            do throws(JournalError) { callback.call(.success(try await work(rooms))) } catch {
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
    ///
    /// - Parameter waits: called with a sentence as soon as connecting takes long, or the streams.
    package static func jetStream(
        _ configuration: NATSConfiguration, _ layout: JetStreamLayout = .init(),
        waits: (@Sendable (String) -> Void)? = nil
    ) -> JournalProvider {
        JournalProvider { () throws(JournalError) in
            try await JetStreamStore.open(configuration, layout, waits: waits)
        }
    }
}
