/// What becomes of a request for a WebSocket.
package enum UpgradeDecision: Sendable, Equatable {
    /// Go on. The subprotocol is one that the client offered; nil is for a client that offered
    /// none (with offers it refuses with 400, since libwebsockets can't leave all of them out).
    case accept(subprotocol: String?)
    /// Answer with an HTTP status and a sentence, and close.
    case refuse(status: Int, reason: String)
}
