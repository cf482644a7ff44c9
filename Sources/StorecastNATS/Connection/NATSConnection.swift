import StorecastSync
package import StorecastWebSocket
import StorecastWire

/// A client of a NATS cluster: publishes, subscribes and asks. Belongs to the loop's thread.
///
/// It connects to one server of those it knows, by chance, and to another when that one ends, shuts
/// down or falls silent, if there is another; subscriptions go on then. What was asked meanwhile
/// fails: whoever asked knows what to do about it.
package final class NATSConnection {
    package enum Status: Equatable {
        /// With why it isn't connected yet, or any more.
        case connecting(String?)
        case connected(NATSServerInformation)
        case closed
    }

    package let configuration: NATSConfiguration
    package private(set) var status = Status.connecting(nil)
    /// Called whenever the status has changed.
    package var statusChanged: ((Status) -> Void)?
    /// Called with what the server complains of, such as a permission that is missing.
    package var complained: ((String) -> Void)?

    private let loop: EventLoop
    private var random: any RandomNumberGenerator
    private var backOff = BackOff.betweenServers
    private var timer: LoopTimer?

    private var stream: ByteStream?
    private var parser = NATSParser()
    private var information: NATSServerInformation?
    private var isGreeted = false
    private var isEncrypted = false
    /// Whether the encryption begins with what comes next: nothing else may stand before it.
    private var isAgreeing = false
    /// Pings that weren't answered.
    private var owedPongs = 0
    private var complaint: String?
    /// Servers that this connection hasn't tried since it was last connected; the next at the end.
    private var untried: [NATSConfiguration.Server] = []
    /// The one that it has tried last.
    private var tried: NATSConfiguration.Server?
    /// Those that the servers have told of.
    private var announced: [NATSConfiguration.Server] = []

    private var subscriptions: [UInt64: NATSSubscription] = [:]
    private var lastSubscription: UInt64 = 0
    /// The subjects that may not be listened to on this connection, with what the server says.
    private var unheard: [ExactString: NATSError] = [:]
    /// Where answers go: this, a dot and the request's number.
    private let inbox: String
    private var answers: String { inbox + ".*" }
    private var requests: [UInt64: Request] = [:]
    private var lastRequest: UInt64 = 0
    private var requestTimer: LoopTimer?

    private struct Request {
        let subject: String
        let timeout: Duration
        var deadline: Duration
        /// Takes an answer; returns whether more are to come.
        let answered: (Result<NATSMessage, NATSError>) -> Bool
    }

    /// How exact the time limits of requests are.
    private static let tick: Duration = .milliseconds(100)
    private static let inboxNumber: UInt64 = 1
    private static let notEncrypted = NATSError.violation(
        "Something came before the encryption with NATS.")

    /// Begins to connect.
    ///
    /// - Parameter random: which server is tried, how long is waited, and the name of the inbox.
    package init(
        on loop: EventLoop, _ configuration: NATSConfiguration,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.loop = loop
        self.configuration = configuration
        var random = random
        let (first, second) = (random.next(), random.next())
        inbox = "_INBOX.\(String(first, radix: 36))\(String(second, radix: 36))"
        self.random = random
        lastSubscription = Self.inboxNumber
        connect()
    }

    // MARK: What it does

    /// The most bytes of a message, its headers included; nil while it isn't connected.
    package var mostBytes: Int? { isConnected ? information?.mostBytes : nil }

    package var isConnected: Bool {
        if case .connected = status { true } else { false }
    }

    /// Sends a message to who listens to its subject; nobody says whether somebody does.
    ///
    /// - Throws: ``NATSError/unavailable(_:)``.
    package func publish(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders = NATSHeaders()
    ) throws(NATSError) {
        try send(payload, to: subject, reply: nil, headers)
    }

    /// Sends a message, and waits for one answer.
    ///
    /// - Parameter completion: called once, later, but for what couldn't be sent.
    package func request(
        _ subject: String, _ payload: [UInt8] = [], headers: NATSHeaders = NATSHeaders(),
        timeout: Duration = .seconds(5),
        completion: @escaping (Result<NATSMessage, NATSError>) -> Void
    ) {
        requestMany(subject, payload, headers: headers, timeout: timeout) { answer in
            completion(answer)
            return false
        }
    }

    /// Sends a message, and waits for answers until `answered` returns false, or gets a failure.
    ///
    /// - Parameters:
    ///   - patience: how long the first answer may take, if it isn't as long as the others.
    ///   - timeout: how long each answer may take.
    package func requestMany(
        _ subject: String, _ payload: [UInt8] = [], headers: NATSHeaders = NATSHeaders(),
        patience: Duration? = nil, timeout: Duration = .seconds(5),
        answered: @escaping (Result<NATSMessage, NATSError>) -> Bool
    ) {
        lastRequest += 1
        let number = lastRequest
        do throws(NATSError) {
            // Nobody would hear the answer.
            if let error = refusal(ofListeningTo: answers) { throw error }
            try send(payload, to: subject, reply: "\(inbox).\(number)", headers)
            requests[number] = Request(
                subject: subject, timeout: timeout, deadline: loop.now() + (patience ?? timeout),
                answered: answered)
            watchRequests()
        } catch {
            _ = answered(.failure(error))
        }
    }

    /// Hears what is sent to a subject, from now on, also after the connection went to another
    /// server; what is sent meanwhile isn't heard.
    ///
    /// - Parameters:
    ///   - subject: `*` stands for a part between dots, `>` for all that follow.
    ///   - group: of those in it, each message goes to one.
    package func subscribe(
        _ subject: String, group: String? = nil, receive: @escaping (NATSMessage) -> Void
    ) -> NATSSubscription {
        lastSubscription += 1
        let subscription = NATSSubscription(
            number: lastSubscription, subject, group, receive, of: self)
        subscriptions[lastSubscription] = subscription
        if isGreeted { announce(subscription) }
        return subscription
    }

    /// Why nothing is heard of a subject that is subscribed to; nil as far as NATS permits it.
    package func refusal(ofListeningTo subject: String) -> NATSError? {
        unheard[ExactString(subject)]
    }

    /// Ends it: requests fail, and subscriptions hear nothing any more.
    package func close() {
        guard status != .closed else { return }
        timer?.cancel()
        disconnect(.unanswered("The connection to NATS was closed."))
        subscriptions = [:]
        set(.closed)
    }

    // MARK: Connecting

    private func set(_ new: Status) {
        guard status != new else { return }
        status = new
        statusChanged?(new)
    }

    private func connect() {
        if untried.isEmpty { untried = inOrder().reversed() }
        guard let server = untried.popLast() else { return }
        tried = server
        parser = NATSParser()
        information = nil
        complaint = nil
        unheard = [:]
        owedPongs = 0
        (isEncrypted, isAgreeing) = (false, false)
        stream = ByteStream(on: loop, to: server.host, port: server.port, delegate: self)
        timer = loop.schedule(after: configuration.connectTimeout) { [weak self] in
            self?.failed("\(server) doesn't answer as NATS does.")
        }
    }

    /// All servers that are known, in the order in which they are to be tried.
    ///
    /// The one that was tried last comes last: it may be a machine that is gone, which doesn't even
    /// refuse. Those that the servers tell of come behind those that were given, as it may be among
    /// them by another name.
    private func inOrder() -> [NATSConfiguration.Server] {
        let others = announced.filter { !configuration.servers.contains($0) }
        var all = configuration.servers.shuffled(using: &random) + others.shuffled(using: &random)
        if let place = all.firstIndex(where: { $0 == tried }) { all.append(all.remove(at: place)) }
        return all
    }

    /// The connection is of no use, or was none.
    private func failed(_ problem: String) {
        guard status != .closed else { return }
        var wasLive = false
        if isConnected {
            wasLive = backOff.closed(at: loop.now()) || information?.isLeaving == true
            untried = []
        }
        disconnect(.unanswered(problem))
        set(.connecting(problem))
        // First each server once, then with pauses.
        let pause = wasLive || !untried.isEmpty ? .zero : backOff.next(using: &random)
        timer = loop.schedule(after: pause) { [weak self] in self?.connect() }
    }

    private func disconnect(_ error: NATSError) {
        timer?.cancel()
        stream?.close()
        stream = nil
        isGreeted = false
        let failed = requests
        requests = [:]
        for request in failed.values { _ = request.answered(.failure(error)) }
    }

    /// The server has introduced itself, or has news.
    private func take(_ text: UnsafeRawBufferPointer) throws(NATSError) {
        let isFirst = information == nil
        let new = try NATSServerInformation(text)
        information = new
        if isFirst { try greet(new) }
        // Anybody on the way may have written what comes before the encryption.
        if !isEncrypted || !isFirst { announced = new.addresses }
        if isFirst { return }
        if new.isLeaving, isConnected {
            // It takes nothing new, and ends the connection soon.
            failed("\(new.name) shuts down.")
        }
    }

    private func greet(_ server: NATSServerInformation) throws(NATSError) {
        if let problem = server.problem { throw .violation(problem) }
        let encrypts = configuration.tls || server.requiresTLS
        if encrypts {
            guard server.offersTLS else {
                throw .violation(
                    "\(tried?.description ?? server.name) doesn't encrypt, though it must.")
            }
            stream?.encrypt(trusting: configuration.certificateAuthorityFile)
            isEncrypted = true
            isAgreeing = true
        }
        let greeting = configuration.greeting(nonce: server.nonce, encrypts: encrypts)
        stream?.send { bytes in
            bytes += "CONNECT ".utf8
            bytes += greeting
            bytes += "\r\nPING\r\n".utf8
        }
    }

    private func greeted() {
        guard let information else { return }
        isGreeted = true
        backOff.opened(at: loop.now())
        untried = []
        timer?.cancel()
        timer = loop.schedule(after: configuration.pingInterval) { [weak self] in self?.ping() }
        write { $0 += "SUB \(self.answers) \(Self.inboxNumber)\r\n".utf8 }
        for (_, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
            announce(subscription)
        }
        set(.connected(information))
    }

    private func ping() {
        guard owedPongs < 2 else { return failed("NATS doesn't answer any more.") }
        owedPongs += 1
        write { $0 += "PING\r\n".utf8 }
        timer = loop.schedule(after: configuration.pingInterval) { [weak self] in self?.ping() }
    }

    // MARK: Sending

    private func write(_ body: (inout [UInt8]) -> Void) { stream?.send(body) }

    private func send(
        _ payload: [UInt8], to subject: String, reply: String?, _ headers: NATSHeaders
    ) throws(NATSError) {
        precondition(Self.isSubject(subject), "'\(subject)' isn't a subject of NATS.")
        // NATS would end the connection, on which everybody's requests are, and anybody may ask for
        // a room with a long name.
        guard subject.utf8.count + (reply?.utf8.count ?? 0) <= Self.longestSubjects else {
            throw .unavailable("A subject of \(subject.utf8.count) bytes is more than NATS takes.")
        }
        guard isConnected, let stream, let information else {
            guard case .connecting(let reason?) = status else {
                throw .unavailable("NATS isn't connected.")
            }
            throw .unavailable("NATS isn't connected: \(reason)")
        }
        guard stream.bufferedBytes < configuration.mostBufferedBytes else {
            throw .unavailable("NATS takes what is sent too slowly.")
        }
        var head: [UInt8] = []
        if !headers.isEmpty { headers.write(to: &head) }
        let count = head.count + payload.count
        guard count <= information.mostBytes else {
            throw .unavailable(
                "A message of \(count) bytes is more than NATS takes, \(information.mostBytes).")
        }
        write { bytes in
            bytes += (head.isEmpty ? "PUB " : "HPUB ").utf8
            bytes += subject.utf8
            if let reply {
                bytes.append(32)
                bytes += reply.utf8
            }
            bytes += (head.isEmpty ? " \(count)\r\n" : " \(head.count) \(count)\r\n").utf8
            bytes += head
            bytes += payload
            bytes += "\r\n".utf8
        }
    }

    /// How many bytes the subjects of a message and of its answer have at most: NATS takes 4,096 of
    /// a line, with what is beside them, if it isn't told otherwise.
    private static let longestSubjects = 4000

    /// Whether messages can be sent to it.
    static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
    }

    private func announce(_ subscription: NATSSubscription) {
        let group = subscription.group.map { " \($0)" } ?? ""
        write { $0 += "SUB \(subscription.subject)\(group) \(subscription.number)\r\n".utf8 }
    }

    fileprivate func end(_ subscription: NATSSubscription) {
        guard subscriptions.removeValue(forKey: subscription.number) != nil, isGreeted else {
            return
        }
        write { $0 += "UNSUB \(subscription.number)\r\n".utf8 }
    }

    // MARK: Receiving

    private func take(_ operation: NATSParser.Operation) throws(NATSError) {
        switch operation {
        case .info(let text): try take(text)
        case .message(let delivery): try take(delivery)
        case .ping: write { $0 += "PONG\r\n".utf8 }
        case .pong:
            owedPongs = 0
            complaint = nil
            if !isGreeted { greeted() }
        case .error(let text):
            complaint = text
            complained?(text)
            let error = NATSError.forbidden("NATS doesn't permit it: \(text).")
            if let subject = Self.subject(forbiddenBy: text, to: "publish to") {
                // Nobody is asked by such requests, and none of them is answered.
                fail(error) { $0.subject.isSameText(as: subject) }
            } else if let subject = Self.subject(forbiddenBy: text, to: "subscription to") {
                unheard[ExactString(subject)] = error
                if subject.isSameText(as: answers) { fail(error) { _ in true } }
            }
        }
    }

    /// The subject that the server complains of, if it is about that.
    private static func subject(forbiddenBy complaint: String, to what: String) -> String? {
        let parts = complaint.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].lowercased() == "permissions violation for \(what) "
        else { return nil }
        return String(parts[1])
    }

    private func fail(_ error: NATSError, _ isMeant: (Request) -> Bool) {
        for number in requests.filter({ isMeant($0.value) }).keys.sorted() {
            guard let request = requests.removeValue(forKey: number) else { continue }
            _ = request.answered(.failure(error))
        }
    }

    private func take(_ delivery: NATSParser.Delivery) throws(NATSError) {
        let message = NATSMessage(
            subject: delivery.subject, reply: delivery.reply,
            headers: try NATSHeaders(delivery.head), payload: Array(delivery.payload))
        guard delivery.subscription == Self.inboxNumber else {
            subscriptions[delivery.subscription]?.receive(message)
            return
        }
        guard let number = UInt64(delivery.subject.dropFirst(inbox.utf8.count + 1)),
            let request = requests[number]
        else { return }
        let isUnheard = message.headers.status == 503 && message.payload.isEmpty
        if request.answered(isUnheard ? .failure(.noResponders) : .success(message)), !isUnheard {
            requests[number]?.deadline = loop.now() + request.timeout
        } else {
            requests[number] = nil
        }
    }

    private func watchRequests() {
        guard requestTimer == nil else { return }
        requestTimer = loop.schedule(after: Self.tick) { [weak self] in
            guard let self else { return }
            requestTimer = nil
            endRequests()
            if !requests.isEmpty { watchRequests() }
        }
    }

    private func endRequests() {
        let now = loop.now()
        let late = requests.filter { $0.value.deadline <= now }.keys.sorted()
        let reason = complaint.map { " It says: \($0)." } ?? ""
        for number in late {
            guard let request = requests.removeValue(forKey: number) else { continue }
            _ = request.answered(.failure(.unanswered("NATS doesn't answer in time.\(reason)")))
        }
    }
}

