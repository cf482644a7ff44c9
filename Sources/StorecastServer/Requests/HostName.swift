#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

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

/// A host as URLs name it, without its port.
struct HostName: Equatable, Sendable {
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
    init(address: some StringProtocol) {
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
    var isLocal: Bool {
        if text == "localhost" || text.hasSuffix(".localhost") || text == "::1" { return true }
        let address = text.hasPrefix("::ffff:") ? text.dropFirst(7) : text[...]
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
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
    /// and for pages of this machine that connect to this machine. Check it in `authenticate` if a
    /// cookie or the client's address is enough to be let in; a token that only your own pages have
    /// makes it unnecessary.
    public var isFromOtherSite: Bool {
        guard let origin, let host else { return headers["origin"] != nil }
        return origin != host && !(origin.isLocal && host.isLocal)
    }
}
