package import StorecastSync
package import StorecastWire

/// Keeps a client session connected: gets a token, opens a connection, notices when it is lost,
/// waits and opens the next one, and sends what the session has to say.
///
/// A state machine without I/O. Its host opens connections and runs timers; it passes the events
/// back with the number of the attempt or the timer that they belong to. What belongs to an attempt
/// that is over is ignored, however late it comes.
package final class Connector {
    /// How the connection is doing.
    package enum Status: Equatable {
        /// An attempt is under way.
        case connecting
        /// The server has said welcome.
        case live
        /// The next attempt is made after this time, unless ``Connector/reconnect()`` makes one
        /// before.
        case offline(retryIn: Duration, reason: String)
        /// Closed for good: by ``Connector/close(_:)``, or because the server refused.
        case closed(Rejection?)
    }

    /// What a host's timer is for.
    package struct Timer: Sendable {
        fileprivate enum Purpose {
            case flush, retry, welcomeTimeout, endOfHold, renewal, storageRetry, cache
            case heartbeat(pinged: Duration?)
            case probe(pinged: Duration)
        }

        fileprivate let purpose: Purpose
        fileprivate let attempt: Int
    }

    private enum State {
        case idle, fetchingToken, open, waiting, suspended, closed
    }

    /// How long a server may take from the start of a connection to its welcome.
    package static let welcomeTimeout = Duration.seconds(20)
    /// How long a server may take to answer when the network has changed.
    package static let probeTimeout = Duration.seconds(5)
    /// How long to wait before storage that failed is tried again.
    package static let storageRetryInterval = Duration.seconds(1)

    package let session: ClientSession
    /// Counts attempts to connect, and their ends.
    package private(set) var attempt = 0
    /// What the server said before it closed the current or last connection.
    package private(set) var bye: ServerFrame.Bye?

    private unowned let host: any ConnectorHost
    private var random: any RandomNumberGenerator
    private var state = State.idle
    private var connection: (any TransportConnection)?
    /// The token that the current attempt's hello carries, or that was shown last.
    private var token: ExactString?
    /// A newer one, to be shown after the welcome.
    private var newerToken: ExactString?
    /// By when the server wants a newer one.
    private var renewalDeadline = Duration.zero
    /// Whether the host was asked for it.
    private var isRenewing = false
    /// What was shown when the host was asked.
    private var tokenBeforeRenewal: ExactString?
    private var backOff = BackOff()
    private var lastHeard = Duration.zero
    private var isFlushScheduled = false
    private var isStorageRetryScheduled = false
    private var isCacheScheduled = false

    /// - Parameters:
    ///   - host: holds the connector, and outlives it.
    ///   - random: what delays are drawn from.
    package init(
        _ session: ClientSession, host: any ConnectorHost, random: any RandomNumberGenerator
    ) {
        self.session = session
        self.host = host
        self.random = random
        session.delegate = self
    }

    // MARK: Requests

    /// Connects for the first time.
    package func start() {
        guard state == .idle else { return }
        connect()
        scheduleFlush()
    }

    /// Connects at once if it waits for the next attempt, and counts failures from the beginning.
    package func reconnect() {
        backOff.reset()
        if state == .waiting { connect() }
    }

    /// The network may be another one, or the machine was woken up: connects at once if it waits,
    /// unless the server has said how long; finds out soon whether a live connection still is one.
    package func networkChanged() {
        if state == .waiting, bye == nil { return reconnect() }
        guard session.phase == .live else { return }
        session.ping()
        flush()
        schedule(.probe(pinged: host.now), after: min(Self.probeTimeout, heartbeat))
    }

    /// Hangs up, and lets go of the outbox's storage until ``resume()``.
    package func suspend() {
        switch state {
        case .idle, .suspended, .closed: return
        case .fetchingToken, .open, .waiting: break
        }
        hangUp(.goingAway)
        endAttempt()
        state = .suspended
        session.suspend()
        host.statusChanged(.offline(retryIn: .zero, reason: "The app is suspended."))
    }

    /// Connects at once if it was suspended. Closes for good if somebody else had the outbox's
    /// storage meanwhile.
    package func resume() {
        guard state == .suspended else { return }
        do throws(Rejection) { try session.resume() } catch { return close(error) }
        backOff.reset()
        connect()
        scheduleFlush()
    }

    /// Shows the server a newer token of the same identity on the current connection. The next
    /// connection asks the host for one.
    package func authenticate(token: String) {
        guard state == .fetchingToken || state == .open else { return }
        guard session.phase == .live else { return newerToken = ExactString(token) }
        show(ExactString(token))
        scheduleFlush()
    }

    private func show(_ newer: ExactString) {
        token = newer
        // If it expires soon, too, the server asks again.
        renewalDeadline = .zero
        session.authenticate(token: newer.string)
    }

    /// Closes for good. Dispatches without an outcome end with `rejection`, or with `closed`.
    package func close(_ rejection: Rejection?) {
        guard state != .closed else { return }
        attempt += 1
        state = .closed
        let reason = rejection ?? ClientSession.closed
        // The mirrors first, so that whoever waited for an outcome finds them as they are.
        session.failMirrors(reason)
        session.close(reason)
        hangUp(.normal)
        host.statusChanged(.closed(rejection))
    }

    /// Sends what there is to say, in as few messages as possible: behind everything that is being
    /// done now.
    package func scheduleFlush() {
        guard !isFlushScheduled, isFlushDue else { return }
        isFlushScheduled = true
        schedule(.flush, after: .zero)
    }

    // MARK: Answers

    /// The host has the token that it was asked for; nil if the client shows none.
    package func provide(token: String?, for attempt: Int) {
        guard attempt == self.attempt else { return }
        if isRenewing { return renewed(with: token) }
        guard state == .fetchingToken else { return }
        state = .open
        self.token = token.map { ExactString($0) }
        schedule(.welcomeTimeout, after: Self.welcomeTimeout)
        let new = host.openConnection(for: attempt)
        // It may have failed at once.
        guard attempt == self.attempt else { return }
        connection = new
        scheduleFlush()
    }

    /// There is no token: a failed attempt.
    package func tokenFailed(_ problem: String, for attempt: Int) {
        guard attempt == self.attempt else { return }
        if isRenewing {
            isRenewing = false
            return renewLater()
        }
        guard state == .fetchingToken else { return }
        lost(because: problem)
    }

    /// What happened to the connection that was opened for `attempt`.
    package func take(_ event: TransportEvent, from attempt: Int) {
        guard attempt == self.attempt else { return }
        switch event {
        case .opened:
            session.connected(token: token?.string)
            flush()
        case .received(let text):
            lastHeard = host.now
            if session.receive(text) {
                scheduleFlush()
            } else {
                hangUp(.protocolViolation)
                lost(because: "The server doesn't keep to the protocol.")
            }
        case .closed(let code, let reason, let problem):
            connection = nil
            lost(because: problem ?? reason, CloseCode(rawValue: code))
        }
    }

    /// A timer's time is over.
    package func fire(_ timer: Timer) {
        switch timer.purpose {
        case .flush:
            isFlushScheduled = false
            flush()
        case .storageRetry: retryStorage()
        case .cache:
            isCacheScheduled = false
            session.saveMirrors()
        case _ where timer.attempt != attempt: break
        case .retry: connect()
        case .welcomeTimeout: if session.phase != .live { fail("The server didn't answer.") }
        case .heartbeat(let pinged): checkHeartbeat(pinged: pinged)
        case .probe(let pinged): if lastHeard < pinged { fail("The server is silent.") }
        case .renewal: if renewalDeadline > host.now { requestRenewal() }
        case .endOfHold:
            session.release()
            scheduleFlush()
        }
    }

    private func schedule(_ purpose: Timer.Purpose, after delay: Duration) {
        host.schedule(Timer(purpose: purpose, attempt: attempt), after: delay)
    }

    // MARK: Connecting

    private func connect() {
        attempt += 1
        state = .fetchingToken
        bye = nil
        newerToken = nil
        isRenewing = false
        host.statusChanged(.connecting)
        host.requestToken(for: attempt)
    }

    /// Leaves a connection that works for one with another hello. That is no failure, so there is
    /// no delay, and the failures before it still count: it says nothing about the server's health.
    private func connectAnew() {
        hangUp(.normal)
        endAttempt()
        connect()
    }

    /// The connection is of no use any more.
    private func fail(_ problem: String) {
        hangUp(.goingAway)
        lost(because: problem)
    }

    /// There is no connection any more: tries again later, unless the server forbids it.
    private func lost(because problem: String, _ code: CloseCode? = nil) {
        guard bye?.reconnect ?? code?.allowsReconnect ?? true else {
            return close(
                Rejection(
                    Rejection.Code(bye?.code ?? code?.word ?? ""),
                    bye?.title ?? (problem.isEmpty ? "The server hung up." : problem)))
        }
        endAttempt()
        state = .waiting
        let delay = backOff.next(after: bye, using: &random)
        let reason = bye?.title ?? problem
        host.statusChanged(
            .offline(
                retryIn: delay, reason: reason.isEmpty ? "The connection was lost." : reason))
        schedule(.retry, after: delay)
    }

    private func endAttempt() {
        attempt += 1
        session.disconnected()
        scheduleCache()
        backOff.closed(at: host.now)
    }

    private func hangUp(_ code: CloseCode) {
        connection.take()?.close(code: code.rawValue, reason: "")
    }

    // MARK: Renewal

    private func requestRenewal() {
        guard session.phase == .live, !isRenewing else { return }
        isRenewing = true
        tokenBeforeRenewal = token
        host.requestToken(for: attempt)
    }

    /// The host has a token, perhaps the one that the server has seen; nil if the client has none.
    private func renewed(with token: String?) {
        isRenewing = false
        guard let newer = token.map({ ExactString($0) }) else { return }
        // Another one that was shown meanwhile is newer than what was asked for before.
        if newer == self.token || tokenBeforeRenewal != self.token { return renewLater() }
        authenticate(token: newer.string)
    }

    /// Asks the host again when half of the time that is left is over. When all is over, the server
    /// ends the connection, and there is a token for the next.
    private func renewLater() {
        let left = renewalDeadline - host.now
        if left > .seconds(1) { schedule(.renewal, after: left / 2) }
    }

    // MARK: Heartbeat

    private var heartbeat: Duration { .seconds(session.heartbeat) }

    /// Pings after a heartbeat of silence; if nothing has come a heartbeat after that, the
    /// connection is lost.
    private func checkHeartbeat(pinged: Duration?) {
        guard session.phase == .live else { return }
        if let pinged, lastHeard < pinged { return fail("The server is silent.") }
        let now = host.now
        let silence = now - lastHeard
        guard silence >= heartbeat else {
            return schedule(.heartbeat(pinged: nil), after: heartbeat - silence)
        }
        session.ping()
        flush()
        schedule(.heartbeat(pinged: now), after: heartbeat)
    }

    // MARK: Sending

    private var isFlushDue: Bool {
        session.isStoreDue || session.needsNewConnection || connection != nil && session.hasMessages
    }

    private func flush() {
        if session.isStoreDue { session.store() }
        if session.needsNewConnection { connectAnew() }
        while let connection, let message = session.nextMessage() { connection.send(message) }
    }

    private func retryStorage() {
        isStorageRetryScheduled = false
        guard state != .closed, session.storageProblem != nil else { return }
        session.store()
        scheduleFlush()
        if session.storageProblem != nil { scheduleStorageRetry() }
    }

    private func scheduleStorageRetry() {
        guard !isStorageRetryScheduled else { return }
        isStorageRetryScheduled = true
        schedule(.storageRetry, after: Self.storageRetryInterval)
    }

    /// All that changes until then is written at once.
    private func scheduleCache() {
        guard !isCacheScheduled, let delay = session.cacheDelay else { return }
        isCacheScheduled = true
        schedule(.cache, after: delay)
    }
}

