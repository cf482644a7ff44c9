import StorecastMirror
import StorecastSync
import StorecastWire

/// The process of a client: the connector that apps use, on a simulated network.
///
/// It ends when it crashes. The process that takes its place has its id and what was stored of its
/// outbox, or another id if its outbox isn't stored.
final class SimulatedClient {
    let number: Int
    private(set) var connector: Connector!
    /// Where its outbox is stored; nil if it isn't.
    let storage: MemoryOutboxStorage?
    /// The client's end of the newest connection.
    var socket: SimulatedSocket?
    /// Whether it has a network.
    private(set) var isOnline = false
    /// Whether it ever connected or dispatched.
    var wasActive = false
    private var wasConnected = false
    /// Whether it has crashed.
    private(set) var isEnded = false
    /// All identities that it has had: its mirrors may still be for an older one than its token's.
    private(set) var identities: [Identity]
    /// In order: the first has `seq` 1.
    var dispatches: [Dispatched] = []
    /// The indices in `dispatches` of those whose outcome wasn't checked yet, in order.
    var open: [Int] = []
    var subscriptions: [SimulatedSubscription] = []
    /// What it had seen when it was checked last, and in which term.
    var seen: (position: Position?, term: String?) = (nil, nil)
    /// Whether it is to be checked after this event.
    var isTouched = false

    unowned let world: World
    var random: SeededGenerator
    /// The token that it gives to the connector.
    private(set) var token: String
    /// How many servers it has gone to since there are no more faults.
    private var servers = 0
    /// How many tokens it was issued: each differs from those before.
    private var tokens = 0
    /// When the connection became live, if it is.
    var liveSince: Duration?
    /// Whether the next attempt to connect must follow after the shortest delay.
    var isRetrySoon = false

    /// - Parameters:
    ///   - generation: how many clients have crashed before.
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
        let session = Self.session(
            id: randomID(using: &random), identity, storage, world.room.catalogue,
            world.scenario.outbox)
        if !world.scenario.hasParts || number % 4 == 3 { session.largestValue = 0 }
        connector = Connector(
            session, host: self, random: SeededGenerator(seed: random.next()))
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

    var session: ClientSession { connector.session }

    var identity: Identity { identities[identities.count - 1] }

    // MARK: Connecting

    /// Its network is available: connects.
    func arrive() {
        guard !isEnded, !isOnline else { return }
        isOnline = true
        if wasConnected { reconnectNow() } else { connector.start() }
        (wasActive, wasConnected) = (true, true)
    }

    /// It has no network until it arrives again.
    func leave() {
        guard isOnline else { return }
        isOnline = false
        disconnect(because: "there is no network")
    }

    /// Opens another connection; the server may not know that the last one is over.
    func reconnect() {
        guard isOnline else { return }
        disconnect(because: "the network has changed")
        reconnectNow()
    }

    private func reconnectNow() {
        isRetrySoon = true
        connector.reconnect()
    }

    /// Crashes.
    func end() {
        isEnded = true
        isOnline = false
        socket = nil
    }

    /// Sends what there is to send, after all other events of this time.
    func scheduleFlush() {
        if !isEnded { connector.scheduleFlush() }
    }

    // MARK: Identity

    /// Authenticates with a new token of the same user, who may have other roles.
    func renew(as identity: Identity) {
        let old = token
        token = world.room.token(of: identity)
        if identity != self.identity { identities.append(identity) }
        if token != old { connector.authenticate(token: token) }
    }

    // MARK: Time

    /// Runs `body` later, unless there was another attempt to connect meanwhile.
    func later(_ delay: Duration, _ body: @escaping () -> Void) {
        let attempt = connector.attempt
        after(delay) { [self] in if attempt == connector.attempt { body() } }
    }

    /// Runs `body` later, unless it has crashed meanwhile.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        world.time.after(delay) { [self] in
            guard !isEnded else { return }
            touch()
            body()
        }
    }

    func touch() {
        world.touch(self)
    }

    /// The servers one after the other; each client begins with another.
    func nextServer() -> Int {
        servers += 1
        return number + servers
    }

    /// What it has left to do, or nil.
    var pendingWork: String? {
        if isEnded { return nil }
        if !wasActive { return nil }
        if session.phase != .live { return "isn't connected" }
        if connection?.isOver == true { return "hasn't noticed that its connection is over" }
        if session.pendingCount > 0 { return "has \(session.pendingCount) dispatches open" }
        if session.storageProblem != nil { return "waits for its disk" }
        if session.hasMessages { return "has something to send" }
        if connection?.isQuiet != true { return "has messages under way" }
        if let open = subscriptions.first(where: { !$0.mirror.isLive && $0.mirror.failure == nil })
        {
            return "waits for '\(open.mirror.selection)'"
        }
        return nil
    }
}

/// The app around the connector: tokens, timers and stores.
extension SimulatedClient: ConnectorHost {
    var now: Duration { world.time.now }

    func schedule(_ timer: Connector.Timer, after delay: Duration) {
        after(delay) { [self] in connector.fire(timer) }
    }

    func requestToken(for attempt: Int) {
        // Whoever issues them may still give the one that it gave before.
        if world.scenario.tokenLife > .zero, !random.happens(oneIn: 4) { tokens += 1 }
        let token = tokens == 0 ? token : "\(token)#\(tokens)"
        let delay = random.happens(oneIn: 4) ? random.duration(upTo: .milliseconds(100)) : .zero
        let fails = !world.isHealing && random.happens(oneIn: 50)
        after(delay) { [self] in
            if fails {
                connector.tokenFailed("There is no token.", for: attempt)
            } else {
                connector.provide(token: token, for: attempt)
            }
        }
    }

    func openConnection(for attempt: Int) -> any TransportConnection {
        let socket = SimulatedSocket(self, attempt)
        self.socket = socket
        after(random.duration(upTo: .milliseconds(50))) { socket.open() }
        return socket
    }

    func statusChanged(_ status: Connector.Status) {
        if status == .live {
            liveSince = now
        } else if let start = liveSince.take(), now - start >= .seconds(5) {
            isRetrySoon = true
        }
        switch status {
        case .connecting, .live: break
        case .offline(let delay, let reason):
            world.note(.client, number, 3) { "offline: \(reason)" }
            if isRetrySoon, connector.bye == nil, delay > .milliseconds(250) {
                world.violate(.retry, "Client \(number) waits for \(delay).")
            }
            isRetrySoon = false
        case .closed(let rejection):
            world.violate(
                .protocol,
                "Client \(number) keeps to the protocol and was told to stop: "
                    + "\(rejection.map { "\($0)" } ?? "")")
        }
    }

    func mirrorsMoved() {
        for subscription in subscriptions { subscription.deliver(nil) }
    }

    func pendingChanged() {
        guard subscriptions.contains(where: { $0.view != nil }) else { return }
        let pending = session.outbox.withLock(\.pendingActions)
        for subscription in subscriptions { subscription.deliver(pending) }
    }

    func storageChanged(_ problem: Rejection?) {
        world.note(.client, number, problem == nil ? 5 : 6) {
            problem.map { "can't store: \($0)" } ?? "can store again"
        }
    }

    func report(_ message: String) {
        world.violate(.protocol, "Client \(number): \(message)")
    }
}
