import StorecastMirror
import StorecastSync
import StorecastWire

/// An application with a connector, as an app has it, on a simulated network.
///
/// It ends when it crashes. The client that takes its place has its id and what was stored of its
/// outbox, if the outbox is stored, and else another id.
final class SimulatedClient {
    let number: Int
    private(set) var connector: Connector!
    /// Where its outbox is stored; nil if it isn't.
    let storage: MemoryOutboxStorage?
    /// The client's end of the newest connection.
    var socket: SimulatedSocket?
    /// Whether its network is there.
    private(set) var isOnline = false
    /// Whether it ever connected or dispatched.
    var wasThere = false
    private var wasConnected = false
    /// Whether it has crashed.
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
    /// What it answers when the connector asks.
    private(set) var token: String
    /// When the server said welcome, if the connection is live.
    var liveSince: Duration?
    /// Whether the next delay before an attempt has to be the shortest.
    var isRetrySoon = false

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
        let session = Self.session(
            id: randomID(using: &random), identity, storage, world.room.catalogue,
            world.scenario.outbox)
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

    // MARK: Coming and going

    /// Its network is there: connects.
    func arrive() {
        guard !isEnded, !isOnline else { return }
        isOnline = true
        if wasConnected { reconnectNow() } else { connector.start() }
        (wasThere, wasConnected) = (true, true)
    }

    /// Its network is gone until it arrives again.
    func leave() {
        guard isOnline else { return }
        isOnline = false
        disconnect(because: "there is no network")
    }

    /// Opens another connection while the server may not know that the last one is over.
    func reconnect() {
        guard isOnline else { return }
        disconnect(because: "the network has changed")
        reconnectNow()
    }

    private func reconnectNow() {
        isRetrySoon = true
        connector.reconnect()
    }

    /// Crashes: it is gone, with all that it knew.
    func end() {
        isEnded = true
        isOnline = false
        socket = nil
    }

    /// Sends what there is, behind everything that happens in this moment.
    func scheduleFlush() {
        if !isEnded { connector.scheduleFlush() }
    }

    // MARK: Identity

    /// Shows a newer token for the same person, who may do other things now.
    func renew(as identity: Identity) {
        let old = token
        token = world.room.token(of: identity)
        if identity != self.identity { identities.append(identity) }
        if token != old { connector.authenticate(token: token) }
    }

    // MARK: Time

    /// Does something later, unless the connection, or the wait for one, is another one then.
    func later(_ delay: Duration, _ body: @escaping () -> Void) {
        let attempt = connector.attempt
        after(delay) { [self] in if attempt == connector.attempt { body() } }
    }

    /// Does something later, unless it has crashed by then.
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
