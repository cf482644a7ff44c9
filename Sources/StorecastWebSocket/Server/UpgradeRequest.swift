/// The HTTP request that asks for a WebSocket (RFC 6455 section 4.1), or a plain one.
package struct UpgradeRequest: Sendable {
    /// Decoded and normalised, without the query; empty if it isn't UTF-8.
    package var path: String
    /// What follows the question mark, still encoded; empty if nothing does.
    package var query: String
    /// By lower-case name. The usual headers, and those that the server's configuration names.
    package var headers: [String: String]
    /// The subprotocols that the client offers, in its order of preference.
    package var subprotocols: [String]
    /// The peer's numeric address.
    package var peerAddress: String
    /// GET for every WebSocket; HEAD, POST and others for plain requests.
    package var method: String
}
