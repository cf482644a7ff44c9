import CLibWebSockets

/// The server or client that a connection belongs to: what it hears of an open connection.
protocol WebSocketConnectionOwner: AnyObject {
    /// The connections that have sent a close frame and wait for the peer's.
    var closeQueue: DeadlineQueue { get }

    func opened(_ connection: WebSocketConnection)
    /// A whole message. The bytes are valid during the call.
    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer)
    func writable(_ connection: WebSocketConnection)
    /// After `opened`, exactly once. `error` is a sentence unless the end was a close handshake.
    func closed(_ connection: WebSocketConnection, _ frame: CloseFrame, error: String?)
    /// The last call for a connection, opened or not.
    func vanished(_ connection: WebSocketConnection)
}

/// The owner of a server's connections: answers the requests with which they begin.
protocol HandshakeServer: WebSocketConnectionOwner {
    /// Decides about a request for a WebSocket; nil to go on, else the answer to send.
    func confirmUpgrade(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer?
    /// Answers a request that isn't for a WebSocket.
    func answer(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer
    /// The system didn't take all of the answer at once; the rest is sent as the peer reads.
    func answering(_ connection: WebSocketConnection)
}

/// The owner of a client's connection: sends the request with which it begins.
protocol HandshakeClient: WebSocketConnectionOwner {
    /// Headers for the request, as lines.
    func requestHeaders() -> [UInt8]
    /// Whether the server's answer is accepted.
    func checkAnswer(_ wsi: OpaquePointer) -> Bool
    /// The connection wasn't made; `text` is the library's reason.
    func failedToConnect(_ connection: WebSocketConnection, _ wsi: OpaquePointer, _ text: String)
}

/// Which side of the opening handshake a connection is on, and its owner there.
enum HandshakeRole {
    case server(any HandshakeServer)
    case client(any HandshakeClient)
}
