package import StorecastWebSocket
import StorecastWire
import Synchronization

/// JetStream, NATS's replicated log: the calls that are needed of it. On the loop of its
/// connection.
package actor JetStream: LogService {
    /// A message that a stream keeps.
    package struct Kept: Sendable {
        package var sequence: UInt64
        package var subject: String
        package var headers: NATSHeaders
        package var payload: [UInt8]

        package init(
            sequence: UInt64, subject: String, headers: NATSHeaders, payload: [UInt8]
        ) {
            self.sequence = sequence
            self.subject = subject
            self.headers = headers
            self.payload = payload
        }
    }

    /// What a writer was told.
    package enum Written: Equatable, Sendable {
        /// The message is kept, under this number.
        case kept(UInt64)
        /// Another message stands where the writer expected the end: nothing was kept.
        case notAtEnd
        /// Nothing was kept, as the stream isn't ready; it soon will be.
        case busy(String)
        /// Nothing was kept.
        case refused(String)
        /// Nobody can tell.
        case unknown(String)
    }

    /// Why nothing was sent on a connection that isn't the one it was meant for.
    package static let reconnected = "NATS was connected anew."

    private let loop: EventLoop
    private(set) var connection: NATSConnection?
    /// Whether it is connected, and how often it was.
    private nonisolated let link = Mutex((isConnected: false, count: 0))
    let timeout: Duration
    private var pauses: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastPause: UInt64 = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    package nonisolated var executor: any SerialExecutor { loop }
    package nonisolated var tasks: (any TaskExecutor)? { nil }
    package nonisolated var now: Duration { loop.now() }

    /// Begins to connect.
    ///
    /// - Parameter timeout: of each call.
    package init(
        on loop: EventLoop, _ configuration: NATSConfiguration, timeout: Duration = .seconds(5)
    ) async {
        self.loop = loop
        self.timeout = timeout
        connection = nil
        connection = NATSConnection(on: loop, configuration)
        connection?.statusChanged = { [weak self] status in self?.note(status) }
    }

    private nonisolated func note(_ status: NATSConnection.Status) {
        link.withLock { link in
            link.isConnected = if case .connected = status { true } else { false }
            if link.isConnected { link.count += 1 }
        }
    }

    /// Whether it is connected, and how often it was connected again; from any thread.
    package nonisolated var connections: (isConnected: Bool, reconnects: Int) {
        link.withLock { ($0.isConnected, max(0, $0.count - 1)) }
    }

    package func close() {
        connection?.close()
        connection = nil
        for number in pauses.keys { endPause(number) }
    }

    /// Waits until NATS is connected; throws the reason if it isn't in time.
    ///
    /// - Parameter waits: called once, with a sentence, if it isn't connected at the first try, or
    ///   within a second.
    package func connected(
        within time: Duration, waits: (@Sendable (String) -> Void)? = nil
    ) async throws(NATSError) {
        let begin = loop.now()
        var waits = waits
        while true {
            guard let connection else { throw Self.closed }
            if connection.isConnected { return }
            var (problem, waited) = ("NATS doesn't answer.", loop.now() - begin)
            if case .connecting(let reason?) = connection.status {
                problem = "NATS can't be reached: \(reason)"
                waited = max(waited, .seconds(1))
            }
            if waited >= .seconds(1), let tell = waits.take() { tell(problem) }
            guard loop.now() < begin + time else { throw .unavailable(problem) }
            await pause(.milliseconds(10))
        }
    }

    /// Has `body` called on the loop whenever NATS is connected again, after it wasn't.
    package func onReconnection(_ body: @escaping @Sendable () -> Void) {
        connection?.statusChanged = { [weak self] status in
            self?.note(status)
            if case .connected = status { body() }
        }
    }

    /// Waits, but not once it is closed.
    package func pause(_ time: Duration) async {
        if connection == nil { return }
        await withCheckedContinuation { continuation in
            lastPause += 1
            let number = lastPause
            pauses[number] = continuation
            loop.schedule(after: time) { [weak self] in
                self?.assumeIsolated { $0.endPause(number) }
            }
        }
    }

    private func endPause(_ number: UInt64) { pauses.removeValue(forKey: number)?.resume() }

    /// The most bytes of a message, its headers included; what NATS takes usually if it isn't
    /// connected.
    package var mostBytes: Int { connection?.mostBytes ?? 1 << 20 }

    // MARK: Messages that nothing keeps

    /// Sends a message to who listens to its subject; nobody says whether somebody does.
    package func publish(_ payload: [UInt8], to subject: String) throws(NATSError) {
        guard let connection else { throw Self.closed }
        try connection.publish(payload, to: subject)
    }

    /// Hears what is sent to a subject, on the loop, until it is closed.
    package func listen(
        to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void
    ) {
        _ = connection?.subscribe(subject, receive: receive)
    }

    /// Why nothing is heard of a subject that is listened to; nil as far as NATS permits it.
    package func refusal(ofListeningTo subject: String) -> NATSError? {
        connection?.refusal(ofListeningTo: subject)
    }

    /// Sends a message, and waits for one answer.
    package func ask(
        _ subject: String, _ payload: [UInt8], timeout: Duration
    ) async throws(NATSError) -> NATSMessage {
        try await request(subject, payload, timeout: timeout)
    }

    // MARK: Requests

    static let closed = NATSError.unavailable("The connection to NATS was closed.")

    enum ErrorCode {
        static let streamInUse = 10058
        static let wrongLastSequence = 10071
        static let noMessage = 10037
        static let noSuitablePeers = 10005
        static let noStream = 10059
        /// Another message with an expected end is being kept.
        static let otherUnderWay = 10164
        /// The stream's leader has just become it.
        static let noQuorumYet = 10163
    }

    func call(
        _ name: String, _ payload: [UInt8] = []
    ) async throws(NATSError) -> JSON {
        do throws(NATSError) {
            return try Self.json(try await request("$JS.API.\(name)", payload))
        } catch {
            guard error == .noResponders else { throw error }
            throw .unanswered("JetStream isn't there: is it enabled on the NATS servers?")
        }
    }

    func request(
        _ subject: String, _ payload: [UInt8], headers: NATSHeaders = NATSHeaders(),
        timeout: Duration? = nil
    ) async throws(NATSError) -> NATSMessage {
        guard let connection else { throw Self.closed }
        let timeout = timeout ?? self.timeout
        let result = await withCheckedContinuation { continuation in
            connection.request(subject, payload, headers: headers, timeout: timeout) {
                continuation.resume(returning: $0)
            }
        }
        return try result.get()
    }

    static func json(_ message: NATSMessage) throws(NATSError) -> JSON {
        guard
            let document = try? JSONDocument(message.payload, limits: .trusted),
            document.root.isObject
        else { throw .violation("JetStream answers in a way that can't be read.") }
        return document.root.json
    }

    static func check(_ answer: JSON) throws(NATSError) {
        guard let problem = problem(answer) else { return }
        // Without a leader, or with too few servers that know of one another yet.
        let isEarly =
            answer["error"]?["code"]?.int == 503
            || answer["error"]?["err_code"]?.int == ErrorCode.noSuitablePeers
        if answer["error"]?["err_code"]?.int == ErrorCode.noStream { throw .missing(problem) }
        throw isEarly ? .unanswered(problem) : .unavailable(problem)
    }

    static func problem(_ answer: JSON) -> String? {
        guard let error = answer["error"] else { return nil }
        let text = error["description"]?.string ?? "no reason given"
        let advice =
            text.hasPrefix("replicas > 1 not supported")
            ? " With one NATS server: --nats-replicas 1, NATSServers(replicas: 1)." : ""
        return "JetStream refuses: \(text).\(advice)"
    }
}
