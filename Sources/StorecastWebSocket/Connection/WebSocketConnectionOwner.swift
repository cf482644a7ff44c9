import CLibWebSockets

/// The server or client that a connection belongs to, as the connection sees it.
protocol WebSocketConnectionOwner: AnyObject {
    var closeQueue: DeadlineQueue { get }

    /// Server: decides about a request for a WebSocket; nil to go on, else the answer to send.
    func confirmUpgrade(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer?
    /// Server: answers a request that isn't for a WebSocket.
    func answer(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer
    /// Server: the answer to a plain request is on its way, and the peer takes its time.
    func answering(_ connection: WebSocketConnection)
    /// Client: headers for the request, ready-made lines.
    func requestHeaders() -> [UInt8]
    /// Client: whether the server's answer will do.
    func checkAnswer(_ wsi: OpaquePointer) -> Bool
    /// Client: there will be no connection.
    func failedToConnect(_ connection: WebSocketConnection, _ wsi: OpaquePointer, _ text: String)

    func opened(_ connection: WebSocketConnection)
    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer)
    func writable(_ connection: WebSocketConnection)
    /// After `opened`, exactly once. `error` is a sentence if the end wasn't peaceful.
    func closed(_ connection: WebSocketConnection, _ frame: CloseFrame, error: String?)
    /// The last word about a connection, opened or not.
    func vanished(_ connection: WebSocketConnection)
}

extension WebSocketConnectionOwner {
    func confirmUpgrade(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer? {
        HTTPAnswer(status: 400, "This is not a server.")
    }

    func answer(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPAnswer {
        HTTPAnswer(status: 400, "This is not a server.")
    }

    func answering(_ connection: WebSocketConnection) {}

    func requestHeaders() -> [UInt8] { [] }

    func checkAnswer(_ wsi: OpaquePointer) -> Bool { true }

    func failedToConnect(_ connection: WebSocketConnection, _ wsi: OpaquePointer, _ text: String) {}
}
