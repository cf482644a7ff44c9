import StorecastSync
import StorecastWire

/// One life of the server: its loop, its connections and its journal, until it stops or crashes.
final class ServerProcess: LoopHost {
    /// The room's path.
    static let path = "/"

    let number: Int
    private(set) var isAlive = true
    /// In the order of their opening.
    private(set) var connections: [SimulatedConnection] = []
    /// What the server's own code waits for.
    private(set) var ownDispatches: [DispatchOutcome] = []

    unowned let world: World
    private var random: SeededGenerator
    private let journal: any Journal
    private var faulty: FaultyJournal!
    private var loop: RoomLoop!
    private var isTurnScheduled = false
    /// Crashes when it has come by so many more places at which a crash would hurt.
    private var fuse: Int?

    init(_ number: Int, journal: any Journal, in world: World) {
        self.number = number
        self.world = world
        self.journal = journal
        random = SeededGenerator(seed: world.scenario.seed, for: .process, number)
        faulty = FaultyJournal(journal, of: self, in: world)
        loop = RoomLoop(
            limits: world.scenario.limits, unloadsRooms: journal.isDurable, host: self)
    }

    /// Nil until somebody comes, and when it has left memory.
    var room: (any AnyRoom)? { loop.rooms[ExactString(Self.path)] }

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

    /// Says goodbye to everyone and ends a little later, when rooms have written what they can.
    func stop() {
        guard isAlive, !loop.isStopping else { return }
        world.note(.server, number, 2) { "stops" }
        loop.stop()
        after(.milliseconds(50)) { [self] in
            loop.prepareRoomsToEnd { [self] in
                guard isAlive else { return }
                isAlive = false
                world.ended(self)
            }
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
        for connection in connections { connection.serverLost(loop) }
        connections = []
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
        connection.begin(on: loop)
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

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        after(delay, work)
    }

    func turnBegan() {
        guard !isTurnScheduled else { return }
        isTurnScheduled = true
        after(random.duration(upTo: world.scenario.turn)) { [self] in
            isTurnScheduled = false
            loop.endTurn()
        }
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        world.truth.roomOpened()
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
        let result = world.room.identify(token)
        let delay = world.isHealing ? .zero : random.duration(upTo: world.scenario.checking)
        guard delay > .zero else { return session.authenticated(result) }
        after(delay) { [weak session] in session?.authenticated(result) }
    }

    func report(_ message: String) {
        world.note(.server, number, message.utf8.count) { "reports: \(message)" }
    }
}
