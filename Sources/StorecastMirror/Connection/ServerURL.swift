/// The parts of a `ws://` or `wss://` URL (RFC 6455, section 3) that a connection needs.
package struct ServerURL: Equatable {
    package var isSecure: Bool
    /// Without brackets.
    package var host: String
    package var port: Int
    /// With the query; begins with a slash.
    package var path: String

    /// Nil if `text` isn't such a URL. User names and fragments aren't taken: credentials don't
    /// belong into URLs.
    package init?(_ text: String) {
        let rest: Substring
        if let secure = text.dropping(prefix: "wss://") {
            (isSecure, rest) = (true, secure)
        } else if let plain = text.dropping(prefix: "ws://") {
            (isSecure, rest) = (false, plain)
        } else {
            return nil
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let tail = rest[end...]
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
        guard
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#"),
            let (host, port) = Self.authority(rest[..<end])
        else { return nil }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
    }

    private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
        guard !text.isEmpty, !text.contains("@") else { return nil }
        var host = text
        var rest = text[text.endIndex...]
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<close]
            rest = text[text.index(after: close)...]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            rest = text[colon...]
        }
        guard !host.isEmpty else { return nil }
        if rest.isEmpty { return (String(host), nil) }
        // Digits alone: a number as Swift reads it may have a sign.
        guard rest.hasPrefix(":"), rest.dropFirst().allSatisfy(\.isWholeNumber),
            let port = UInt16(rest.dropFirst()), port > 0
        else { return nil }
        return (String(host), Int(port))
    }
}

extension ServerURL {
    /// The URL of a server as a person writes it, who may leave out `ws://`, or have copied the
    /// address of its page: `http://` stands for `ws://`, and `https://` for `wss://`. Nil if it
    /// isn't one.
    package static func completed(_ text: String) -> String? {
        let url =
            if let rest = text.dropping(prefix: "http://") {
                "ws://" + rest
            } else if let rest = text.dropping(prefix: "https://") {
                "wss://" + rest
            } else {
                text.contains("://") ? text : "ws://" + text
            }
        return ServerURL(url) == nil ? nil : url
    }

    /// What to tell a person whose URL isn't one. Without its fragment, which may be a token, as in
    /// the devtools' URL.
    package static func problem(with text: String) -> String {
        let shown = text.firstIndex(of: "#").map { text[..<$0] + "#…" } ?? text[...]
        return "'\(shown)' isn't a server's address. Write ws://HOST:PORT/ROOM, or wss://; "
            + "ws:// may be left out, and http:// and https:// do as well."
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> Substring? {
        guard count >= prefix.count, self.prefix(prefix.count).lowercased() == prefix
        else { return nil }
        return dropFirst(prefix.count)
    }
}
