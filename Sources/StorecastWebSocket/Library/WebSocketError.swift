/// Why a server or client could not start.
package struct WebSocketError: Error, Sendable, CustomStringConvertible {
    /// What failed, the system's reason, and what to do if that is known; a sentence or two.
    package let description: String
}
