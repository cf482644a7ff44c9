import CLibWebSockets

/// A WebSocket client on an event loop: one connection at a time. Belongs to the loop's thread.
///
/// The client keeps its delegate weakly. It may connect again once it is closed.
package final class WebSocketClient {
    package let configuration: WebSocketClientConfiguration

    let core: LoopCore
    let closeQueue: DeadlineQueue
    private weak var delegate: (any WebSocketClientDelegate)?
    private let heartbeat: Heartbeat
    private var attempt: ConnectionAttempt?
    /// Whether the attempt's turn has come.
    private var isAttempting = false
    private var connection: WebSocketConnection?
    private var subprotocol: String?
    private var outgoing: [UInt8] = []
    private var masker = FrameMasker()
    private var isFlushing = false
    private var wasFull = false
    private var connectTimer: LoopTimer?
    /// Why the server's answer was refused.
    private var refusal: String?

    package init(
        on loop: EventLoop, configuration: WebSocketClientConfiguration,
        delegate: any WebSocketClientDelegate
    ) {
        core = loop.core
        self.configuration = configuration
        self.delegate = delegate
        closeQueue = DeadlineQueue(on: core, delay: configuration.closeTimeout) { $0.kill() }
        heartbeat = Heartbeat(
            on: core, interval: configuration.pingInterval, timeout: configuration.deadPeerTimeout,
            stallTimeout: configuration.deadPeerTimeout,
            messageTimeout: configuration.deadPeerTimeout,
            slots: 1)
    }

    /// Bytes that wait to be sent, with their frames.
    package var bufferedBytes: Int { outgoing.count + (connection?.pendingBytes ?? 0) }

    /// Whether the connection is open.
    package var isConnected: Bool { connection?.phase == .open }

    /// Begins to connect, when its turn comes if many do at once; the delegate hears how that
    /// ends. Does nothing while there is a connection or an attempt.
    package func connect() {
        guard attempt == nil, connection == nil else { return }
        if core.isOver {
            delegate?.closed(self, code: 1006, reason: "", error: "The event loop has stopped.")
            return
        }
        refusal = nil
        core.endpoints[ObjectIdentifier(self)] = self
        let attempt = ConnectionAttempt(on: core, to: configuration)
        self.attempt = attempt
        core.attempts.enter { [weak self] in self?.begin(attempt) ?? false }
    }

    private func begin(_ attempt: ConnectionAttempt) -> Bool {
        guard self.attempt === attempt, !core.isOver else { return false }
        isAttempting = true
        connectTimer = LoopTimer(on: core, after: configuration.connectTimeout) { [weak self] in
            self?.connectTimedOut()
        }
        attempt.start { [weak self] result in
            guard let self, self.attempt === attempt else { return }
            switch result {
            case .success(let descriptor): handshake(on: descriptor)
            case .failure(let error): fail(error.description)
            }
        }
        return true
    }

    private func endAttempt() {
        connectTimer?.cancel()
        connectTimer = nil
        attempt = nil
        if isAttempting {
            isAttempting = false
            core.attempts.leave()
        }
    }

    /// Queues one text message, in UTF-8, and sends it before this turn of the loop ends if the
    /// system can take it, together with all others of the turn.
    ///
    /// - Returns: false, and nothing is queued, without a connection or when more than
    ///   `maxBufferedBytes` would wait; `writable` tells when there is room again.
    @discardableResult
    package func send(text: UnsafeRawBufferPointer) -> Bool {
        guard let connection, connection.phase == .open else { return false }
        let length = text.count + WebSocketFrameHeader.maximumLength + 4
        guard bufferedBytes + length <= configuration.maxBufferedBytes else {
            wasFull = true
            return false
        }
        masker.append(.text, text, to: &outgoing)
        if connection.isWritable && !isFlushing {
            isFlushing = true
            core.flushes.append { [weak self] in
                self?.flush()
                self?.tellOfRoom()
            }
        }
        return true
    }

    /// Queues one text message; as `send(text:)`.
    @discardableResult
    package func send(_ text: [UInt8]) -> Bool { text.withUnsafeBytes { send(text: $0) } }

    /// Sends what is queued, then ends the connection with a close handshake, or gives up an
    /// attempt. The delegate hears `closed`.
    package func close(code: UInt16 = 1000, reason: String = "") {
        if let connection, connection.phase == .open {
            if connection.isWritable { flush() }
            connection.close(code: code, reason: reason)
        } else if attempt != nil {
            fail("The attempt to connect was given up.")
        }
    }

    /// Stops reading until `resumeReading`, so that TCP holds the server back.
    package func pauseReading() { connection?.pauseReading() }

    /// Reads again.
    package func resumeReading() { connection?.resumeReading() }

    private var target: String { "\(configuration.host):\(configuration.port)" }

    private func flush() {
        isFlushing = false
        guard let connection, connection.isWritable, !outgoing.isEmpty else { return }
        let bytes = outgoing.take()
        connection.write(bytes)
        if bytes.capacity <= 1 << 18, outgoing.isEmpty {
            outgoing = bytes
            outgoing.removeAll(keepingCapacity: true)
        }
    }

    /// Tells the delegate that there is room again, after there was none.
    private func tellOfRoom() {
        guard wasFull, connection?.isWritable == true else { return }
        wasFull = false
        delegate?.writable(self)
    }

    private func handshake(on descriptor: Int32) {
        guard let attempt else { return }
        let connection = WebSocketConnection(
            core: core, handshake: .client(self), maxMessageBytes: configuration.maxMessageBytes)
        self.connection = connection
        if let problem = attempt.handshake(connection, on: descriptor) { fail(problem) }
    }

    private func connectTimedOut() {
        connectTimer = nil
        guard attempt != nil else { return }
        fail("No answer from \(target) within \(configuration.connectTimeout).")
    }

    /// The end of an attempt.
    private func fail(_ sentence: String) {
        guard attempt != nil else { return }
        connection?.kill()
        over(CloseFrame(code: 1006), error: sentence)
    }

    private func over(_ frame: CloseFrame, error: String?) {
        attempt?.cancel()
        endAttempt()
        connection = nil
        outgoing = []
        wasFull = false
        heartbeat.cancel()
        core.endpoints[ObjectIdentifier(self)] = nil
        delegate?.closed(self, code: frame.code, reason: frame.reason, error: error)
    }
}

