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

    let loop: EventLoop
    var random: any RandomNumberGenerator
    var backOff = BackOff.betweenServers
    var timer: LoopTimer?

    var stream: ByteStream?
    var parser = NATSParser()
    var information: NATSServerInformation?
    var isGreeted = false
    var isEncrypted = false
    /// Whether the encryption begins with what comes next: nothing else may stand before it.
    var isAgreeing = false
    /// Pings that weren't answered.
    var owedPongs = 0
    var complaint: String?
    /// Servers that this connection hasn't tried since it was last connected; the next at the end.
    var untried: [NATSConfiguration.Server] = []
    /// The one that it has tried last.
    var tried: NATSConfiguration.Server?
    /// Those that the servers have told of.
    var announced: [NATSConfiguration.Server] = []

    var subscriptions: [UInt64: NATSSubscription] = [:]
    private var lastSubscription: UInt64 = 0
    /// The subjects that may not be listened to on this connection, with what the server says.
    var unheard: [ExactString: NATSError] = [:]
    /// Where answers go: this, a dot and the request's number.
    let inbox: String
    var answers: String { inbox + ".*" }
    var requests: [UInt64: Request] = [:]
    private var lastRequest: UInt64 = 0
    var requestTimer: LoopTimer?

    struct Request {
        let subject: String
        let timeout: Duration
        var deadline: Duration
        /// Takes an answer; returns whether more are to come.
        let answered: (Result<NATSMessage, NATSError>) -> Bool
    }

    static let inboxNumber: UInt64 = 1

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

    func set(_ new: Status) {
        guard status != new else { return }
        status = new
        statusChanged?(new)
    }
}

/// Someone who listens to a subject, until it is cancelled.
package final class NATSSubscription {
    let number: UInt64
    package let subject: String
    package let group: String?
    private(set) var receive: (NATSMessage) -> Void
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