extension NATSConnection: ByteStreamDelegate {
    package func connected(_ stream: ByteStream) {}

    package func received(_ stream: ByteStream, _ bytes: UnsafeRawBufferPointer) {
        do throws(NATSError) {
            var problem: NATSError?
            isAgreeing = false
            try parser.take(bytes) { operation in
                // What a callback does may have ended this connection.
                guard self.stream === stream, problem == nil else { return }
                do throws(NATSError) {
                    if isAgreeing { throw Self.notEncrypted }
                    try take(operation)
                } catch {
                    problem = error
                }
            }
            if let problem { throw problem }
            if isAgreeing, self.stream === stream, !parser.isEmpty { throw Self.notEncrypted }
        } catch {
            failed(error.description)
        }
    }

    package func ended(_ stream: ByteStream, _ problem: WebSocketError) {
        failed(complaint.map { "NATS refuses: \($0)." } ?? problem.description)
    }
}

/// Someone who listens to a subject, until it is cancelled.
package final class NATSSubscription {
    fileprivate let number: UInt64
    package let subject: String
    package let group: String?
    fileprivate private(set) var receive: (NATSMessage) -> Void
    private weak var connection: NATSConnection?

    fileprivate init(
        number: UInt64, _ subject: String, _ group: String?,
        _ receive: @escaping (NATSMessage) -> Void, of connection: NATSConnection
    ) {
        self.number = number
        self.subject = subject
        self.group = group
        self.receive = receive
        self.connection = connection
    }

    /// Nothing is received any more.
    package func cancel() {
        receive = { _ in }
        connection?.end(self)
    }
}
