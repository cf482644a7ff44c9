import CLibWebSockets

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

/// What becomes of a request for a WebSocket.
package enum UpgradeDecision: Sendable, Equatable {
    /// Go on. The subprotocol is one that the client offered; nil is for a client that offered
    /// none (with offers it refuses with 400, since libwebsockets can't leave all of them out).
    case accept(subprotocol: String?)
    /// Answer with an HTTP status and a sentence, and close.
    case refuse(status: Int, reason: String)
}

extension UpgradeRequest {
    /// The headers that are copied from every request that has them.
    private static let usual: [(token: lws_token_indexes, name: String)] = [
        (WSI_TOKEN_HOST, "host"), (WSI_TOKEN_ORIGIN, "origin"),
        (WSI_TOKEN_HTTP_USER_AGENT, "user-agent"), (WSI_TOKEN_HTTP_COOKIE, "cookie"),
        (WSI_TOKEN_HTTP_AUTHORIZATION, "authorization"), (WSI_TOKEN_HTTP_ACCEPT, "accept"),
        (WSI_TOKEN_X_FORWARDED_FOR, "x-forwarded-for"), (WSI_TOKEN_HTTP_REFERER, "referer"),
        (WSI_TOKEN_HTTP_IF_NONE_MATCH, "if-none-match"),
    ]

    private static let methods: [(token: lws_token_indexes, name: String)] = [
        (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_HEAD_URI, "HEAD"), (WSI_TOKEN_POST_URI, "POST"),
        (WSI_TOKEN_PUT_URI, "PUT"), (WSI_TOKEN_PATCH_URI, "PATCH"),
        (WSI_TOKEN_DELETE_URI, "DELETE"), (WSI_TOKEN_OPTIONS_URI, "OPTIONS"),
    ]

    /// Copies the request that libwebsockets has just parsed.
    init(_ wsi: OpaquePointer, extraHeaders: [String]) {
        let source = LibWebSocketsHeaders(wsi: wsi)
        (method, path) = ("GET", "/")
        for (token, name) in Self.methods {
            guard let value = source.path(of: token) else { continue }
            (method, path) = (name, value)
            break
        }
        query = source.query
        headers = [:]
        for (token, name) in Self.usual { headers[name] = source[token] }
        for name in extraHeaders { headers[name] = source[custom: name] }
        subprotocols = source.list(WSI_TOKEN_PROTOCOL)
        peerAddress = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress,
                lws_get_peer_simple(wsi, start, buffer.count) != nil
            else { return "" }
            return String(cString: start)
        }
    }
}
