import StorecastRoom
import StorecastWire

/// One process of the server: its loop, its connections and its journal, until it stops or crashes.
final class ServerProcess: LoopHost {
    /// The room's path.
    static let path = "/"

    let number: Int
    private(set) var isAlive = true
    /// In the order of their opening.
    private(set) var connections: [SimulatedConnection] = []
    /// The outcomes that the server's own code waits for.
    private(set) var ownDispatches: [DispatchOutcome] = []

    unowned let world: World
    private var random: SeededGenerator
    private let journal: any Journal
    private var faulty: FaultyJournal!
    private var loop: RoomLoop!
    private var isTurnScheduled = false
    /// When the identities of sessions expire that do.
    private var expiries: [ObjectIdentifier: Timestamp] = [:]
    /// How many more crash points it passes before it crashes; nil if it isn't to crash.
    private var stepsUntilCrash: Int?

    init(_ number: Int, journal: any Journal, in world: World) {
        self.number = number
        self.world = world
        self.journal = journal
        random = SeededGenerator(seed: world.scenario.seed, for: .process, number)
        faulty = FaultyJournal(journal, of: self, in: world)
        loop = RoomLoop(
            limits: world.scenario.limits, unloadsRooms: journal.isDurable, host: self)
    }

    /// Nil until it is used, and while it is unloaded.
    var room: (any AnyRoom)? { loop.rooms[ExactString(Self.path)] }

    // MARK: Life and death

    /// Ends at once, without closing anything.
    func crash() {
        guard isAlive else { return }
        world.note(.server, number, 1) { "crashes" }
        isAlive = false
        world.ended(self)
    }

    /// Crashes after so many more crash points.
    func crashSoon(after steps: Int) {
        stepsUntilCrash = steps
    }

    /// A crash point: a place between two steps. True if the process has crashed.
    func crashesNow() -> Bool {
        guard let left = stepsUntilCrash, isAlive else { return !isAlive }
        stepsUntilCrash = left - 1
        if left <= 0 { crash() }
        return !isAlive
    }

    /// Stops in order: closes the connections, and ends when rooms have written what they can.
    func stop() {
        guard isAlive, !loop.isStopping else { return }
        world.note(.server, number, 2) { "stops" }
        loop.stop {}
        after(.milliseconds(50)) { [self] in
            loop.prepareRoomsToEnd { [self] in
                guard isAlive else { return }
                isAlive = false
                world.ended(self)
            }
        }
    }

    /// Runs `body` later if the process is still alive.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        world.time.after(delay) { [self] in
            guard isAlive else { return }
            world.touchServer()
            body()
        }
    }

    /// Whether writing or reading a snapshot fails this time.
    func failsAtSnapshots() -> Bool {
        !world.isHealing && world.scenario.losesSnapshots && random.happens(oneIn: 4)
    }

    func journalDelay() -> Duration {
        world.isHealing ? .zero : random.duration(upTo: world.scenario.journalDelay)
    }

    /// Whether the room has nothing left to do.
    var isIdle: Bool { !isTurnScheduled && room.map(world.room.isIdle) ?? true }

    /// Breaks the reference cycles between rooms and sessions when the process has ended.
    func dismantle() {
        isAlive = false
        for connection in connections { connection.serverLost(loop) }
        connections = []
    }

    // MARK: Connections

    func accept(_ connection: SimulatedConnection) {
        world.touchServer()
        connections.append(connection)
        connection.accepted()
    }

    /// The room's loop takes a connection.
    func begin(_ connection: SimulatedConnection) {
        world.touchServer()
        connection.begin(on: loop)
    }

    func received(_ message: [UInt8], on connection: SimulatedConnection) {
        guard !crashesNow() else { return }
        world.touchServer()
        world.touch(connection)
        message.withUnsafeBytes { connection.session?.receive($0) }
    }

    /// The process notices that the connection is over.
    func ended(_ connection: SimulatedConnection) {
        guard isAlive, let place = connections.firstIndex(where: { $0 === connection })
        else { return }
        world.touchServer()
        connections.remove(at: place)
        if let session = connection.session { expiries[ObjectIdentifier(session)] = nil }
        connection.serverLost(loop)
    }

    func becameWritable(_ connection: SimulatedConnection) {
        if isAlive, let session = connection.session { loop.flush(session) }
    }

    /// Dispatches an action as the server's own code does.
    func dispatch(_ random: inout SeededGenerator) {
        let kinds = world.room.serverKinds
        guard isAlive, !kinds.isEmpty, !loop.isStopping else { return }
        let action = kinds[random.place(in: kinds.map(\.weight))].draw(&random, .anonymous)
        let outcome = DispatchOutcome()
        guard let room = loop.usedRoom(Self.path) else { return }
        ownDispatches.append(outcome)
        world.room.dispatch(room, action, outcome)
    }

    // MARK: LoopHost

    var now: Duration { world.time.now }

    var timeOfDay: Timestamp { world.timeOfDay }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        after(delay, work)
    }

    func turnBegan() {
        guard !isTurnScheduled else { return }
        isTurnScheduled = true
        after(random.duration(upTo: world.scenario.turn)) { [self] in
            isTurnScheduled = false
            loop.endTurn()
            checkExpiries()
        }
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        world.model.roomOpened()
        defer { _ = random.next() }
        return world.room.open(
            RoomContext(
                name: path, journal: faulty, limits: world.scenario.limits, loop: loop,
                now: { [unowned world] in world.timeOfDay }, random: random))
    }

    func unloaded(_ room: any AnyRoom) {
        world.note(.server, number, 3) { "unloads the room" }
    }

    func authenticate(_ session: ServerSession, token: String?) {
        var result = world.room.identify(token)
        if world.scenario.tokenLife > .zero, !world.isHealing {
            let end = timeOfDay.secondsSince1970 + world.scenario.tokenLife / .seconds(1)
            result = result.map {
                Identity($0.id, roles: $0.roles, expires: Timestamp(secondsSince1970: end))
            }
        }
        let delay = world.isHealing ? .zero : random.duration(upTo: world.scenario.checking)
        guard delay > .zero else { return authenticated(session, result) }
        after(delay) { [weak self, weak session] in
            if let self, let session { authenticated(session, result) }
        }
    }

    private func authenticated(_ session: ServerSession, _ result: Result<Identity, Rejection>) {
        expiries[ObjectIdentifier(session)] = (try? result.get())?.expires
        session.authenticated(result)
    }

    /// Nobody is served whose identity expired more than two seconds ago.
    private func checkExpiries() {
        guard !expiries.isEmpty else { return }
        for session in connections.compactMap(\.session) where session.phase == .live {
            guard let end = expiries[ObjectIdentifier(session)],
                end.secondsSince1970 + 2 < timeOfDay.secondsSince1970
            else { continue }
            world.violate(
                .protocol, "\(session.identity.id) is served, and has expired at \(end).")
        }
    }

    func report(_ message: String) {
        world.note(.server, number, message.utf8.count) { "reports: \(message)" }
    }
}
