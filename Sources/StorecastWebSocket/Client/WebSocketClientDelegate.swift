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
