import StorecastRoom
import StorecastWire

/// One process of a server: its loop, its connections and its journal, until it stops or crashes.
///
/// As a server of a cluster it has a second loop, where its clients are: there the room is a mirror
/// of whichever server has it.
final class ServerProcess: SimulatedServer {
    /// The room's path.
    static let path = "/"

    let number: Int
    let place: Int
    private(set) var isAlive = true
    /// In the order of their opening.
    private(set) var connections: [SimulatedConnection] = []
    /// The outcomes that the server's own code waits for.
    private(set) var ownDispatches: [DispatchOutcome] = []

    unowned let world: World
    private var random: SeededGenerator
    private var journal: (any Journal)!
    private var faulty: FaultyJournal!
    private(set) var loop: SimulatedLoop!
    /// What it has of the cluster, if it is a server of one.
    private(set) var member: (any ClusterMember)?
    /// The loop of its clients, if that isn't the one with the room.
    private(set) var front: SimulatedLoop?
    private(set) var uplink: SimulatedUplink?
    /// The connections of other servers, and its own, that its clients are behind.
    var links: [EdgeLink] = []
    private var isStopping = false
    /// When it goes on, if it stands still.
    private var standsUntil = Duration.zero
    /// What is to be done when it goes on.
    private var deferred: [() -> Void] = []
    /// Whether it stood still a moment ago, so that nothing is in time.
    private(set) var stoodStill = false
    /// How many more crash points it passes before it crashes; nil if it isn't to crash.
    private var stepsUntilCrash: Int?

    /// - Parameter journal: its own; nil for that of the cluster.
    init(_ number: Int, at place: Int, journal: (any Journal)?, in world: World) {
        self.number = number
        self.place = place
        self.world = world
        random = SeededGenerator(seed: world.scenario.seed, for: .process, number)
        if let cluster = world.cluster { member = cluster.join(self) }
        self.journal = journal ?? member?.journal
        faulty = FaultyJournal(self.journal, of: self, in: world)
        loop = SimulatedLoop(
            of: self, world.scenario.limits, unloadsRooms: self.journal.isDurable
        ) { [unowned self] path, loop in
            self.world.model.roomOpened()
            return self.world.room.open(
                RoomContext(
                    name: path, journal: faulty, limits: self.world.scenario.limits, loop: loop,
                    now: { [unowned world] in world.timeOfDay },
                    random: SeededGenerator(seed: random.next())))
        }
        guard member != nil, world.scenario.hasFronts else { return }
        front = SimulatedLoop(of: self, world.scenario.limits, unloadsRooms: true) {
            [unowned self] path, loop in mirror(path, on: loop)
        }
    }

    private func mirror(_ path: String, on loop: RoomLoop) -> any AnyRoom {
        let room = MirroredRoom(
            path, limits: world.scenario.limits, loop: loop,
            MirroredRoom.Credentials(
                key: SimulatedUplink.key, client: randomID(using: &random)))
        room.hasOneOwner = false
        let uplink = SimulatedUplink(of: room, in: self, SeededGenerator(seed: random.next()))
        room.uplink = uplink
        self.uplink = uplink
        return room
    }

    /// Nil until it is used, and while it is unloaded.
    var room: (any AnyRoom)? { loop.room }

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
        guard isAlive, !isStopping else { return }
        world.note(.server, number, 2) { "stops" }
        isStopping = true
        guard let member else { return stopLoops() }
        member.giveRoom { [self] in
            if isAlive { stopLoops() }
        }
    }

    private func stopLoops() {
        front?.rooms.stop {}
        loop.rooms.stop {}
        after(.milliseconds(50)) { [self] in
            loop.rooms.prepareRoomsToEnd { [self] in
                guard isAlive else { return }
                isAlive = false
                world.ended(self)
            }
        }
    }

    /// Runs `body` later if the process is still alive, and not while it stands still.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        world.time.after(delay) { [self] in whenRunning(body) }
    }

    /// Runs `body` now, or when the process goes on; not if it has ended by then.
    func whenRunning(_ body: @escaping () -> Void) {
        guard isAlive else { return }
        guard deferred.isEmpty, !stands else { return deferred.append(body) }
        world.touchServer()
        body()
    }

    /// Stands still, as if its machine had other things to do.
    func stand(for time: Duration) {
        guard isAlive else { return }
        world.note(.server, number, 4) { "stands still for \(time)" }
        standsUntil = max(standsUntil, world.time.now + time)
        stoodStill = true
        world.time.at(standsUntil) { [self] in goOn() }
        let recovery = .seconds(2) + world.scenario.limits.lingerTime * 2
        world.time.at(standsUntil + recovery) { [self] in
            if standsUntil + recovery <= world.time.now { stoodStill = false }
        }
    }

    /// Does what was to be done meanwhile, in its order.
    private func goOn() {
        while !stands, isAlive, !deferred.isEmpty {
            world.touchServer()
            deferred.removeFirst()()
        }
        if !isAlive { deferred = [] }
    }

    var stands: Bool { standsUntil > world.time.now }

    func drawn() -> UInt64 { random.next() }

    func turnDelay() -> Duration { random.duration(upTo: world.scenario.turn) }

    func checkingDelay() -> Duration {
        world.isHealing ? .zero : random.duration(upTo: world.scenario.checking)
    }

    /// Whether writing or reading a snapshot fails this time.
    func failsAtSnapshots() -> Bool {
        !world.isHealing && world.scenario.losesSnapshots && random.happens(oneIn: 4)
    }

    func journalDelay() -> Duration {
        world.isHealing ? .zero : random.duration(upTo: world.scenario.journalDelay)
    }

    /// Whether the room has nothing left to do.
    var isIdle: Bool {
        !loop.isTurnScheduled && front?.isTurnScheduled != true
            && room.map(world.room.isIdle) ?? true && links.allSatisfy(\.isQuiet)
    }

    /// Breaks the reference cycles between rooms and sessions when the process has ended.
    func dismantle() {
        isAlive = false
        for connection in connections { connection.serverLost() }
        connections = []
        for link in links { link.ownerLost() }
        links = []
        uplink?.stop()
        member?.end()
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
        connection.begin(on: front ?? loop)
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
        connection.serverLost()
    }

    func becameWritable(_ connection: SimulatedConnection) {
        whenRunning { [self] in
            if let session = connection.session { (front ?? loop).rooms.flush(session) }
        }
    }

    /// Dispatches an action as the server's own code does.
    func dispatch(_ random: inout SeededGenerator) {
        let kinds = world.room.serverKinds
        guard isAlive, !kinds.isEmpty, !loop.rooms.isStopping else { return }
        let action = kinds[random.place(in: kinds.map(\.weight))].draw(&random, .anonymous)
        let outcome = DispatchOutcome()
        guard let room = loop.rooms.usedRoom(Self.path) else { return }
        ownDispatches.append(outcome)
        world.room.dispatch(room, action, outcome)
    }

    // MARK: As a server of a cluster

    var hasRoom: Bool { room != nil }

    func prepareToLeave(_ completion: @escaping () -> Void) {
        guard let room else { return completion() }
        room.prepareToEnd(completion)
    }

    func leaveRoom(_ reason: String) {
        world.note(.server, number, 5) { "leaves the room: \(reason)" }
        room?.leave(reason, asTold: true)
    }

    func lost(_ place: Int) { uplink?.lost(place) }
}
