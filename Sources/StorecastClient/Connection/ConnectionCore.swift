import StorecastMirror
import StorecastSync

/// The I/O around a connector, and those who follow its mirrors and its status.
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
    /// When there was no connection any more, or not yet.
    private var lostSince: Timestamp?
    private var observed: [UInt64: Mirror] = [:]

    init(_ configuration: ConnectionConfiguration) {
        self.configuration = configuration
        deliveries = configuration.deliveries
        var random = configuration.random
        let client = randomID(using: &random)
        let (session, problem) = configuration.openSession(client: client)
        openingProblem = problem
        monitor = ConnectionMonitor(session.outbox)
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

    /// Takes what was dispatched, behind what was asked for before.
    func admit() {
        session.admit()
        connector.scheduleFlush()
    }

    /// Follows a selection as observer `id`: `observer` is called with what is known now, and after
    /// every change.
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

    /// The observer has lost its interest.
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
        // Weak: the app may take as long as it likes to answer.
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
            // A message's bytes are valid during this call, and so is the entry into the actor.
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

    // An app has no place for what a server shouldn't have said; the connection begins anew.
    func report(_ message: String) {}
}
