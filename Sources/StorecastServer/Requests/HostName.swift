import StorecastPlatform

/// The hosts that a server answers requests for.
///
/// Any site can let its own name resolve to this machine (DNS rebinding). To a browser its pages
/// then belong to the same site as this machine's server. So a server that listens on this
/// machine's own address answers requests for this machine's names only.
struct ServedHosts: Sendable {
    /// Nil for every name.
    private let allowed: [HostName]?

    /// - Parameters:
    ///   - address: the address that the server listens on.
    ///   - allowed: names beside this machine's own.
    init(listeningOn address: String, allowed: [String]) {
        let isOpen = allowed.isEmpty && !HostName(address: address).isLocal
        self.allowed = isOpen ? nil : allowed.map { HostName(address: $0) }
    }

    /// - Parameter host: the header `Host`, with or without a port.
    func admits(_ host: String?) -> Bool {
        guard let allowed else { return true }
        guard let host else { return false }
        let name = HostName(authority: host)
        return name.isLocal || allowed.contains(name)
    }
}

/// The sites whose pages may connect to a server that isn't theirs.
struct AllowedOrigins: Sendable {
    private let origins: Set<ExactString>
    private let isOpen: Bool

    /// - Parameter origins: as browsers write them (RFC 6454, section 6.1): scheme, host, and the
    ///   port if it isn't the usual one; `*` for all.
    init(_ origins: [String]) {
        for origin in origins {
            precondition(Self.isOrigin(origin), "'\(origin)' isn't an origin: https://app.example")
        }
        isOpen = origins.contains { $0.isSameText(as: "*") }
        self.origins = Set(origins.map { ExactString($0.lowercased()) })
    }

    /// - Parameter origin: the header `Origin`.
    func admits(_ origin: String) -> Bool {
        isOpen || origins.contains(ExactString(origin.lowercased()))
    }

    /// Whether a browser could send this.
    static func isOrigin(_ text: String) -> Bool {
        if ["*", "null"].contains(text) { return true }
        guard let separator = text.firstRange(of: "://") else { return false }
        let (scheme, rest) = (text[..<separator.lowerBound], text[separator.upperBound...].utf8)
        let isLetter = { (byte: UInt8) in 0x61...0x7A ~= byte | 0x20 }
        return scheme.utf8.first.map(isLetter) == true
            && scheme.utf8.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
            && !rest.isEmpty
            && rest.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@*".utf8.contains($0) }
    }
}

/// A host as URLs name it, without its port.
package struct HostName: Equatable, Sendable {
    private let text: String

    /// The host of `host:port`; an IPv6 address without its brackets.
    init(authority: some StringProtocol) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            self.init(address: authority[authority.index(after: authority.startIndex)..<end])
        } else {
            self.init(address: authority.prefix { $0 != ":" })
        }
    }

    /// The host of the header `Origin` (RFC 6454, section 7).
    init(origin: String) {
        let start = origin.firstRange(of: "://")?.upperBound
        self.init(authority: start.map { origin[$0...] } ?? origin[...])
    }

    /// A host by its name or address alone.
    ///
    /// Upper and lower case are the same, and the dot at the end of an absolute name doesn't count
    /// (RFC 3986, section 3.2.2). Nor does it matter how an IPv6 address is written.
    package init(address: some StringProtocol) {
        let name = address.lowercased()
        text = Self.written(name) ?? (name.hasSuffix(".") ? String(name.dropLast()) : name)
    }

    /// An IPv6 address as the system writes it (RFC 5952); nil for anything else.
    private static func written(_ address: String) -> String? {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            inet_ntop(AF_INET6, &bytes, buffer.baseAddress, socklen_t(buffer.count))
                .map { String(cString: $0) }
        }
    }

    /// Whether it is a name or an address by which this machine reaches itself.
    package var isLocal: Bool {
        if text == "localhost" || text.hasSuffix(".localhost") || text == "::1" { return true }
        let address = text.hasPrefix("::ffff:") ? text.dropFirst(7) : text[...]
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether it is a numeric address, not a name.
    package var isAddress: Bool {
        var (four, six) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    /// Of an IPv6 address the first 64 bits, as a host has all addresses that begin so (RFC 4291,
    /// section 2.5.4); any other host as it is.
    var network: String {
        let mapped = text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
        guard mapped.contains(":") else { return mapped }
        var address = in6_addr()
        guard inet_pton(AF_INET6, mapped, &address) == 1 else { return mapped }
        return withUnsafeBytes(of: &address) { bytes in
            bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}

extension Credentials {
    /// The host of the page that opened the connection; nil if the client isn't a browser.
    var origin: HostName? { headers["origin"].map { HostName(origin: $0) } }

    /// The host that the client asked for.
    var host: HostName? { headers["host"].map { HostName(authority: $0) } }

    /// Whether a page of another site opened the connection.
    ///
    /// Browsers let every page connect to every server, and name the page's site in `Origin` (RFC
    /// 6455, section 10.2). False for programs, which name none; for pages of the host that they
    /// connect to, whatever the port (a server on loopback answers for this machine's names only);
    /// and for pages of this machine that connect to this machine. Where it is true, the page's
    /// site is one of the server's `allowedOrigins`: others were refused before.
    public var isFromOtherSite: Bool {
        guard let origin, let host else { return headers["origin"] != nil }
        return origin != host && !(origin.isLocal && host.isLocal)
    }
}
