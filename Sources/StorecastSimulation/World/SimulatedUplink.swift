import StorecastRoom
import StorecastSync
import StorecastWire

/// The way of a mirrored room to the server that has the room: to one after the other.
final class SimulatedUplink: EdgeUplink {
    /// What servers know one another by.
    static let key = "the key of all servers"

    private weak var room: MirroredRoom?
    private unowned let process: ServerProcess
    private var random: SeededGenerator
    private var link: EdgeLink?
    /// Where the room was found last.
    private var place: Int?
    /// When the connection was made, if there is one.
    private var openedAt: Duration?
    /// When the room gave that connection up; its end comes later.
    private var givenUpAt: Duration?
    private var bye: ServerFrame.Bye?
    private var isOver = false
    /// What was begun before the newest attempt comes to nothing.
    private var attempt = 0

    init(of room: MirroredRoom, in process: ServerProcess, _ random: SeededGenerator) {
        self.room = room
        self.process = process
        self.random = random
    }

    private var world: World { process.world }

    func connect() {
        isOver = false
        attempt += 1
        let attempt = attempt
        process.member?.find { [weak self] place in
            guard let self, self.attempt == attempt, !isOver, process.isAlive else { return }
            guard let place, let owner = world.server(at: place) else { return connectLater() }
            self.place = place
            process.after(random.duration(upTo: .milliseconds(50))) { [weak self] in
                guard let self, self.attempt == attempt, !isOver else { return }
                guard owner.isAlive, !world.isParted(process, owner) else { return connectLater() }
                link?.closedByEdge()
                link = EdgeLink(from: self, in: process, to: owner, in: world)
                (openedAt, givenUpAt) = (world.time.now, nil)
                room?.connected()
            }
        }
    }

    func send(_ message: [UInt8]) -> Bool { link?.sendToOwner(message) ?? false }

    var isQuick: Bool { link?.isQuick ?? true }
    var hasRoom: Bool { true }

    /// Whether the connection is over, which this end needn't know yet.
    var isCut: Bool { link?.isOver == true }

    func restart(after bye: ServerFrame.Bye?) {
        if let bye { self.bye = bye }
        guard let link else { return }
        givenUpAt = givenUpAt ?? world.time.now
        link.closedByEdge()
        process.after(random.duration(upTo: .milliseconds(50))) { [weak self] in
            self?.closed(link)
        }
    }

    func stop() {
        isOver = true
        link.take()?.closedByEdge()
    }

    /// The owner is gone.
    func lost(_ place: Int) {
        guard !isOver, self.place == place else { return }
        link.take()?.closedByEdge()
        room?.disconnected()
        openedAt = nil
        bye = nil
        room?.backOff = .betweenServers
        connect()
    }

    func received(_ message: [UInt8], on link: EdgeLink) {
        guard link === self.link, process.isAlive else { return }
        process.front?.rooms.noteBegin()
        world.note(.server, process.number, message.count) {
            "hears from its owner " + String(decoding: message, as: UTF8.self)
        }
        message.withUnsafeBytes { room?.receive($0) }
    }

    /// The connection has ended, and this end knows it.
    func closed(_ link: EdgeLink) {
        guard link === self.link, process.isAlive else { return }
        self.link = nil
        room?.disconnected()
        let held = openedAt.take().map { (givenUpAt ?? world.time.now) - $0 } ?? .zero
        // A second more than it has to: the room counts by its process's clock.
        connectLater(isSoon: held >= .seconds(6))
    }

    /// - Parameter isSoon: whether it must be after the shortest delay, if the owner asks for no
    ///   other.
    private func connectLater(isSoon: Bool = false) {
        guard !isOver, let room else { return }
        let delay = room.backOff.next(after: bye, using: &random)
        if isSoon, bye == nil, delay > .milliseconds(100) {
            world.violate(.retry, "The edge \(process.number) waits for \(delay).")
        }
        bye = nil
        attempt += 1
        let attempt = attempt
        process.after(delay) { [weak self] in
            if let self, !isOver, self.attempt == attempt { connect() }
        }
    }
}

/// A connection from an edge to the server that has the room.
final class EdgeLink: ServerLink {
    private enum ToEdge {
        case message(ServerMessage)
        case closed
    }

    private enum ToOwner {
        case message([UInt8])
        case closed
    }

