import StorecastMirror
import StorecastSync

/// The I/O around a connector, and the observers of its mirrors.
///
/// Belongs to its ``ConnectionDriver``.
final class ConnectionCore {
    weak var owner: ConnectionDriver?
    let monitor: ConnectionMonitor
    private(set) var connector: Connector!

    private let configuration: ConnectionConfiguration
    private let deliveries: DeliveryRegistry
    /// Why the outbox couldn't be opened.
    private let openingProblem: Rejection?
    /// When the connection was lost, or first tried; nil while it is live.
    private var lostSince: Timestamp?
    private var observed: [UInt64: Mirror] = [:]

    init(_ configuration: ConnectionConfiguration) {
        self.configuration = configuration
        deliveries = configuration.deliveries
        var random = configuration.random
        let client = randomID(using: &random)
        let (session, problem) = configuration.openSession(client: client)
        session.largestValue = configuration.largestValue
        openingProblem = problem
        monitor = ConnectionMonitor(session.outbox, configuration.identity)
        connector = Connector(session, host: self, random: random)
    }

    var session: ClientSession { connector.session }

    /// Connects for the first time, unless the outbox couldn't be opened.
    func start() {
        if let openingProblem { return connector.close(openingProblem) }
        if session.pendingCount > 0 { pendingChanged() }
        connector.start()
    }

    // MARK: Dispatches and mirrors

    /// Sends what was dispatched, after earlier requests.
    func admit() {
        session.admit()
        connector.scheduleFlush()
    }

    /// Mirrors a selection for observer `id`: `observer` is called with what is known now, and
    /// after every change.
    func observe(
        _ selection: String, _ parameters: JSON?, as id: UInt64,
        _ observer: @escaping (Mirror) -> Void
    ) {
        let mirror = session.mirror(selection, parameters)
        observed[id] = mirror
        mirror.observers[id] = observer
        if session.phase == .closed { mirror.fail(ClientSession.closed) }
        if mirror.value != nil || mirror.failure != nil {
            observer(mirror)
            deliveries.deliver()
        }
        connector.scheduleFlush()
    }

    /// Removes an observer.
    func endObserving(as id: UInt64) {
        guard let mirror = observed.removeValue(forKey: id) else { return }
        mirror.observers[id] = nil
        session.release(mirror)
        connector.scheduleFlush()
    }
}

extension ConnectionCore: ConnectorHost {
    /// The time by the transport's clock.
    var now: Duration { configuration.transport.executor.now }

    func schedule(_ timer: Connector.Timer, after delay: Duration) {
        if delay == .zero {
            owner?.perform { $0.connector.fire(timer) }
        } else {
            owner?.perform(after: delay) { $0.connector.fire(timer) }
        }
    }

    func requestToken(for attempt: Int) {
        guard let token = configuration.token else {
            return connector.provide(token: nil, for: attempt)
        }
        // Weak, so that a token that never comes doesn't keep the connection alive.
        Task { [weak owner] in
            do {
                let value = try await token()
                owner?.perform { $0.connector.provide(token: value, for: attempt) }
            } catch {
                let problem = "There is no token: \(error)"
                owner?.perform { $0.connector.tokenFailed(problem, for: attempt) }
            }
        }
    }

    func openConnection(for attempt: Int) -> any TransportConnection {
        let owner = owner
        return configuration.transport.connect(
            to: configuration.url, subprotocol: ProtocolVersion.subprotocol
        ) { event in
            // A message's bytes are valid during this call only; `enter` returns before it ends.
            nonisolated(unsafe) let event = event
            owner?.enter { $0.connector.take(event, from: attempt) }
        }
    }

    func statusChanged(_ status: Connector.Status) {
        switch status {
        case .connecting:
            lostSince = lostSince ?? configuration.wallClock()
            monitor.set(.connecting)
        case .live:
            lostSince = nil
            if let identity = session.identity { monitor.set(identity: identity) }
            monitor.set(.live)
        case .offline(let delay, let reason):
            monitor.set(.offline(outage(retryIn: delay, because: reason)))
        case .closed(let rejection): monitor.set(.closed(rejection))
        }
    }

    private func outage(retryIn delay: Duration, because reason: String) -> Outage {
        let time = configuration.wallClock()
        let since = lostSince ?? time
        lostSince = since
        return Outage(
            since: since,
            retryAt: Timestamp(secondsSince1970: time.secondsSince1970 + delay / .seconds(1)),
            reason: reason)
    }

    func mirrorsMoved() { deliveries.deliver() }

    func pendingChanged() {
        monitor.pendingChanged()
        guard deliveries.wantsPending else { return }
        deliveries.deliver(session.outbox.withLock { $0.pendingActions })
    }

    func storageChanged(_ problem: Rejection?) { monitor.set(outboxProblem: problem) }

    // Not logged: an app can do nothing about a server that breaks the protocol.
    func report(_ message: String) {}
}

/// The actor that owns a connection's state, on its transport's executor, so that the transport's
/// events reach it without a hop.
actor ConnectionDriver {
    /// The dispatches without an outcome; used from any thread.
    nonisolated let outbox: SharedOutbox
    nonisolated let monitor: ConnectionMonitor
    private nonisolated let executor: any TransportExecutor
    private let core: ConnectionCore

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ configuration: ConnectionConfiguration) {
        let core = ConnectionCore(configuration)
        self.core = core
        outbox = core.session.outbox
        monitor = core.monitor
        executor = configuration.transport.executor
        core.owner = self
    }

    /// Runs `work` on the executor, after everything that was given to it before.
    nonisolated func perform(_ work: @escaping @Sendable (ConnectionCore) -> Void) {
        executor.execute { [self] in enter(work) }
    }

    /// Runs `work` later.
    nonisolated func perform(
        after delay: Duration, _ work: @escaping @Sendable (ConnectionCore) -> Void
    ) {
        executor.execute(after: delay) { [weak self] in self?.enter(work) }
    }

    /// Runs `work` at once; only on the executor.
    nonisolated func enter(_ work: @Sendable (ConnectionCore) -> Void) {
        assumeIsolated { driver in work(driver.core) }
    }
}

/// The parts of a connection.
struct ConnectionConfiguration: Sendable {
    let url: String
    let token: (@Sendable () async throws -> String)?
    /// Who the client is to the server, as the app says; nil if it doesn't.
    let identity: Identity?
    let outbox: RemoteConnection.Outbox
    let cache: RemoteConnection.Cache
    /// The room's actions, as far as they are known.
    let actions: ActionCatalogue
    let largestValue: Int
    let transport: any Transport
    /// The source of ids and delays.
    let random: any RandomNumberGenerator & Sendable
    /// The time of day.
    let wallClock: @Sendable () -> Timestamp
    let deliveries: DeliveryRegistry

    /// The session with the outbox; or one that refuses everything, and why.
    func openSession(client: String) -> (ClientSession, Rejection?) {
        do throws(Rejection) {
            let session = try outbox.open(
                room: room, client: client, actions: actions, cache: cache
            ) { client in
                ProvisionalStamps(
                    client: client, sender: identity ?? .anonymous, now: wallClock)
            }
            return (session, nil)
        } catch {
            let nothing = StorecastMirror.Outbox(refusing: error)
            return (ClientSession(outbox: SharedOutbox(client: client, nothing)), error)
        }
    }

    /// The path of the URL, which names the room.
    private var room: String {
        let path = ServerURL(url)?.path ?? ""
        return String(path.prefix { $0 != "?" })
    }
}