extension Connector: ClientSessionDelegate {
    package func welcomed() {
        backOff.opened(at: host.now)
        if let newer = newerToken.take(), newer != token { show(newer) }
        host.statusChanged(.live)
        schedule(.heartbeat(pinged: nil), after: heartbeat)
    }

    package func mirrorsMoved() {
        host.mirrorsMoved()
        scheduleCache()
    }

    package func pendingChanged() { host.pendingChanged() }

    package func storageChanged(_ problem: Rejection?) {
        host.storageChanged(problem)
        if problem != nil { scheduleStorageRetry() }
    }

    package func held(for time: Duration) { schedule(.endOfHold, after: time) }

    package func renew(within time: Duration) {
        renewalDeadline = host.now + time
        requestRenewal()
    }

    package func bye(_ bye: ServerFrame.Bye) { self.bye = bye }

    package func trouble(_ message: String) { host.report(message) }
}

/// The program around a ``Connector``: its I/O, its timers, and those who follow the connection.
package protocol ConnectorHost: AnyObject {
    /// The time since some moment in the past.
    var now: Duration { get }
    /// Calls ``Connector/fire(_:)`` when `delay` is over. If it is zero: behind everything that is
    /// being done now.
    func schedule(_ timer: Connector.Timer, after delay: Duration)
    /// Asks for a token, before each connection and when the server wants a newer one. Answers at
    /// once or later, by ``Connector/provide(token:for:)`` or ``Connector/tokenFailed(_:for:)``.
    func requestToken(for attempt: Int)
    /// Starts to open a connection, whose events go to ``Connector/take(_:from:)``.
    func openConnection(for attempt: Int) -> any TransportConnection

    func statusChanged(_ status: Connector.Status)
    /// Mirrors have moved, all that the server moved together; their observers were called.
    func mirrorsMoved()
    /// Dispatches came or went.
    func pendingChanged()
    /// Why dispatches can't be stored; nil when they can again.
    func storageChanged(_ problem: Rejection?)
    /// The server said something that it shouldn't; worth a line in the log.
    func report(_ message: String)
}
