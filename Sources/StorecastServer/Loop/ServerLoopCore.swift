import Logging
import StorecastRoom
import StorecastWebSocket
import StorecastWire

/// The sockets and timers around the ``RoomLoop`` of one event loop, and its way to the other
/// loops. Belongs to its ``ServerLoop``.
final class ServerLoopCore {
    let configuration: ServerConfiguration
    let index: Int
    private(set) var peers: [ServerLoop]
    private(set) var rooms: RoomLoop!
    var links: [UInt64: any SessionLink] = [:]
    var relays: [UInt64: Relay] = [:]

    let loop: EventLoop
    let journal: any Journal
    private var server: WebSocketServer?
    private var recoveries = RecoveryReports()
    private var offloaded: [UInt64: (any Sendable) -> Void] = [:]
    private var offloadCount: UInt64 = 0
    /// On the loop where the devtools' room lives, while it is open.
    weak var desk: DevtoolsDesk?
    var looks = JournalLooks()
    /// What went through the connections that each room had before.
    var endedTraffic: [ExactString: LinkTraffic] = [:]
    private var mail: [Int: [LoopMail]] = [:]

    init(
        _ configuration: ServerConfiguration, _ store: any JournalStore, index: Int,
        peers: [ServerLoop], loop: EventLoop
    ) {
        self.configuration = configuration
        self.index = index
        self.peers = peers
        self.loop = loop
        journal = store.journal { loop.execute($0) }
        rooms = RoomLoop(
            limits: configuration.limits, unloadsRooms: journal.isDurable, host: self)
        loop.onTurnEnd { [unowned self] in endTurn() }
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
        rooms.stop()
        sendMail()
        guard let server else { return onStopped() }
        server.close(code: CloseCode.goingAway.rawValue, onClosed: onStopped)
    }

    /// Lets go of the other loops, which hold this one: nothing is posted any more. Nobody waits
    /// for the rooms any more either.
    func release() {
        rooms.abandonRooms()
        peers = []
    }

    /// The room of a path for the server's own code: it stays open.
    func keptRoom<State>(_ path: String, of type: State.Type) throws(ServerError) -> Room<State> {
        guard let room = rooms.room(path) else {
            throw ServerError(.noRoom, "There is no room at '\(path)'.")
        }
        guard room is Room<State>, let room = rooms.keptRoom(path) as? Room<State> else {
            throw ServerError(.noRoom, "The room at '\(path)' has another state than \(type).")
        }
        return room
    }

    // MARK: Connections

    /// Begins the session of a connection whose room lives here.
    func begin(_ link: any SessionLink) {
        links[link.id] = link
        link.session = rooms.begin(link, in: link.credentials.path)
    }

    func end(_ id: UInt64) {
        guard let link = links.removeValue(forKey: id), let room = link.session?.room else {
            return
        }
        rooms.end(id)
        let name = ExactString(room.name)
        if rooms.rooms[name] != nil { endedTraffic[name, default: LinkTraffic()] += link.traffic }
    }

    // MARK: The end of a turn

    private func endTurn() {
        rooms.endTurn()
        sendMail()
    }

    func post(_ letter: LoopMail, to index: Int) {
        mail[index, default: []].append(letter)
    }

    private func sendMail() {
        for (index, letters) in mail where peers.indices.contains(index) {
            peers[index].perform { core in
                for letter in letters { core.take(letter) }
            }
        }
        mail.removeAll(keepingCapacity: true)
    }

    private func take(_ letter: LoopMail) {
        switch letter {
        case .opened(let id, let credentials, let origin):
            begin(RemoteLink(id: id, credentials, from: origin, self))
        case .toSession(let id, let letter): (links[id] as? RemoteLink)?.take(letter)
        case .toConnection(let id, let letter):
            guard let relay = relays[id] else { return }
            relay.half.take(letter)
            advance(relay)
        }
    }
}

extension ServerLoopCore: LoopHost {
    var now: Duration { loop.now() }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        loop.schedule(after: delay, work)
    }

    func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
    ) {
        guard peers.indices.contains(index) else { return }
        offloadCount += 1
        // What is called back stays on the loop; only its number travels.
        let (number, home) = (offloadCount, peers[index])
        offloaded[number] = { result in
            if let result = result as? Result { completion(result) }
        }
        Task.detached {
            let result = work()
            home.perform { $0.offloaded.removeValue(forKey: number)?(result) }
        }
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        guard let definition = configuration.rooms(path) else { return nil }
        configuration.logger.debug("room opened", metadata: ["room": "\(path)"])
        return definition.open(
            RoomContext(
                name: path, journal: journal, limits: configuration.limits, loop: loop,
                now: Timestamp.now, random: BufferedSystemGenerator()))
    }

    func makeOwnRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        devtoolsRoom(path)
    }

    func unloaded(_ room: any AnyRoom) {
        endedTraffic[ExactString(room.name)] = nil
        configuration.logger.debug("room unloaded", metadata: ["room": "\(room.name)"])
    }

    func authenticate(_ session: ServerSession, token: String?) {
        if session.room.name.isSameText(as: DevtoolsState.path),
            let devtools = configuration.devtools
        {
            return session.authenticated(devtools.identity(token: token))
        }
        guard let authenticate = configuration.authenticate,
            let link = session.link as? any SessionLink
        else { return session.authenticated(.success(.anonymous)) }
        var credentials = link.credentials
        credentials.token = token
        let (id, home) = (link.id, peers[index])
        Task { [credentials] in
            let result: Result<Identity, Rejection>
            do {
                let identity = try await authenticate(credentials)
                guard !identity.id.isSameText(as: DevtoolsAccess.viewer.id) else {
                    throw Rejection(
                        .forbidden, "The id '\(identity.id)' is the developers' own.")
                }
                result = .success(identity)
            } catch let rejection as Rejection {
                result = .failure(rejection)
            } catch {
                let problem = credentials.redacting("\(error)")
                home.perform { $0.report("Authentication failed: \(problem)") }
                result = .failure(
                    Rejection(.unauthenticated, "The server could not check the token."))
            }
            home.perform { $0.rooms.sessions[id]?.authenticated(result) }
        }
    }

    func report(_ message: String) {
        configuration.logger.error("\(message)")
    }

    func progressed(_ progress: RoomProgress) {
        if let recovery = configuration.recovery { return recovery(progress) }
        guard recoveries.isDue(progress, at: loop.now()) else { return }
        let percent = progress.done * 100 / max(1, progress.total)
        configuration.logger.info(
            "reading a room's history",
            metadata: ["room": "\(progress.room)", "percent": "\(percent)"])
    }
}
