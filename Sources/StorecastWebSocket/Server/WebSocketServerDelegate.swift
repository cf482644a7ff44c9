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