extension WebSocketClient: LoopEndpoint {
    func loopStops() {
        if let connection {
            connection.leave()
        } else if attempt != nil {
            fail("The event loop stops.")
        }
        connectTimer?.cancel()
        closeQueue.cancel()
        heartbeat.cancel()
    }
}

extension WebSocketClient: HandshakeClient {
    func requestHeaders() -> [UInt8] {
        Array(configuration.headers.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
    }

    func checkAnswer(_ wsi: OpaquePointer) -> Bool {
        subprotocol = LibWebSocketsHeaders(wsi: wsi)[WSI_TOKEN_PROTOCOL]
        if configuration.subprotocols.isEmpty || subprotocol != nil { return true }
        let offered = configuration.subprotocols.joined(separator: ", ")
        refusal = "The server at \(target) did not accept the subprotocol \(offered)."
        return false
    }

    func failedToConnect(_ connection: WebSocketConnection, _ wsi: OpaquePointer, _ text: String) {
        guard let attempt, connection === self.connection else { return }
        fail(refusal ?? attempt.sentence(about: wsi, text))
    }
}

extension WebSocketClient: WebSocketConnectionOwner {
    func opened(_ connection: WebSocketConnection) {
        guard connection === self.connection else { return connection.close(code: 1001) }
        endAttempt()
        heartbeat.add(connection)
        connection.subprotocol = subprotocol
        delegate?.connected(self, subprotocol: subprotocol)
    }

    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {
        guard connection === self.connection else { return }
        delegate?.received(self, text: text)
    }

    func writable(_ connection: WebSocketConnection) {
        guard connection === self.connection else { return }
        flush()
        tellOfRoom()
    }

    func closed(_ connection: WebSocketConnection, _ frame: CloseFrame, error: String?) {
        heartbeat.remove(connection)
        guard connection === self.connection else { return }
        over(frame, error: error)
    }

    func removed(_ connection: WebSocketConnection) {
        guard connection === self.connection, attempt != nil else { return }
        fail("The connection to \(target) could not be made.")
    }
}

/// Where a client connects, and its limits.
package struct WebSocketClientConfiguration: Sendable {
    /// A name or a numeric address, without brackets.
    package var host: String
    package var port: Int
    /// With the query, if there is one.
    package var path: String
    /// Whether the connection is encrypted, and the server's certificate checked.
    package var tls: Bool
    /// A file of certificates (PEM) to trust instead of the system's.
    package var certificateAuthorityFile: String?
    /// Offered, in order of preference; if there are any, the server must choose one.
    package var subprotocols: [String]
    /// Sent with the request.
    package var headers: [(name: String, value: String)]
    /// The most bytes of one message; a longer one closes the connection with 1009.
    package var maxMessageBytes = 64 << 20
    /// The most bytes that may wait to be sent; `send` returns false beyond.
    package var maxBufferedBytes = 16 << 20
    /// How long finding the address, connecting and the handshake may take together.
    package var connectTimeout: Duration = .seconds(10)
    /// How often a silent server is asked whether it is there.
    package var pingInterval: Duration = .seconds(25)
    /// How long the server may be silent; it is found out at most one `pingInterval` later.
    package var deadPeerTimeout: Duration = .seconds(60)
    /// How long the server may take to answer a close frame before the connection is cut.
    package var closeTimeout: Duration = .seconds(5)

    /// The header `Host`. Without the port where it is the usual one; and with TLS, where the
    /// library checks the certificate by this name.
    package var hostField: String {
        let name = host.asURLHost
        return tls || port == 80 ? name : "\(name):\(port)"
    }

    package init(
        host: String, port: Int, path: String = "/", tls: Bool = false,
        subprotocols: [String] = [], headers: [(name: String, value: String)] = []
    ) {
        self.host = host
        self.port = port
        self.path = path
        self.tls = tls
        self.subprotocols = subprotocols
        self.headers = headers
    }
}

/// What a client tells its owner. Every call is on the loop's thread.
package protocol WebSocketClientDelegate: AnyObject {
    /// The server accepted; at most once.
    func connected(_ client: WebSocketClient, subprotocol: String?)

    /// A whole text message, in UTF-8. The bytes are valid during the call.
    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer)

    /// What was queued has been handed to the system, after it could not take everything.
    func writable(_ client: WebSocketClient)

    /// It is over, or never began: exactly once for each `connect`.
    ///
    /// - Parameters:
    ///   - code: what the server's close frame said (1005: no code), or ours if we closed first;
    ///     1006 without any.
    ///   - error: a sentence unless the end was a close handshake.
    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?)
}

extension WebSocketClientDelegate {
    package func writable(_ client: WebSocketClient) {}
}

extension String {
    /// A host as it stands in a URL: an IPv6 address in brackets (RFC 3986, section 3.2.2).
    package var asURLHost: String { contains(":") ? "[\(self)]" : self }
}
