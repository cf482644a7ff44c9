/// How a server listens, and its limits.
package struct WebSocketServerConfiguration: Sendable {
    /// A numeric address (IPv4 or IPv6) or a name; empty for all interfaces.
    package var host = "127.0.0.1"
    /// 0 for any free one.
    package var port = 0
    /// Whether several servers (one a loop) may listen on the same port and share what comes.
    package var reusePort = false
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
    /// How often a silent peer is asked whether it is there.
    package var pingInterval: Duration = .seconds(25)
    /// How long a peer may be silent; it is found out at most one `pingInterval` later. Longer
    /// than the time for which a client may stop reading, since then it can't answer either.
    package var deadPeerTimeout: Duration = .seconds(90)
    /// How long a client may take from connecting to the end of its request.
    package var handshakeTimeout: Duration = .seconds(10)
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

    /// The connection can take more, after `isWritable` was false.
    func writable(_ connection: WebSocketConnection)

    /// The connection is over: exactly once for each `opened`.
    ///
    /// - Parameter code: what the peer's close frame said (1005: no code), or ours if we closed
    ///   first; 1006 if the connection broke or the peer was silent for too long.
    func closed(_ connection: WebSocketConnection, code: UInt16, reason: String)

    /// A request that isn't for a WebSocket; nil answers 426 (Upgrade Required).
    func respond(to request: UpgradeRequest) -> HTTPAnswer?
}

extension WebSocketServerDelegate {
    package func respond(to request: UpgradeRequest) -> HTTPAnswer? { nil }
}
