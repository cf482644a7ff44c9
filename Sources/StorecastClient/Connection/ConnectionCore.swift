import StorecastSync

/// Connects, reconnects, and moves messages between a client session and its transport.
///
/// Belongs to its ``ConnectionDriver``.
final class ConnectionCore {
    weak var owner: ConnectionDriver?
    /// Where the session's complaints go.
    var onTrouble: (String) -> Void = { _ in }
    let session: ClientSession
    let monitor: ConnectionMonitor

    let configuration: ConnectionConfiguration
    let deliveries: DeliveryRegistry
    /// Why the outbox couldn't be opened.
    private let openingProblem: Rejection?
    private var random: any RandomNumberGenerator
    private var connection: (any TransportConnection)?
    private var backOff = BackOff()
    var bye: ServerFrame.Bye?
    /// Counts tries, so that what belongs to an earlier one is known as such.
    var attempt = 0
    private var isFlushing = false
    private var isWaiting = false
    var lastHeard = Duration.zero
    var liveSince: Duration?
    /// When there was no connection any more, or not yet.
    var lostSince: Timestamp?
    private var observed: [UInt64: Mirror] = [:]

    init(_ configuration: ConnectionConfiguration) {
        self.configuration = configuration
        deliveries = configuration.deliveries
        random = configuration.random
        let client = randomID(using: &random)
        (session, openingProblem) = configuration.openSession(client: client)
        monitor = ConnectionMonitor(session.outbox)
        session.delegate = self
    }

    /// The time by the transport's clock.
    var now: Duration { configuration.transport.executor.now }

    // MARK: Connecting

    /// Connects for the first time, unless there is nothing to connect with.
    func start() {
        if let openingProblem { return close(openingProblem) }
        if session.pendingCount > 0 { pendingChanged() }
        connect()
        scheduleFlush()
    }

    private func connect() {
        guard session.phase != .closed else { return }
        attempt += 1
        isWaiting = false
        bye = nil
        monitor.set(.connecting)
        lostSince = lostSince ?? configuration.wallClock()
        guard let token = configuration.token else { return open(token: nil) }
        let attempt = attempt
        // Weak: the app may take as long as it likes to answer.
        Task { [weak owner] in
            do {
                let value = try await token()
                owner?.perform { $0.open(token: value, attempt) }
            } catch {
                let problem = "There is no token: \(error)"
                owner?.perform { $0.closed(attempt, .internalError, problem) }
            }
        }
    }

    /// Stops waiting, and counts failures from the beginning.
    func connectNow() {
        backOff.reset()
        if isWaiting { connect() }
    }

    /// Leaves a connection that works for one with another hello.
    private func connectAnew() {
        connection?.close(code: CloseCode.normal.rawValue, reason: "")
        connection = nil
        session.disconnected()
        connect()
    }

    private func open(token: String?, _ attempt: Int) {
        if attempt == self.attempt { open(token: token) }
    }

    private func open(token: String?) {
        let (attempt, owner) = (attempt, owner)
        connection = configuration.transport.connect(
            to: configuration.url, subprotocol: ProtocolVersion.subprotocol
        ) { event in
            switch event {
            case .opened: owner?.enter { $0.opened(attempt, token: token) }
            case .received(let text):
                // The bytes are valid during this call, and so is the entry into the actor.
                nonisolated(unsafe) let text = text
                owner?.enter { $0.received(attempt, text) }
            case .closed(let code, let reason, let problem):
                owner?.enter {
                    $0.closed(attempt, CloseCode(rawValue: code), problem ?? reason)
                }
            }
        }
    }

    private func opened(_ attempt: Int, token: String?) {
        guard attempt == self.attempt else { return }
        session.connected(token: token)
        flush()
    }

    private func received(_ attempt: Int, _ text: UnsafeRawBufferPointer) {
        guard attempt == self.attempt else { return }
        lastHeard = now
        if session.receive(text) {
            scheduleFlush()
        } else {
            abandon("The server doesn't keep to the protocol.")
        }
    }

    /// The connection is of no use any more: takes it for lost, now.
    func abandon(_ reason: String) {
        connection?.close(code: CloseCode.protocolViolation.rawValue, reason: "")
        lost(after: nil, because: reason)
    }

    private func closed(_ attempt: Int, _ code: CloseCode, _ problem: String) {
        guard attempt == self.attempt, session.phase != .closed else { return }
        let mayReturn = bye?.reconnect ?? code.allowsReconnect
        if mayReturn {
            lost(after: bye, because: bye?.title ?? problem)
        } else {
            close(
                Rejection(
                    Rejection.Code(bye?.code ?? code.word),
                    bye?.title ?? (problem.isEmpty ? "The server hung up." : problem)))
        }
    }

    private func lost(after bye: ServerFrame.Bye?, because problem: String) {
        attempt += 1
        connection = nil
        session.disconnected()
        if let start = liveSince.take() { backOff.wasLive(for: now - start) }
        let delay = backOff.next(after: bye, using: &random)
        isWaiting = true
        let time = configuration.wallClock()
        lostSince = lostSince ?? time
        monitor.set(
            .offline(
                Outage(
                    since: lostSince ?? time,
                    retryAt: Timestamp(
                        secondsSince1970: time.secondsSince1970 + delay / .seconds(1)),
                    reason: problem.isEmpty ? "The connection was lost." : problem)))
        let attempt = attempt
        owner?.perform(after: delay) { core in
            if core.isWaiting, core.attempt == attempt { core.connect() }
        }
    }

    /// Ends everything.
    func close(_ rejection: Rejection?) {
        guard session.phase != .closed else { return }
        attempt += 1
        // The stores first, so that whoever waited for an outcome finds them as they are.
        session.failMirrors(rejection ?? ClientSession.closed)
        session.close(rejection ?? ClientSession.closed)
        connection?.close(code: CloseCode.normal.rawValue, reason: "")
        connection = nil
        monitor.set(.closed(rejection))
    }

    // MARK: Dispatches and mirrors

    /// Takes what was dispatched, behind what was asked for before.
    func admit() {
        session.admit()
        scheduleFlush()
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
        scheduleFlush()
    }

    /// The observer has lost its interest.
    func endObserving(as id: UInt64) {
        guard let mirror = observed.removeValue(forKey: id) else { return }
        mirror.observers[id] = nil
        session.release(mirror)
        scheduleFlush()
    }

    // MARK: Messages out

    /// Sends what there is behind all that is being asked for now, in as few messages as can be.
    func scheduleFlush() {
        guard !isFlushing, isFlushDue else { return }
        isFlushing = true
        owner?.perform { core in
            core.isFlushing = false
            core.flush()
        }
    }

    private var isFlushDue: Bool {
        session.hasMessages || session.isStoreDue || session.needsNewConnection
    }

    func flush() {
        if session.isStoreDue { session.store() }
        if session.needsNewConnection { connectAnew() }
        guard let connection else { return }
        while let message = session.nextMessage() { connection.send(message) }
    }
}
