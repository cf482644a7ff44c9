import Logging
import StorecastSync
import StorecastWebSocket
import StorecastWire

/// The connections and rooms of one loop. Belongs to its ``ServerLoop``.
///
/// In a turn everything that came is read; then every room hands its batch to the journal and
/// evaluates its selections; then every session that can take something is sent what it needs, in
/// one write.
final class ServerLoopCore {
    let configuration: ServerConfiguration
    let index: Int
    private(set) var peers: [ServerLoop]
    var rooms: [ExactString: any AnyRoom] = [:]
    var links: [UInt64: any SessionLink] = [:]
    var relays: [UInt64: Relay] = [:]

    let loop: EventLoop
    let journal: any Journal
    private var server: WebSocketServer?
    /// How many connections a room has, greeted or not.
    private(set) var visitors: [ExactString: Int] = [:]
    private var keptRooms: Set<ExactString> = []
    var idleRooms = IdleRooms()
    var recoveries = RecoveryReports()
    var offloaded: [UInt64: (any Sendable) -> Void] = [:]
    var offloadCount: UInt64 = 0
    /// On the loop where the devtools' room lives, while it is open.
    weak var desk: DevtoolsDesk?
    var looks = JournalLooks()
    /// What went through the connections that each room had before.
    var endedTraffic: [ExactString: LinkTraffic] = [:]
    private var dueRooms: [any AnyRoom] = []
    private var dueSessions: [ServerSession] = []
    private var scratch: [ServerMessage] = []
    private var mail: [Int: [LoopMail]] = [:]
    private var greetings: [(deadline: Duration, id: UInt64)] = []
    private(set) var isStopping = false

    init(
        _ configuration: ServerConfiguration, _ store: any JournalStore, index: Int,
        peers: [ServerLoop], loop: EventLoop
    ) {
        self.configuration = configuration
        self.index = index
        self.peers = peers
        self.loop = loop
        journal = store.journal { loop.execute($0) }
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
        isStopping = true
        for id in links.keys.sorted() {
            links[id]?.session?.close(.goingAway, "The server stops.", after: 0.5, jitter: 2)
        }
        endTurn()
        guard let server else { return onStopped() }
        server.close(code: CloseCode.goingAway.rawValue, onClosed: onStopped)
    }

    /// Lets go of the other loops, which hold this one: nothing is posted any more. Nobody waits
    /// for the rooms any more either.
    func release() {
        for room in rooms.values { room.abandon() }
        peers = []
    }

    // MARK: Rooms

    /// The room of a path, opened if need be; nil if there is none or no more may be opened.
    func room(_ path: String) -> (any AnyRoom)? {
        let name = ExactString(path)
        if let room = rooms[name] { return room }
        if let room = devtoolsRoom(path) {
            rooms[name] = room
            return room
        }
        guard rooms.count < configuration.limits.rooms,
            let definition = configuration.rooms(path)
        else { return nil }
        let room = definition.erased.open(
            RoomContext(
                name: path, journal: journal, limits: configuration.limits, host: self,
                now: Timestamp.now, random: BufferedSystemGenerator()))
        rooms[name] = room
        configuration.logger.debug("room opened", metadata: ["room": "\(path)"])
        return room
    }

    /// The room of a path for the server's own code: it stays open.
    func keptRoom<State>(_ path: String, of type: State.Type) throws(ServerError) -> Room<State> {
        guard let room = room(path) else {
            throw ServerError(.noRoom, "There is no room at '\(path)'.")
        }
        guard let room = room as? Room<State> else {
            throw ServerError(.noRoom, "The room at '\(path)' has another state than \(type).")
        }
        if journal.isDurable { use(path) } else { keptRooms.insert(ExactString(path)) }
        return room
    }

    /// The room of a path, whatever its state, when it has read its journal; it stays open.
    func whenOpen(_ path: String, _ body: @escaping (any AnyRoom) -> Void) {
        guard let room = room(path) else { return }
        keptRooms.insert(ExactString(path))
        room.whenLoaded { phase in
            if phase == .ready { body(room) }
        }
    }

    /// A room in which nothing ever happened and nobody is leaves no trace: whoever asks for
    /// thousands of paths costs nothing.
    private func leave(_ room: any AnyRoom) {
        let name = ExactString(room.name)
        let count = visitors[name, default: 1] - 1
        visitors[name] = count > 0 ? count : nil
        forgetIfUntouched(room)
        use(room.name)
    }

