import StorecastMirror
import StorecastSync
import TestSupport

/// A connector with a network and a clock of the test's own: connections do what the test says, and
/// time passes when it says so.
final class ConnectorBench: ConnectorHost {
    /// The client's end of one attempt to connect.
    final class Connection: TransportConnection {
        let attempt: Int
        private(set) var sent: [JSON] = []
        private(set) var closeCode: UInt16?

        init(_ attempt: Int) { self.attempt = attempt }

        func send(_ text: [UInt8]) {
            let message = parsed(String(decoding: text, as: UTF8.self))
            sent += message.array ?? [message]
        }

        func close(code: UInt16, reason: String) { closeCode = code }
    }

    private(set) var connector: Connector!
    private(set) var now = Duration.zero
    /// Every connection that was opened, oldest first.
    private(set) var connections: [Connection] = []
    /// The attempts for which a token was asked.
    private(set) var tokenRequests: [Int] = []
    private(set) var statuses: [Connector.Status] = []
    private(set) var storageProblems: [Rejection?] = []
    private(set) var reports: [String] = []
    /// Answers every request for a token at once; nil leaves it to the test.
    var token: String? = "t"
    /// Whether a connection is over before whoever opens it has it.
    var failsAtOnce = false
    private var timers: [(time: Duration, timer: Connector.Timer)] = []

    init(_ session: ClientSession = ClientSession(client: .ada)) {
        connector = Connector(session, host: self, random: SeededGenerator(seed: 1))
    }

    var session: ClientSession { connector.session }

    /// The newest connection.
    var connection: Connection { connections[connections.count - 1] }

    /// How long the connector waits before the next attempt; nil if it doesn't.
    var delay: Duration? {
        if case .offline(let delay, _) = statuses.last { delay } else { nil }
    }

    var timerCount: Int { timers.count }

    // MARK: The test

    func advance(by duration: Duration) {
        let end = now + duration
        while let next = timers.indices.min(by: { timers[$0].time < timers[$1].time }),
            timers[next].time <= end
        {
            let (time, timer) = timers.remove(at: next)
            now = time
            connector.fire(timer)
        }
        now = end
    }

    /// What is due at this time.
    func settle() { advance(by: .zero) }

    /// The newest connection opens, and the server welcomes its client.
    func welcome(heartbeat: Int = 30, lastSeq: Int = 0, message: Int = 1000) {
        open()
        say(TestSupport.welcome(lastSeq: lastSeq, heartbeat: heartbeat, message: message))
    }

    func open() {
        connector.take(.opened, from: connection.attempt)
        settle()
    }

    /// The server says something on the newest connection.
    func say(_ texts: String...) {
        for text in texts {
            Array(text.utf8).withUnsafeBytes {
                connector.take(.received($0), from: connection.attempt)
            }
        }
        settle()
    }

    /// The newest connection is over.
    func lose(
        _ code: UInt16 = 1006, _ problem: String? = "The cable is cut.", reason: String = ""
    ) {
        connector.take(
            .closed(code: code, reason: reason, problem: problem), from: connection.attempt)
        settle()
    }

    /// Waits until the next attempt is made.
    func retry() {
        if let delay { advance(by: delay) }
    }

    /// Fails so many attempts in a row.
    func fail(_ count: Int) {
        for _ in 0..<count {
            lose()
            retry()
        }
    }

    @discardableResult
    func dispatch(_ payload: String = "1") -> DispatchOutcome {
        let outcome = DispatchOutcome()
        session.dispatch(OutgoingAction(type: "T", payload: Array(payload.utf8)), outcome)
        connector.scheduleFlush()
        settle()
        return outcome
    }

    // MARK: ConnectorHost

    func schedule(_ timer: Connector.Timer, after delay: Duration) {
        timers.append((now + delay, timer))
    }

    func requestToken(for attempt: Int) {
        tokenRequests.append(attempt)
        if let token { connector.provide(token: token, for: attempt) }
    }

    func openConnection(for attempt: Int) -> any TransportConnection {
        let connection = Connection(attempt)
        connections.append(connection)
        if failsAtOnce {
            connector.take(.closed(code: 1006, reason: "", problem: "No way."), from: attempt)
        }
        return connection
    }

    func statusChanged(_ status: Connector.Status) { statuses.append(status) }
    func mirrorsMoved() {}
    func pendingChanged() {}
    func storageChanged(_ problem: Rejection?) { storageProblems.append(problem) }
    func report(_ message: String) { reports.append(message) }
}
