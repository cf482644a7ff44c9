import Logging
import StorecastRoom
import StorecastWebSocket
import StorecastWire
import Tracing

/// What a server was made with.
struct ServerConfiguration: Sendable {
    var journal: JournalProvider
    var limits: SyncLimits
    var extensions: [ServerExtension]
    var rooms: @Sendable (_ path: String) -> (any RoomDefinitionProtocol)?
    /// Which paths `rooms` has; nil if that isn't known.
    var paths: RoomPatterns?
    var rules: DocumentRules?
    var pages: WebPages
    var certificate: TLSCertificate?
    var authentication: Authentication
    let revocations = Revocations()
    let absences = UpstreamAbsences()
    /// Does what ``SyncServer/reload()`` does.
    var reload: @Sendable () async throws -> Void = {}
    var hosts: ServedHosts
    var origins: AllowedOrigins
    var logger: Logger
    /// For lines about single connections, which have a bound of their own.
    var connectionLogger: Logger
    var audit: AuditLog?
    var metrics: ServerMetrics
    /// Nil if nobody wants to hear of spans.
    var tracer: (any Tracer)?
    /// Is told how far rooms have come with their history; nil if that is to be logged.
    var recovery: (@Sendable (RoomProgress) -> Void)?
    /// What edges are let in by; nil if none are.
    var edgeKey: EdgeKey?
    /// Who has the rooms; nil if this server has.
    var upstream: Upstream?
    /// Whether the rooms are this server's too, so that it knows which there are.
    var sharesRooms = false
}

/// The sockets and timers around the ``RoomLoop`` of one event loop, and its way to the other
/// loops. Belongs to its ``ServerLoop``.
final class ServerLoopCore {
    private(set) var configuration: ServerConfiguration
    let index: Int
    let loop: EventLoop
    let journal: any Journal
    private(set) var peers: [ServerLoop]
    private(set) lazy var rooms = RoomLoop(
        limits: configuration.limits,
        unloadsRooms: journal.isDurable || configuration.upstream != nil, host: self)
    private(set) var extensions: [(path: ExactString, part: any LoopExtension)] = []
    var recoveries = RecoveryReports()
    var notices = LoggedOnce()
    /// The lines about connections that end.
    var ends = LineBudget(perSecond: ServerLoopCore.mostEnds)

    /// The connections of this loop's rooms, by their ids.
    private(set) var links: [UInt64: any SessionLink] = [:]
    /// What went through them, and what became of them.
    @exclusivity(unchecked) var traffic = Traffic()
    /// When what came in this turn began to; nil before.
    @exclusivity(unchecked) var turnBegin: Duration?
    private var reportCount = 0
    private var lastOutgoing = LoopGauges.Outgoing()
    var checks = TokenChecks()
    /// The rooms whose owners are still to be asked for a sign, before the first is asked again.
    var unasked: [ExactString] = []
    /// The connections that this loop holds for rooms of other loops, by their ids.
    var relays: [UInt64: Relay] = [:]
    private var server: WebSocketServer?
    /// What is to be said to other loops at the end of the turn.
    private var outgoing: [Int: [LoopMessage]] = [:]
    private var offloaded: [UInt64: (any Sendable) -> Void] = [:]
    private var offloadCount: UInt64 = 0

    init(
        _ configuration: ServerConfiguration, _ store: any JournalStore, index: Int,
        peers: [ServerLoop], loop: EventLoop
    ) {
        self.configuration = configuration
        self.index = index
        self.peers = peers
        self.loop = loop
        journal = store.journal { loop.execute($0) }
        extensions = configuration.extensions.map { (ExactString($0.path), $0.makePart(self)) }
        loop.onTurnEnd { [unowned self] in endTurn() }
        let mark = configuration.limits.memory
        configuration.metrics.take(report(), of: index)
        eachSecond(memoryMark: mark > 0 ? mark : ProcessMemory.mark)
    }

    /// Looks every second how much memory the process has in use, and reports what there was.
    private func eachSecond(memoryMark: Int) {
        loop.schedule(after: .seconds(1)) { [weak self] in
            guard let self, !rooms.isStopping else { return }
            if rooms.noteMemory(ProcessMemory.used, mark: memoryMark) { EventLoop.trimMemory() }
            configuration.metrics.take(report(), of: index)
            if configuration.upstream != nil { askOwners() }
            eachSecond(memoryMark: memoryMark)
        }
    }

    /// What connections don't take now, as of the last ten seconds.
    func unsent() -> LoopGauges.Outgoing {
        if reportCount % 10 == 0 { lastOutgoing = rooms.outgoing }
        reportCount += 1
        return lastOutgoing
    }

    func listen(_ listener: WebSocketServerConfiguration) throws(ServerError) -> Int {
        do {
            let server = try WebSocketServer(on: loop, configuration: listener, delegate: self)
            self.server = server
            return server.port
        } catch {
            throw ServerError(.cannotListen, "\(error)")
        }
    }

    /// Says goodbye to everyone; `onStopped` is called when the last connection is closed.
    func stop(onStopped: @escaping () -> Void) {
        server?.stopAccepting()
        rooms.stop { [weak self] in
            guard let self, let server else { return onStopped() }
            sendMessages()
            server.close(code: CloseCode.goingAway.rawValue, onClosed: onStopped)
        }
    }

    /// Ends what the server's own code waits for in the rooms, and lets go of the other loops,
    /// which refer to this one: nothing is posted any more.
    func release() {
        rooms.abandonRooms()
        peers = []
    }

