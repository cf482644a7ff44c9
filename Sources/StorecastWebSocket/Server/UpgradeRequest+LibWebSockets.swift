import CLibWebSockets

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
