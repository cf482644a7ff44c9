/// Why a server or client could not start.
package struct WebSocketError: Error, Sendable, CustomStringConvertible {
    /// One sentence: what failed, and the system's reason.
    package let description: String
}