    /// The room of a path for the server's own code: it stays open.
    func keptRoom<State>(_ path: String, of type: State.Type) throws(ServerError) -> Room<State> {
        guard let room = rooms.keptRoom(path) else {
            throw ServerError(.noRoom, "There is no room at '\(path)'.")
        }
        guard configuration.upstream == nil else {
            throw ServerError(
                .noRoom,
                "The room at '\(path)' is another server's: use it through a RemoteConnection.")
        }
        guard let room = room as? Room<State> else {
            throw ServerError(.noRoom, "The room at '\(path)' has another state than \(type).")
        }
        return room
    }

    func set(_ limits: SyncLimits) {
        configuration.limits = limits
        rooms.set(limits)
        server?.maxConnections = limits.connections
    }

    func allow(_ origins: AllowedOrigins) { configuration.origins = origins }

    // MARK: Connections

    /// Begins the session of a connection whose room lives here.
    func begin(_ link: any SessionLink) {
        links[link.id] = link
        link.session = rooms.begin(link, in: link.credentials.path)
        guard link.session != nil else { return }
        for (_, part) in extensions {
            if let observer = part.opened(link.id, link.credentials) {
                link.observers.append(observer)
            }
        }
    }

    /// A connection of a room that lives here is over, with a close code and what the peer says.
    func end(_ id: UInt64, _ code: UInt16, _ reason: String) {
        guard let link = links.removeValue(forKey: id) else { return }
        traffic.noteEnd(link.record.ending?.code ?? CloseCode(rawValue: code))
        logEnd(of: link, code, reason)
        guard link.session != nil else { return }
        checks.giveUp(for: id)
        rooms.end(id)
        for (_, part) in extensions { part.closed(id) }
    }

    /// A client has sent a message on a connection whose room lives on another loop.
    func forward(_ text: [UInt8], of relay: Relay) {
        post(.toSession(relay.connection.id, .message(text)), to: relay.home)
        relay.half.relayed(text.count)
        advance(relay)
    }

    /// So many frames that are no messages came on such a connection; each counts as a byte.
    func forward(oddments: Int, of relay: Relay) {
        post(.toSession(relay.connection.id, .oddments(oddments)), to: relay.home)
        relay.half.relayed(oddments)
        advance(relay)
    }

    /// Does what there is to do for a connection whose room lives on another loop.
    func advance(_ relay: Relay) {
        let connection = relay.connection
        while let step = relay.half.next(isWritable: connection.isWritable) {
            switch step {
            case .write(let messages): connection.write(messages)
            case .read(true): connection.resumeReading()
            case .read(false): connection.pauseReading()
            case .say(let message): post(.toSession(connection.id, message), to: relay.home)
            case .close(let code, let reason, let last):
                connection.close(code, reason: reason, behind: last)
            }
        }
    }

    /// Ends the connections of those identities; returns how many. Extensions have their own.
    func revoke(where isRevoked: @escaping @Sendable (Identity) -> Bool) -> Int {
        rooms.sessions.sorted { $0.key < $1.key }.count { _, session in
            part(at: session.room.name) == nil && session.revoke(where: isRevoked)
        }
    }

    // MARK: Turns and other loops

    private func endTurn() {
        rooms.endTurn()
        sendMessages()
        guard let begin = turnBegin else { return }
        turnBegin = nil
        took(now - begin, .turn)
    }

    func post(_ message: LoopMessage, to index: Int) {
        outgoing[index, default: []].append(message)
    }

    private func sendMessages() {
        for (index, messages) in outgoing where peers.indices.contains(index) {
            peers[index].perform { core in
                for message in messages { core.take(message) }
            }
        }
        outgoing.removeAll(keepingCapacity: true)
    }

    private func take(_ message: LoopMessage) {
        switch message {
        case .opened(let id, let credentials, let origin):
            begin(RemoteLink(id: id, credentials, from: origin, self))
        case .toSession(let id, let message): (links[id] as? RemoteLink)?.take(message)
        case .toConnection(let id, let message):
            guard let relay = relays[id] else { return }
            relay.half.take(message)
            advance(relay)
        }
    }

    func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
    ) {
        guard peers.indices.contains(index) else { return }
        offloadCount += 1
        // The completion isn't Sendable and stays on the loop; only its number goes to the task.
        let (number, home) = (offloadCount, peers[index])
        offloaded[number] = { result in
            if let result = result as? Result { completion(result) }
        }
        Task.detached {
            let result = work()
            home.perform { $0.offloaded.removeValue(forKey: number)?(result) }
        }
    }

    /// The loop on which a room lives.
    func homeIndex(of path: String) -> Int {
        Self.homeIndex(of: path, loops: peers.count)
    }

    static func homeIndex(of path: String, loops: Int) -> Int {
        guard loops > 1 else { return 0 }
        // The low bits alone say little of a short name.
        let hash = FNV1a(of: path).value
        return Int((hash ^ hash >> 32) % UInt64(loops))
    }
}

extension ServerLoopCore: ExtensionHost {
    var revocations: Revocations { configuration.revocations }

    func reload(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        let reload = configuration.reload
        Task.detached {
            do { completion(.success(try await reload())) } catch { completion(.failure(error)) }
        }
    }

    func definition(of path: String) -> (any RoomDefinitionProtocol)? { configuration.rooms(path) }

    func parts<Part: LoopExtension>(_ type: Part.Type) -> [LoopPart<Part>] {
        peers.map { LoopPart(loop: $0) }
    }

    func part<Part: LoopExtension>(_ type: Part.Type) -> Part? {
        extensions.lazy.compactMap { $0.part as? Part }.first
    }

    /// The extension whose room has this path.
    func part(at path: String) -> (any LoopExtension)? {
        extensions.first { $0.path == ExactString(path) }?.part
    }
}
