import CLibWebSockets

/// What a request must be before anybody is asked about it (RFC 6455 section 4.2.1).
enum UpgradeRules {
    /// The answer to somebody who doesn't speak WebSocket.
    static var upgradeRequired: HTTPAnswer {
        HTTPAnswer(
            status: 426, "This is a WebSocket server; connect to it with a WebSocket client.",
            headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")])
    }

    /// The answer to a request whose target has a control character, or an encoded NUL or end of
    /// line, or nil. There the library would end the target: it takes `/%00` for `/`.
    static func problem(head: [UInt8]) -> HTTPAnswer? {
        let line = head.prefix { $0 != UInt8(ascii: "\r") }
        let isBad = line.indices.contains { index in
            if line[index] < 0x20 || line[index] == 0x7F { return true }
            guard line[index] == UInt8(ascii: "%") else { return false }
            let digits = String(decoding: line[(index + 1)...].prefix(2), as: UTF8.self)
            return ["00", "0a", "0d"].contains(digits.lowercased())
        }
        guard isBad else { return nil }
        return HTTPAnswer(status: 400, "The path or query has a control character.")
    }

    /// The answer to a request that doesn't say which host it is meant for, WebSocket or not; or
    /// nil.
    static func problem(_ request: UpgradeRequest) -> HTTPAnswer? {
        // RFC 9112, section 3.2.
        guard request.headers["host"] != nil else {
            return HTTPAnswer(status: 400, "The request lacks Host.")
        }
        return nil
    }

    /// The answer to a request that can't become a WebSocket, or nil.
    static func problem(_ headers: LibWebSocketsHeaders) -> HTTPAnswer? {
        guard headers[WSI_TOKEN_UPGRADE]?.lowercased() == "websocket",
            headers[WSI_TOKEN_VERSION] == "13"
        else { return upgradeRequired }
        guard headers[WSI_TOKEN_GET_URI] != nil else {
            return HTTPAnswer(status: 400, "A WebSocket is asked for with GET.")
        }
        // The key is 16 bytes in base64; more than that isn't checked, as the library doesn't.
        guard headers[WSI_TOKEN_KEY]?.utf8.count == 24 else {
            return HTTPAnswer(status: 400, "The request lacks Sec-WebSocket-Key.")
        }
        return nil
    }

    /// The answer to a choice of subprotocol that can't be told to the client, or nil.
    static func problem(choice: String?, of offers: [String]) -> HTTPAnswer? {
        let none = HTTPAnswer(status: 400, "None of the subprotocols offered is spoken here.")
        guard let choice else { return offers.isEmpty ? nil : none }
        // The library compares within 127 characters of list and 63 of name.
        let listLength = offers.reduce(0) { $0 + $1.utf8.count + 2 }
        guard listLength <= 128, choice.utf8.count <= LibWebSockets.maximumSubprotocolLength else {
            return HTTPAnswer(status: 400, "The list of subprotocols is too long.")
        }
        return offers.contains(choice) ? nil : none
    }
}
