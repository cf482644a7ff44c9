import StorecastSync
import StorecastWire

/// A program with a client session: it connects again and again, pings, and does what it is told.
///
/// It ends when it crashes. Who comes in its place has the id and what was stored of its outbox, if
/// that was, and else another id.
final class SimulatedClient {
    let number: Int
    let session: ClientSession
    /// Where its outbox is stored; nil if it isn't.
    let storage: MemoryOutboxStorage?
    private(set) var connection: SimulatedConnection?
    /// Whether it is to be connected.
    private(set) var isPresent = false
    /// Whether it has ever come, or wants to.
    var wasThere = false
    /// Whether it is gone for good.
    private(set) var isEnded = false
    /// Everyone that it has been: its mirrors may still be for another than its newest token says.
    private(set) var identities: [Identity]
    /// In the order of their numbers: the first has `seq` 1.
    var dispatches: [Dispatched] = []
    /// The places of those in `dispatches` whose outcome wasn't seen yet, in order.
    var open: [Int] = []
    var follows: [Follow] = []
    /// Set when something happened to it that is to be checked.
    var isTouched = false

    unowned let world: World
    var random: SeededGenerator
    private var token: String
    /// What the server was shown last on this connection.
    private var shownToken = ""
    /// Counts connections, so that what belongs to an earlier one is known as such.
    private var attempt = 0
    private var isFlushScheduled = false
    var bye: ServerFrame.Bye?
    var backOff = BackOff()
    var liveSince: Duration?
    private var lastHeard = Duration.zero

    /// - Parameters:
    ///   - generation: how many clients have ended before it.
    ///   - storage: what an earlier process left; nil for an outbox in memory.
    init(
        _ number: Int, generation: Int, as identity: Identity, _ storage: MemoryOutboxStorage?,
        in world: World
    ) {
        self.number = number
        self.world = world
        self.storage = storage
        random = SeededGenerator(
            seed: world.scenario.seed, for: .client, number, generation)
        identities = [identity]
        token = world.room.token(of: identity)
        session = Self.session(
            id: randomID(using: &random), identity, storage, world.room.catalogue,
            world.scenario.outbox)
        session.delegate = self
    }

    private static func session(
        id: String, _ identity: Identity, _ storage: MemoryOutboxStorage?,
        _ actions: ActionCatalogue, _ limits: OutboxLimits
    ) -> ClientSession {
        let now = Timestamp(secondsSince1970: 0)
        let stamps = { (id: String) in
            ProvisionalStamps(client: id, sender: identity) { now }
        }
        guard let storage else {
            let outbox = Outbox(limits: limits, stamps: stamps(id))
            return ClientSession(outbox: SharedOutbox(client: id, outbox))
        }
        let stored = decoded {
            try StoredOutbox(
                in: storage, room: "/", actions: actions, limits: limits, client: id,
                stamps: stamps)
        }
        return ClientSession(outbox: stored.outbox, recorder: stored.recorder)
    }

    var identity: Identity { identities[identities.count - 1] }

    // MARK: Coming and going

    func arrive() {
        guard !isEnded, !isPresent else { return }
        isPresent = true
        wasThere = true
        connect()
    }

    /// Hangs up and comes back when it is told to.
    func leave() {
        guard isPresent else { return }
        isPresent = false
        hangUp()
    }

    /// Opens another connection while the server may not know that the last one is over.
    func reconnect() {
        guard isPresent else { return }
        backOff.reset()
        hangUp()
        connect()
    }

    /// Is no more, with all that it knew.
    func end() {
        isEnded = true
        isPresent = false
        attempt += 1
        connection = nil
    }

    private func hangUp() {
        attempt += 1
        guard let connection else { return }
        self.connection = nil
        connection.clientLeft()
        session.disconnected()
    }

    // MARK: Connecting

    private func connect() {
        attempt += 1
        bye = nil
        later(random.duration(upTo: .milliseconds(50))) { [self] in
            guard let new = world.connect(self) else { return lost(because: "nobody answers") }
            connection = new
            lastHeard = world.time.now
            shownToken = token
            session.connected(token: token)
            flush()
            watch(after: .seconds(session.heartbeat))
        }
    }

