#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The names under which a server is asked for.
///
/// A page of any site can have its own name lead to this machine (DNS rebinding), and is of the
/// same site as this machine's server then, by all that a browser can tell. So a server that is
/// for this machine only goes by this machine's names.
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
    /// Case says nothing, nor does the dot at the end of a name that is complete (RFC 3986, section
    /// 3.2.2).
    init(address: some StringProtocol) {
        let name = address.lowercased()
        text = name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// Whether this machine calls itself so.
    var isLocal: Bool {
        if text == "localhost" || text.hasSuffix(".localhost") || text == "::1" { return true }
        let address = text.hasPrefix("::ffff:") ? text.dropFirst(7) : text[...]
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Of an IPv6 address the first 64 bits, as who has one has all of them (RFC 4291, section
    /// 2.5.4); any other host as it is.
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
    /// The host whose page opened the connection; nil if no browser says so.
    var origin: HostName? { headers["origin"].map { HostName(origin: $0) } }

    /// The host that the client believes to speak to.
    var host: HostName? { headers["host"].map { HostName(authority: $0) } }

    /// Whether a page of another site opened the connection.
    ///
    /// Browsers let every page connect to every server, and name the page's site in `Origin` (RFC
    /// 6455, section 10.2). False for programs, which name none; for pages of the host that they
    /// connect to, whatever the port (a server on loopback takes no names but its own, so that they
    /// are this machine's); and for pages of this machine that connect to this machine. Ask in
    /// `authenticate` if clients need nothing but a cookie, or to be near, to be let in; a token
    /// that only your own pages have makes it unnecessary.
    public var isFromOtherSite: Bool {
        guard let origin, let host else { return headers["origin"] != nil }
        return origin != host && !(origin.isLocal && host.isLocal)
    }
}
