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
    /// The client's numeric address: the peer's, or what a trusted proxy says.
    package var peerAddress: String
    /// Whether the client's connection is encrypted: to here, or to a trusted proxy.
    package var isEncrypted: Bool
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
        (WSI_TOKEN_HTTP_ACCEPT_ENCODING, "accept-encoding"),
    ]

    private static let methods: [(token: lws_token_indexes, name: String)] = [
        (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_HEAD_URI, "HEAD"), (WSI_TOKEN_POST_URI, "POST"),
        (WSI_TOKEN_PUT_URI, "PUT"), (WSI_TOKEN_PATCH_URI, "PATCH"),
        (WSI_TOKEN_DELETE_URI, "DELETE"), (WSI_TOKEN_OPTIONS_URI, "OPTIONS"),
    ]

    /// Copies the request that libwebsockets has just parsed.
    init(
        _ wsi: OpaquePointer, from peerAddress: String, isEncrypted: Bool, extraHeaders: [String]
    ) {
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
        self.peerAddress = peerAddress
        self.isEncrypted = isEncrypted
    }
}

/// What a request must fulfil before the delegate is asked (RFC 6455 section 4.2.1).
enum UpgradeRules {
    /// The answer to a request that isn't for a WebSocket.
    static var upgradeRequired: HTTPResponse {
        HTTPResponse(
            status: 426, "This is a WebSocket server; connect to it with a WebSocket client.",
            headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")])
    }

    /// The answer to a request whose target has a control character, or an encoded NUL or end of
    /// line, or nil. There the library would end the target: it takes `/%00` for `/`.
    static func problem(head: [UInt8]) -> HTTPResponse? {
        let line = head.prefix { $0 != UInt8(ascii: "\r") }
        let isBad = line.indices.contains { index in
            if line[index] < 0x20 || line[index] == 0x7F { return true }
            guard line[index] == UInt8(ascii: "%") else { return false }
            let digits = String(decoding: line[(index + 1)...].prefix(2), as: UTF8.self)
            return ["00", "0a", "0d"].contains(digits.lowercased())
        }
        guard isBad else { return nil }
        return HTTPResponse(status: 400, "The path or query has a control character.")
    }

    /// The answer to a request whose proxies contradict each other.
    static var contradiction: HTTPResponse {
        HTTPResponse(
            status: 400,
            "Forwarded and X-Forwarded-For name different clients; a proxy must set both "
                + "or remove the other.")
    }

    /// The answer to a request without a Host header, for a WebSocket or not; or nil.
    static func problem(_ request: UpgradeRequest) -> HTTPResponse? {
        // RFC 9112, section 3.2.
        guard request.headers["host"] != nil else {
            return HTTPResponse(status: 400, "The request lacks Host.")
        }
        return nil
    }

    /// The answer to a request that can't become a WebSocket, or nil.
    static func problem(_ headers: LibWebSocketsHeaders) -> HTTPResponse? {
        guard headers[WSI_TOKEN_UPGRADE]?.lowercased() == "websocket",
            headers[WSI_TOKEN_VERSION] == "13"
        else { return upgradeRequired }
        guard headers[WSI_TOKEN_GET_URI] != nil else {
            return HTTPResponse(status: 400, "A WebSocket is asked for with GET.")
        }
        // The key is 16 bytes in base64; more than that isn't checked, as the library doesn't.
        guard headers[WSI_TOKEN_KEY]?.utf8.count == 24 else {
            return HTTPResponse(status: 400, "The request lacks Sec-WebSocket-Key.")
        }
        return nil
    }

    /// The answer to a choice of subprotocol that can't be told to the client, or nil.
    static func problem(choice: String?, of offers: [String]) -> HTTPResponse? {
        let none = HTTPResponse(status: 400, "None of the subprotocols offered is spoken here.")
        guard let choice else { return offers.isEmpty ? nil : none }
        // The library compares within 127 characters of list and 63 of name.
        let listLength = offers.reduce(0) { $0 + $1.utf8.count + 2 }
        guard listLength <= 128, choice.utf8.count <= LibWebSockets.maximumSubprotocolLength else {
            return HTTPResponse(status: 400, "The list of subprotocols is too long.")
        }
        return offers.contains(choice) ? nil : none
    }
}