    let id: UInt64
    unowned let owner: ServerProcess
    private(set) weak var edge: ServerProcess?
    private weak var uplink: SimulatedUplink?
    private unowned let world: World
    private(set) var session: ServerSession?
    private var toEdge: Flow<ToEdge>!
    private var toOwner: Flow<ToOwner>!
    private var isClosed = false
    private var isCut = false

    init(
        from uplink: SimulatedUplink, in process: ServerProcess, to owner: ServerProcess,
        in world: World
    ) {
        id = world.newLinkID()
        self.uplink = uplink
        edge = process
        self.owner = owner
        self.world = world
        var random = SeededGenerator(seed: world.scenario.seed, for: .link, Int(id))
        let conditions =
            world.isHealing ? NetworkConditions.perfect : world.scenario.conditions.drawn(&random)
        toEdge = Flow(world.time, conditions, SeededGenerator(seed: random.next())) {
            [weak self] message in process.whenRunning { self?.deliver(message) }
        }
        toOwner = Flow(world.time, conditions, SeededGenerator(seed: random.next())) {
            [weak self] message in owner.whenRunning { self?.deliver(message) }
        }
        owner.links.append(self)
        session = owner.loop.rooms.begin(self, in: ServerProcess.path)
    }

    /// Whether no more messages get through.
    var isOver: Bool { isCut || isClosed || uplink == nil || edge?.isAlive != true }

    var isQuiet: Bool {
        toEdge.isEmpty && toOwner.isEmpty && session?.hasMessages != true
            && session?.hasParts != true
    }

    // MARK: The edge's end

    var isQuick: Bool { toOwner.size < 10_000 }

    func sendToOwner(_ message: [UInt8]) -> Bool {
        guard !isClosed else { return false }
        toOwner.send(.message(message), size: message.count)
        return true
    }

    func closedByEdge() {
        uplink = nil
        toOwner.send(.closed, size: 0)
        toEdge.setReading(true)
    }

    private func deliver(_ event: ToEdge) {
        switch event {
        case .message(let message): uplink?.received(Array(message.text), on: self)
        case .closed: uplink?.closed(self)
        }
        if owner.isAlive, let session { owner.loop.rooms.flush(session) }
    }

    // MARK: The owner's end

    var isWritable: Bool { owner.isAlive && !isClosed && toEdge.size < 100_000 }

    func write(_ messages: [ServerMessage]) {
        guard !owner.crashesNow() else { return }
        world.touchServer()
        for message in messages { toEdge.send(.message(message), size: message.frameSize) }
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        guard owner.isAlive else { return }
        for message in last { toEdge.send(.message(message), size: message.frameSize) }
        isClosed = true
        toOwner.setReading(true)
        toEdge.send(.closed, size: 0)
    }

    func setReading(_ reads: Bool) { toOwner.setReading(reads) }

    private func deliver(_ event: ToOwner) {
        guard owner.isAlive, !owner.crashesNow() else { return }
        world.touchServer()
        switch event {
        case .message(let message):
            message.withUnsafeBytes { session?.receive($0) }
        case .closed: ownerNoticesEnd()
        }
    }

    private func ownerNoticesEnd() {
        guard owner.isAlive, session != nil else { return }
        world.touchServer()
        ownerLost()
        owner.links.removeAll { $0 === self }
    }

    /// Ends the session.
    func ownerLost() {
        guard session.take() != nil else { return }
        owner.loop.rooms.end(id)
    }

    // MARK: The network

    /// Cuts the connection: each end notices at once, later, or when nothing comes for long.
    func breakUp(_ random: inout SeededGenerator) {
        isCut = true
        toEdge.cut(keeping: random.below(3))
        toOwner.cut(keeping: random.below(3))
        let times = (0..<2).map { _ in
            random.pick([.zero, random.duration(upTo: .seconds(5)), .seconds(60)])
        }
        world.time.after(times[0]) { [self] in owner.whenRunning { self.ownerNoticesEnd() } }
        world.time.after(times[1]) { [self] in
            if let edge { edge.whenRunning { self.uplink?.closed(self) } }
        }
    }

    func heal() {
        toEdge.heal()
        toOwner.heal()
    }

    func removeDelays() {
        toEdge.removeDelays()
        toOwner.removeDelays()
    }
}
