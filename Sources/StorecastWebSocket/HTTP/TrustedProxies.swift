import Glibc

/// The proxies whose word is taken for who asks, and by which name: `Forwarded` (RFC 7239), or
/// `X-Forwarded-For`, `-Proto` and `-Host`. Anybody else who sends these fields isn't believed.
package struct TrustedProxies: Sendable {
    /// Addresses that begin with the same bits.
    private struct Network: Sendable {
        let bytes: [UInt8]
        let bits: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == bytes.count else { return false }
            let (whole, rest) = (bits / 8, bits % 8)
            guard address.prefix(whole) == bytes.prefix(whole) else { return false }
            return rest == 0 || (address[whole] ^ bytes[whole]) >> (8 - rest) == 0
        }
    }

    /// One proxy's word: who came to it, and how.
    private struct Hop {
        var client: String?
        var host: String?
        var scheme: String?
    }

    private var networks: [Network] = []

    /// Nobody.
    package init() {}

    /// - Parameter ranges: addresses, and networks as `10.0.0.0/8` (RFC 4632).
    /// - Throws: a sentence about the one that is neither.
    package init(_ ranges: [String]) throws(WebSocketError) {
        for range in ranges {
            guard let network = Self.network(range) else {
                throw WebSocketError(
                    description: "'\(range)' isn't an address, or a network such as 10.0.0.0/8.")
            }
            networks.append(network)
        }
    }

    /// Whether an address is one of theirs.
    package func contains(_ address: String) -> Bool {
        guard !networks.isEmpty, let bytes = Self.bytes(of: address) else { return false }
        return networks.contains { $0.contains(bytes) }
    }

    /// Puts in the place of a proxy's address and name those that it speaks for; of others, takes
    /// away what they say.
    ///
    /// Each proxy writes behind what was there who came to it. So one goes back from the end for as
    /// long as those who wrote are trusted: what is in front of that may be invented.
    ///
    /// - Parameter head: the request up to its empty line.
    /// - Returns: false if the two kinds of fields name different clients, one of which passed
    ///   through a proxy that only knows the other kind.
    func resolve(_ request: inout UpgradeRequest, head: [UInt8]) -> Bool {
        guard contains(request.peerAddress) else {
            request.headers["x-forwarded-for"] = nil
            return true
        }
        let fields = HeaderFields(head)
        let standard = Self.hops(forwarded: fields["forwarded"])
        let usual = Self.hops(
            addresses: fields["x-forwarded-for"], hosts: fields["x-forwarded-host"],
            schemes: fields["x-forwarded-proto"])
        var other = request
        follow(usual, &request)
        if fields["forwarded"].isEmpty { return true }
        follow(standard, &other)
        if !fields["x-forwarded-for"].isEmpty, other.peerAddress != request.peerAddress {
            return false
        }
        request = other
        return true
    }

    private func follow(_ hops: [Hop], _ request: inout UpgradeRequest) {
        for hop in hops.reversed() where contains(request.peerAddress) {
            if let host = hop.host { request.headers["host"] = host }
            if let scheme = hop.scheme {
                request.isEncrypted = scheme == "https" || scheme == "wss"
            }
            // Who isn't named is the proxy itself, and what is further to the left isn't known.
            guard let client = hop.client else { return }
            request.peerAddress = client
        }
    }

    // MARK: Reading the fields

    /// RFC 7239 section 4.
    private static func hops(forwarded lines: [String]) -> [Hop] {
        var hops: [Hop] = []
        for element in lines.flatMap({ split($0, at: ",") }) {
            var hop = Hop()
            for pair in split(element, at: ";") {
                guard let equals = pair.firstIndex(of: "=") else { continue }
                let value = unquoted(trimmed(pair[pair.index(after: equals)...]))
                switch trimmed(pair[..<equals]).lowercased() {
                case "for": hop.client = address(value)
                case "host": hop.host = value
                case "proto": hop.scheme = value.lowercased()
                default: break
                }
            }
            hops.append(hop)
        }
        return hops
    }

    /// One host and one scheme are what the last proxy says; several, one of each.
    private static func hops(addresses: [String], hosts: [String], schemes: [String]) -> [Hop] {
        let (hosts, schemes) = (items(hosts), items(schemes))
        var hops = items(addresses).map { Hop(client: address($0)) }
        // Without an address, the name is still the proxy's word.
        if hops.isEmpty { hops = [Hop()] }
        for (index, host) in zip(hops.indices.reversed(), hosts.reversed()) {
            hops[index].host = host
        }
        for (index, scheme) in zip(hops.indices.reversed(), schemes.reversed()) {
            hops[index].scheme = scheme.lowercased()
        }
        return hops
    }

    private static func items(_ lines: [String]) -> [String] {
        lines.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { trimmed($0) }
    }

    /// The numeric address of a node (RFC 7239 section 6), without its port; nil for `unknown` and
    /// what hides an address.
    private static func address(_ node: String) -> String? {
        var text = node[...]
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.count(where: { $0 == ":" }) == 1 {
            text = text.prefix { $0 != ":" }
        }
        return bytes(of: String(text)).flatMap { written($0) }
    }

    /// The parts between separators that aren't in quotes (RFC 9110 section 5.6.4).
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { result.append(character) }
        }
        return result
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let rest = text.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(rest[...last])
    }

    // MARK: Addresses

    private static func network(_ text: String) -> Network? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let bytes = bytes(of: String(parts[0])) else { return nil }
        guard parts.count == 2 else { return Network(bytes: bytes, bits: bytes.count * 8) }
        // Digits alone: a number as Swift reads it may have a sign.
        guard parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let bits = UInt8(parts[1]),
            bits <= bytes.count * 8
        else { return nil }
        return Network(bytes: bytes, bits: Int(bits))
    }

    /// The 4 or 16 bytes of a numeric address.
    private static func bytes(of address: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &bytes) == 1 { return Array(bytes.prefix(4)) }
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
        // IPv4 in IPv6 (RFC 4291, section 2.5.5.2).
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10..<12] == [0xFF, 0xFF]
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }

    private static func written(_ bytes: [UInt8]) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            inet_ntop(
                bytes.count == 4 ? AF_INET : AF_INET6, bytes, buffer.baseAddress,
                socklen_t(buffer.count)
            ).map { String(cString: $0) }
        }
    }
}

/// The header fields of a request as they came (RFC 9112 section 5): libwebsockets gives only one
/// line of those that it has no number for.
struct HeaderFields {
    private let lines: [(name: String, value: String)]

    /// - Parameter head: the request up to its empty line.
    init(_ head: [UInt8]) {
        var lines: [(name: String, value: String)] = []
        for line in head.split(whereSeparator: { $0 == 10 || $0 == 13 }).dropFirst() {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix(" ") || text.hasPrefix("\t") {
                // The line before goes on, as servers once had to take it.
                if !lines.isEmpty { lines[lines.count - 1].value += text }
            } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
                lines.append((text[..<colon].lowercased(), String(text[colon...].dropFirst())))
            }
        }
        self.lines = lines
    }

    /// The values of a field, line by line; `name` in lower case.
    subscript(name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }
}