    private func forgetIfUntouched(_ room: any AnyRoom) {
        let name = ExactString(room.name)
        guard room.isUntouched, !keptRooms.contains(name), visitors[name] == nil else { return }
        rooms[name] = nil
    }

    // MARK: Sessions

    /// Begins the session of a connection whose room lives here.
    func begin(_ link: any SessionLink, setSession: (ServerSession) -> Void) {
        links[link.id] = link
        let path = link.credentials.path
        guard RoomPath.isName(path), let room = room(path) else { return refuse(link) }
        visitors[ExactString(room.name), default: 0] += 1
        idleRooms.entered(room.name)
        setSession(ServerSession(room: room, host: self, link: link))
        greetings.append((loop.now() + configuration.limits.helloTimeout, link.id))
        if greetings.count == 1 { watchGreetings() }
    }

    func end(_ id: UInt64) {
        guard let link = links.removeValue(forKey: id), let session = link.session else { return }
        session.disconnected()
        leave(session.room)
        let name = ExactString(session.room.name)
        if rooms[name] != nil { endedTraffic[name, default: LinkTraffic()] += link.traffic }
    }

    private func refuse(_ link: any SessionLink) {
        let isFull = rooms.count >= configuration.limits.rooms
        let code = isFull ? CloseCode.full : .noRoom
        let title = isFull ? "The server has as many rooms as it takes." : "There is no such room."
        let bye = ServerFrame.Bye(
            code: code.word, title: title, reconnect: code.allowsReconnect,
            after: isFull ? 10 : 0, jitter: isFull ? 10 : 0)
        link.close(code, reason: code.word, behind: [.bye(bye)])
    }

    /// Closes connections that haven't said hello in time, in the order of their opening.
    private func watchGreetings() {
        guard let first = greetings.first else { return }
        loop.schedule(after: max(.zero, first.deadline - loop.now())) { [weak self] in
            guard let self else { return }
            let now = loop.now()
            let due = greetings.prefix { $0.deadline <= now }
            greetings.removeFirst(due.count)
            for greeting in due {
                guard let session = links[greeting.id]?.session, session.phase == .awaitingHello
                else { continue }
                session.close(.helloTimeout, "No hello came in time.")
            }
            watchGreetings()
        }
    }

    // MARK: The end of a turn

    private func endTurn() {
        // A session that had stopped reading goes on when its answers are taken.
        while !dueRooms.isEmpty || !dueSessions.isEmpty {
            endRoomTurns()
            let due = dueSessions
            dueSessions.removeAll(keepingCapacity: true)
            for session in due {
                if let link = session.link as? any SessionLink { flush(link, session) }
            }
        }
        for (index, letters) in mail where peers.indices.contains(index) {
            peers[index].perform { core in
                for letter in letters { core.take(letter) }
            }
        }
        mail.removeAll(keepingCapacity: true)
    }

    private func endRoomTurns() {
        while !dueRooms.isEmpty {
            let due = dueRooms
            dueRooms.removeAll(keepingCapacity: true)
            for room in due { room.endTurn() }
        }
    }

    /// Sends what the session has, if its connection takes it.
    func flushNow(_ link: any SessionLink) {
        if let session = link.session { flush(link, session) }
    }

    private func flush(_ link: any SessionLink, _ session: ServerSession) {
        guard link.isWritable, session.hasMessages else { return }
        var messages = scratch
        scratch = []
        session.pull(into: &messages)
        link.traffic.sent.count(messages)
        if !messages.isEmpty { link.write(messages) }
        messages.removeAll(keepingCapacity: true)
        scratch = messages
        session.wrote()
    }

    // MARK: Mail

    func post(_ letter: LoopMail, to index: Int) {
        mail[index, default: []].append(letter)
    }

    private func take(_ letter: LoopMail) {
        switch letter {
        case .opened(let id, let credentials, let origin):
            let link = RemoteLink(id: id, credentials, from: origin, self)
            begin(link) { link.session = $0 }
        case .toSession(let id, let letter): (links[id] as? RemoteLink)?.take(letter)
        case .toConnection(let id, let letter):
            guard let relay = relays[id] else { return }
            relay.half.take(letter)
            advance(relay)
        }
    }
}

extension ServerLoopCore: SyncHost {
    func schedule(turnOf room: any AnyRoom) {
        dueRooms.append(room)
    }

    func schedule(flushOf session: ServerSession) {
        dueSessions.append(session)
    }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        loop.schedule(after: delay, work)
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
            home.perform { $0.links[id]?.session?.authenticated(result) }
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