    /// The connection is over; there will be another.
    func lost(because reason: String) {
        world.note(.client, number, 3) { "offline: \(reason)" }
        hangUp()
        guard isPresent else { return }
        if let start = liveSince.take() { backOff.wasLive(for: world.time.now - start) }
        later(backOff.next(after: bye, using: &random)) { [self] in connect() }
    }

    func closed(_ code: CloseCode, on connection: SimulatedConnection) {
        guard connection === self.connection else { return }
        touch()
        if bye?.reconnect ?? code.allowsReconnect { return lost(because: code.word) }
        world.violate(
            .protocol,
            "Client \(number) keeps to the protocol and was told to stop: "
                + "\(bye?.code ?? code.word) \(bye?.title ?? "")")
    }

    /// Pings after a heartbeat of silence, and hangs up after another.
    private func watch(after delay: Duration, pinged: Duration? = nil) {
        later(delay) { [self] in
            guard connection != nil else { return }
            let heartbeat = Duration.seconds(session.heartbeat)
            if let pinged, lastHeard < pinged { return lost(because: "the server is silent") }
            let silence = world.time.now - lastHeard
            guard silence >= heartbeat else { return watch(after: heartbeat - silence) }
            session.ping()
            scheduleFlush()
            watch(after: heartbeat, pinged: world.time.now)
        }
    }

    // MARK: Messages

    func received(_ message: ServerMessage, on connection: SimulatedConnection) {
        guard connection === self.connection else { return }
        touch()
        lastHeard = world.time.now
        world.note(.client, number, message.frameSize) {
            "hears " + String(decoding: message.text, as: UTF8.self)
        }
        if message.text.withUnsafeBytes({ session.receive($0) }) {
            scheduleFlush()
        } else {
            lost(because: "the server doesn't keep to the protocol")
        }
    }

    /// Sends what there is behind all that happens in this moment.
    func scheduleFlush() {
        guard !isFlushScheduled, !isEnded, isFlushDue else { return }
        isFlushScheduled = true
        world.time.after(.zero) { [self] in
            isFlushScheduled = false
            flush()
        }
    }

    private var isFlushDue: Bool {
        session.isStoreDue || session.needsNewConnection
            || connection != nil && session.hasMessages
    }

    private func flush() {
        guard !isEnded else { return }
        touch()
        if session.isStoreDue { session.store() }
        if session.needsNewConnection { return reconnect() }
        guard let connection else { return }
        while let message = session.nextMessage() { say(message, on: connection) }
    }

    func say(_ message: [UInt8], on connection: SimulatedConnection) {
        world.note(.client, number, message.count) {
            "says " + String(decoding: message, as: UTF8.self)
        }
        connection.sendToServer(message)
    }

    // MARK: Identity

    /// Shows a newer token for the same person, who may do other things now.
    func renew(as identity: Identity) {
        token = world.room.token(of: identity)
        if identity != self.identity { identities.append(identity) }
        if session.phase == .live { authenticate() }
    }

    /// Shows the newest token, unless the server was shown it.
    func authenticate() {
        guard let connection, token != shownToken else { return }
        shownToken = token
        var writer = JSONWriter()
        writer.writeAuthenticate(token: token)
        say(writer.bytes, on: connection)
    }

    // MARK: Time

    /// Does something later, if it is on the same connection or between the same two then.
    func later(_ delay: Duration, _ body: @escaping () -> Void) {
        let attempt = attempt
        world.time.after(delay) { [self] in
            guard attempt == self.attempt, !isEnded else { return }
            touch()
            body()
        }
    }

    func touch() {
        world.touch(self)
    }

    /// Nil if it has nothing left to do.
    var occupation: String? {
        if isEnded { return nil }
        if !wasThere { return nil }
        if session.phase != .live { return "isn't connected" }
        if connection?.isOver == true { return "hasn't noticed that its connection is over" }
        if session.pendingCount > 0 { return "has \(session.pendingCount) dispatches open" }
        if session.storageProblem != nil { return "waits for its disk" }
        if session.hasMessages { return "has something to say" }
        if connection?.isQuiet != true { return "has messages under way" }
        if let open = follows.first(where: { !$0.mirror.isLive && $0.mirror.failure == nil }) {
            return "waits for '\(open.mirror.selection)'"
        }
        return nil
    }
}
