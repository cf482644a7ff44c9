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
    ///   - error: a sentence if there was no peaceful end, otherwise nil.
    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?)
}

extension WebSocketClientDelegate {
    package func writable(_ client: WebSocketClient) {}
}
