import CLibWebSockets
import Glibc

/// A WebSocket server on one event loop. Belongs to the loop's thread.
///
/// The server keeps its delegate weakly, and itself alive until `close()` is complete or the loop
/// shuts down.
package final class WebSocketServer {
    /// The port that it listens on.
    package let port: Int
    package let configuration: WebSocketServerConfiguration
    /// Beyond, who connects is refused. Also beyond what the process has descriptors for.
    package var maxConnections: Int
    private let possibleConnections = WebSocketLibraries.connections(
        descriptors: WebSocketLibraries.descriptorLimit)

    let core: LoopCore
    let closeQueue: DeadlineQueue
    weak var delegate: (any WebSocketServerDelegate)?
    private let library: LibWebSockets
    private let handshakes: DeadlineQueue
    private let answers: DeadlineQueue
    let heartbeat: Heartbeat
    private let unfinished: UnfinishedMessages
    private var listener: ListeningSocket?
    /// Open connections and handshakes together.
    private var acceptedCount = 0
    /// Those of them that were left open for another plain request.
    private var keptCount = 0
    private var onClosed: [() -> Void] = []

    /// How many connections are open or closing.
    package var connectionCount: Int { heartbeat.count }

    /// Listens; on the loop's thread.
    ///
    /// - Throws: `WebSocketError` if the address can't be had or libwebsockets doesn't start.
    package init(
        on loop: EventLoop, configuration: WebSocketServerConfiguration,
        delegate: any WebSocketServerDelegate
    ) throws(WebSocketError) {
        core = loop.core
        library = try core.libWebSockets()
        self.configuration = configuration
        maxConnections = configuration.maxConnections
        self.delegate = delegate
        let reached = { [weak delegate] (limit: WebSocketLimit) in
            if let delegate { delegate.reached(limit) }
        }
        let kill = { (limit: WebSocketLimit) in
            { (connection: WebSocketConnection) in
                if connection.phase != .gone { reached(limit) }
                connection.kill()
            }
        }
        // Those that ask more than once are in a queue once for each request.
        handshakes = DeadlineQueue(on: core, delay: configuration.handshakeTimeout) {
            [core] connection in
            guard connection.phase == .handshaking, connection.due <= core.milliseconds else {
                return
            }
            // One that has asked for all that it wanted isn't too slow.
            if connection.isKept, connection.head.isEmpty { return connection.kill() }
            kill(.handshakeTimeout)(connection)
        }
        answers = DeadlineQueue(on: core, delay: configuration.answerTimeout) {
            [core] connection in
            guard connection.phase == .answering, connection.due <= core.milliseconds else {
                return
            }
            kill(.answerTimeout)(connection)
        }
        unfinished = UnfinishedMessages(limit: configuration.unfinishedBytes, reached: reached)
        closeQueue = DeadlineQueue(
            on: core, delay: configuration.closeTimeout, expire: kill(.closeTimeout))
        heartbeat = Heartbeat(
            on: core, interval: configuration.pingInterval, timeout: configuration.deadPeerTimeout,
            stallTimeout: configuration.stallTimeout,
            messageTimeout: configuration.messageTimeout, slots: 16, reached: reached)
        var accepted: (Int32) -> Void = { _ in }
        let socket = try ListeningSocket(
            on: core, configuration, accepted: { accepted($0) }, full: { reached(.connections) })
        listener = socket
        port = socket.port
        accepted = { [unowned self] in adopt($0) }
        core.endpoints[ObjectIdentifier(self)] = self
    }

    /// Throws as `init` would if the address can't be had now. From any thread.
    package static func checkAddress(
        of configuration: WebSocketServerConfiguration
    ) throws(WebSocketError) {
        try ListeningSocket.checkAddress(of: configuration)
    }

    /// Takes no new connections; those that are open stay.
    package func stopAccepting() {
        listener?.close()
        listener = nil
    }

    /// Stops accepting and closes every connection with a close handshake (1001, going away).
    ///
    /// - Parameter onClosed: called on the loop when the last connection is gone.
    package func close(
        code: UInt16 = 1001, reason: String = "", onClosed: @escaping () -> Void = {}
    ) {
        stopAccepting()
        self.onClosed.append(onClosed)
        for case let connection as WebSocketConnection in core.sockets.values
        where connection.owner === self {
            connection.close(code: code, reason: reason)
        }
        finishIfEmpty()
    }

    private func adopt(_ descriptor: Int32) {
        if acceptedCount >= min(maxConnections, possibleConnections) {
            delegate?.reached(.connections)
            return refuse(descriptor)
        }
        let encryption = configuration.certificate.flatMap { TLSSession($0.context) }
        // Without memory for it.
        if configuration.certificate != nil, encryption == nil { return refuse(descriptor) }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let connection = WebSocketConnection(
            core: core, handshake: .server(self), maxMessageBytes: configuration.maxMessageBytes)
        guard connection.startReading(descriptor, encryption) else { return }
        connection.unfinished = unfinished
        acceptedCount += 1
        awaitsRequest(connection)
    }

    /// Over the limit: a short response, which a socket that was just accepted always takes; none
    /// where it would have to be encrypted.
    private func refuse(_ descriptor: Int32) {
        defer { Glibc.close(descriptor) }
        if configuration.certificate != nil { return }
        let answer = HTTPResponse(
            status: 503, "Too many connections; try again later.",
            headers: [("Retry-After", "5")])
        _ = answer.bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    private func finishIfEmpty() {
        guard listener == nil, acceptedCount == 0, !onClosed.isEmpty else { return }
        cancelTimers()
        core.endpoints[ObjectIdentifier(self)] = nil
        for action in onClosed.take() { action() }
    }

    private func cancelTimers() {
        handshakes.cancel()
        answers.cancel()
        closeQueue.cancel()
        heartbeat.cancel()
    }
}

extension WebSocketServer: LoopEndpoint {
    func loopStops() {
        stopAccepting()
        for connection in heartbeat.connections { connection.leave() }
        cancelTimers()
    }
}

extension WebSocketServer: HandshakeServer {
    func confirmUpgrade(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPResponse? {
        let headers = LibWebSocketsHeaders(wsi: wsi)
        if let problem = UpgradeRules.problem(headers) { return problem }
        let (request, problem) = request(of: connection, wsi)
        if let problem = problem ?? UpgradeRules.problem(request) { return problem }
        guard let delegate else { return HTTPResponse(status: 503, "The server is closing.") }
        switch delegate.accept(request) {
        case .refuse(let status, let reason): return HTTPResponse(status: status, reason)
        case .accept(let subprotocol):
            if let problem = UpgradeRules.problem(choice: subprotocol, of: request.subprotocols) {
                return problem
            }
            if let subprotocol { library.offer(subprotocol: subprotocol) }
            connection.subprotocol = subprotocol
            connection.request = request
            return nil
        }
    }

    func answer(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPResponse {
        let (request, problem) = request(of: connection, wsi)
        var answer =
            problem ?? UpgradeRules.problem(request) ?? delegate?.respond(to: request)
            ?? UpgradeRules.upgradeRequired
        if request.method == "HEAD" { answer.sendsBody = false }
        return answer
    }

    /// The request, as trusted proxies say who made it; and the answer if they contradict each other.
    private func request(
        of connection: WebSocketConnection, _ wsi: OpaquePointer
    ) -> (UpgradeRequest, HTTPResponse?) {
        var request = UpgradeRequest(
            wsi, from: connection.peerAddress,
            isEncrypted: connection.reader?.isEncrypted == true,
            extraHeaders: configuration.extraHeaders)
        let isClear = configuration.trustedProxies.resolve(&request, head: connection.head)
        return (request, isClear ? nil : UpgradeRules.contradiction)
    }

    func answering(_ connection: WebSocketConnection) {
        connection.due = core.milliseconds + configuration.answerTimeout.wholeMilliseconds
        answers.add(connection)
    }

    func keeps(_ connection: WebSocketConnection) -> Bool {
        guard listener != nil, connection.answerCount < configuration.requestsPerConnection
        else { return false }
        if connection.isKept { return true }
        // None where there is no room for those who come.
        let most = min(configuration.keptConnections, maxConnections - acceptedCount)
        guard keptCount < most else { return false }
        keptCount += 1
        connection.isKept = true
        return true
    }

    func awaitsRequest(_ connection: WebSocketConnection) {
        connection.due = core.milliseconds + configuration.handshakeTimeout.wholeMilliseconds
        handshakes.add(connection)
    }

    private func isKeptNoLonger(_ connection: WebSocketConnection) {
        if connection.isKept { keptCount -= 1 }
        connection.isKept = false
    }

    func encryptionFailed(_ connection: WebSocketConnection, _ problem: String) {
        delegate?.encryptionFailed(from: connection.peerAddress, problem)
    }
}

extension WebSocketServer: WebSocketConnectionOwner {
    func opened(_ connection: WebSocketConnection) {
        isKeptNoLonger(connection)
        heartbeat.add(connection)
        guard let request = connection.request.take(), let delegate else {
            connection.close(code: 1001)
            return
        }
        delegate.opened(connection, request)
        // The connection was made while the server was closing.
        if !onClosed.isEmpty { connection.close(code: 1001) }
    }

    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {
        delegate?.received(connection, text: text)
    }

    func received(_ connection: WebSocketConnection, oddments: Int) {
        delegate?.received(connection, oddments: oddments)
    }

    func writable(_ connection: WebSocketConnection) { delegate?.writable(connection) }

    func closed(_ connection: WebSocketConnection, _ frame: CloseFrame, error: String?) {
        heartbeat.remove(connection)
        delegate?.closed(connection, code: frame.code, reason: frame.reason)
    }

    func removed(_ connection: WebSocketConnection) {
        isKeptNoLonger(connection)
        acceptedCount -= 1
        finishIfEmpty()
    }
}

/// How a server listens, and its limits.
package struct WebSocketServerConfiguration: Sendable {
    /// A numeric address (IPv4 or IPv6) or a name; empty for all interfaces.
    package var host = "127.0.0.1"
    /// 0 for any free one.
    package var port = 0
    /// Whether several servers (one a loop) may listen on the same port and share what comes.
    package var reusePort = false
    /// A socket that listens already, in place of one for `host` and `port`; it stays open.
    package var descriptor: Int32?
    /// Whether to refuse a port on which somebody listens already, although it could be shared:
    /// for the first of several servers that are to have it to themselves.
    package var claimsPort = false
    /// Connections that the kernel may hold until they are accepted.
    package var backlog: Int32 = 1024
    /// The most bytes of one message; a longer one closes its connection with 1009.
    package var maxMessageBytes = 1 << 20
    /// Open connections and handshakes together; more are answered with 503. Each takes two
    /// descriptors of the process: one that libwebsockets writes to, and one that is read here.
    package var maxConnections = 100_000
    /// Who is believed about the clients that it passes on.
    package var trustedProxies = TrustedProxies()
    /// Every connection is encrypted, if there is one.
    package var certificate: ServerCertificate?
    /// How often a silent peer is asked whether it is there.
    package var pingInterval: Duration = .seconds(25)
    /// How long a peer may be silent; it is found out at most one `pingInterval` later. Longer
    /// than the time for which a client may stop reading, since then it can't answer either.
    package var deadPeerTimeout: Duration = .seconds(90)
    /// How long a peer may take nothing of what waits for it, though it sends; as `deadPeerTimeout`.
    package var stallTimeout: Duration = .seconds(60)
    /// How long a message may take from its first byte to its last; as `deadPeerTimeout`.
    package var messageTimeout: Duration = .seconds(60)
    /// How many bytes of messages that aren't whole may be held, of all connections together.
    package var unfinishedBytes = 16 << 20
    /// How long a client may take from connecting to the end of its request, encryption included;
    /// and from the end of an answer to the end of its next request.
    package var handshakeTimeout: Duration = .seconds(10)
    /// How many plain requests are answered on a connection before it is closed.
    package var requestsPerConnection = 100
    /// How many connections are left open for another plain request.
    package var keptConnections = 1000
    /// How long a peer may take to read the answer to a plain request.
    package var answerTimeout: Duration = .seconds(60)
    /// How long a peer may take to answer a close frame before the connection is cut.
    package var closeTimeout: Duration = .seconds(5)
    /// Headers to pass on beside the usual ones, in lower case (`traceparent`).
    package var extraHeaders: [String] = []

    package init() {}
}

/// What a server tells its owner. Every call is on the loop's thread.
package protocol WebSocketServerDelegate: AnyObject {
    /// Someone asks for a WebSocket; called once for each, before `opened`.
    func accept(_ request: UpgradeRequest) -> UpgradeDecision

    /// A request that was accepted is now a connection.
    func opened(_ connection: WebSocketConnection, _ request: UpgradeRequest)

    /// A whole text message, in UTF-8. The bytes are valid during the call.
    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer)

    /// So many frames that are no messages: pings, pongs and small fragments.
    func received(_ connection: WebSocketConnection, oddments: Int)

    /// The connection can take more, after `isWritable` was false.
    func writable(_ connection: WebSocketConnection)

    /// The connection is over: exactly once for each `opened`.
    ///
    /// - Parameter code: what the peer's close frame said (1005: no code), or ours if we closed
    ///   first; 1006 if the connection broke or the peer was silent for too long.
    func closed(_ connection: WebSocketConnection, code: UInt16, reason: String)

    /// A request that isn't for a WebSocket; nil answers 426 (Upgrade Required).
    func respond(to request: UpgradeRequest) -> HTTPResponse?

    /// A limit has refused a connection, or ended one.
    func reached(_ limit: WebSocketLimit)

    /// A connection has ended before its request, as its encryption couldn't be agreed on.
    ///
    /// - Parameters:
    ///   - address: the peer's numeric address.
    ///   - problem: a part of a sentence, in which nothing is the peer's own words.
    func encryptionFailed(from address: String, _ problem: String)
}

extension WebSocketServerDelegate {
    package func received(_ connection: WebSocketConnection, oddments: Int) {}

    package func reached(_ limit: WebSocketLimit) {}

    package func encryptionFailed(from address: String, _ problem: String) {}

    package func respond(to request: UpgradeRequest) -> HTTPResponse? { nil }
}
