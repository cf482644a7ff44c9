import StorecastSync
import StorecastWire

/// One life of the server: its room, its connections and its turns, until it stops or crashes.
final class ServerProcess: SyncHost {
    /// The room's path.
    static let path = "/"

    let number: Int
    private(set) var isAlive = true
    /// Nil until somebody comes, and after a room was of no more use.
    private(set) var room: (any AnyRoom)?
    /// In the order of their opening.
    private(set) var connections: [SimulatedConnection] = []

    /// What the server's own code waits for.
    private(set) var ownDispatches: [DispatchOutcome] = []

    private unowned let world: World
    private var random: SeededGenerator
    private let journal: any Journal
    private var faulty: FaultyJournal!
    private var dueRooms: [any AnyRoom] = []
    private var dueSessions: [ServerSession] = []
    private var isTurnScheduled = false
    private var isUnloading = false
    /// Crashes when it has come by so many more places at which a crash would hurt.
    private var fuse: Int?

    init(_ number: Int, journal: any Journal, in world: World) {
        self.number = number
        self.world = world
        self.journal = journal
        random = SeededGenerator(seed: world.scenario.seed, for: .process, number)
        faulty = FaultyJournal(journal, of: self, in: world)
    }

    // MARK: Life and death

    /// Ends without a word.
    func crash() {
        guard isAlive else { return }
        world.note(.server, number, 1) { "crashes" }
        isAlive = false
        world.ended(self)
    }

    /// Crashes soon, between two steps of what it does then.
    func crashSoon(after places: Int) {
        fuse = places
    }

    /// A place between two steps; true if the process is no more.
    func mayCrashNow() -> Bool {
        guard let left = fuse, isAlive else { return !isAlive }
        fuse = left - 1
        if left <= 0 { crash() }
        return !isAlive
    }

    /// Says goodbye to everyone and ends a little later.
    func stop() {
        guard isAlive else { return }
        world.note(.server, number, 2) { "stops" }
        for connection in connections {
            connection.session?.close(.goingAway, "The server stops.", after: 0.5, jitter: 2)
        }
        after(.milliseconds(50)) { [self] in
            isAlive = false
            world.ended(self)
        }
    }

    /// Does something later if the process lives then.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        world.time.after(delay) { [self] in
            guard isAlive else { return }
            world.touchServer()
            body()
        }
    }

    /// Whether a snapshot can't be written or read this time.
    func failsAtSnapshots() -> Bool {
        !world.isHealing && world.scenario.losesSnapshots && random.happens(oneIn: 4)
    }

    func journalDelay() -> Duration {
        world.isHealing ? .zero : random.duration(upTo: world.scenario.journalDelay)
    }

    /// Whether the room has nothing left to do.
    var isIdle: Bool { !isTurnScheduled && room.map(world.room.isIdle) ?? true }

    /// Lets go of all that holds one another, when the process is dead or the simulation over.
    func dismantle() {
        isAlive = false
        for connection in connections { connection.serverLost() }
        connections = []
        room = nil
    }

    // MARK: Connections

    func accept(_ connection: SimulatedConnection) {
        world.touchServer()
        connections.append(connection)
        connection.accepted()
    }

    /// The loop of the room hears of a connection.
    func begin(_ connection: SimulatedConnection) {
        world.touchServer()
        connection.open(in: openRoom())
        after(.seconds(10)) { [weak connection] in
            guard let session = connection?.session, session.phase == .awaitingHello
            else { return }
            session.close(.helloTimeout, "No hello came in time.")
        }
    }

    func received(_ message: [UInt8], on connection: SimulatedConnection) {
        guard !mayCrashNow() else { return }
        world.touchServer()
        world.touch(connection)
        message.withUnsafeBytes { connection.session?.receive($0) }
    }

    /// The process learns that the connection is over.
    func ended(_ connection: SimulatedConnection) {
        guard isAlive, let place = connections.firstIndex(where: { $0 === connection })
        else { return }
        world.touchServer()
        connections.remove(at: place)
        connection.serverLost()
        guard connections.isEmpty, let room else { return }
        // Like a server's loop: a room without visitors and history leaves no trace.
        if room.isUntouched { self.room = nil } else { unloadLater(room) }
    }

    /// Lets the room leave memory if nobody comes for a while.
    private func unloadLater(_ room: any AnyRoom) {
        guard !isUnloading else { return }
        isUnloading = true
        after(world.scenario.limits.unloadAfter) { [self] in
            room.prepareToUnload { [self] in
                isUnloading = false
                guard self.room === room, connections.isEmpty else { return }
                guard room.isUntouched || room.isIdle else { return unloadLater(room) }
                world.note(.server, number, 3) { "unloads the room" }
                self.room = nil
            }
        }
    }

    func becameWritable(_ connection: SimulatedConnection) {
        if isAlive { flush(connection) }
    }

    func openRoom() -> any AnyRoom {
        if let room, !world.room.hasFailed(room) { return room }
        world.truth.roomOpened()
        let opened = world.room.open(
            RoomContext(
                name: Self.path, journal: faulty, limits: world.scenario.limits, host: self,
                now: { [unowned world] in world.timeOfDay }, random: random))
        _ = random.next()
        room = opened
        return opened
    }

    // MARK: The server's own code

    /// Dispatches an action as the server's own code does.
    func dispatch(_ random: inout SeededGenerator) {
        let kinds = world.room.serverKinds
        guard isAlive, !kinds.isEmpty else { return }
        let action = kinds[random.place(in: kinds.map(\.weight))].draw(&random, .anonymous)
        let outcome = DispatchOutcome()
        let room = openRoom()
        ownDispatches.append(outcome)
        world.room.dispatch(room, action, outcome)
        if connections.isEmpty { unloadLater(room) }
    }

    // MARK: Turns

    func schedule(turnOf room: any AnyRoom) {
        dueRooms.append(room)
        scheduleTurnEnd()
    }

    func schedule(flushOf session: ServerSession) {
        dueSessions.append(session)
        scheduleTurnEnd()
    }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        after(delay, work)
    }

    private func scheduleTurnEnd() {
        guard !isTurnScheduled else { return }
        isTurnScheduled = true
        after(random.duration(upTo: world.scenario.turn)) { [self] in
            isTurnScheduled = false
            endTurn()
        }
    }

    /// Hands what came to the journal, then lets every connection that can take it have its share.
    private func endTurn() {
        while isAlive, !dueRooms.isEmpty || !dueSessions.isEmpty {
            let rooms = dueRooms
            dueRooms = []
            for room in rooms where !mayCrashNow() { room.endTurn() }
            guard dueRooms.isEmpty else { continue }
            let sessions = dueSessions
            dueSessions = []
            for session in sessions where !mayCrashNow() {
                if let connection = session.link as? SimulatedConnection { flush(connection) }
            }
        }
    }

    func flush(_ connection: SimulatedConnection) {
        guard let session = connection.session, connection.isWritable, session.hasMessages
        else { return }
        world.touchServer()
        world.touch(connection)
        var messages: [ServerMessage] = []
        session.pull(into: &messages)
        connection.write(messages)
        session.wrote()
    }

    // MARK: Tokens and complaints

    func authenticate(_ session: ServerSession, token: String?) {
        let result = world.room.identify(token)
        let delay = world.isHealing ? .zero : random.duration(upTo: world.scenario.checking)
        guard delay > .zero else { return session.authenticated(result) }
        after(delay) { [weak session] in session?.authenticated(result) }
    }

    func report(_ message: String) {
        world.note(.server, number, message.utf8.count) { "reports: \(message)" }
    }
}
