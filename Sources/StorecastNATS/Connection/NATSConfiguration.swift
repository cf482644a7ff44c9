import StorecastWebSocket

/// Where a cluster of NATS servers is, and who asks.
package struct NATSConfiguration: Sendable {
    /// Who the client says it is.
    package enum Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        case none
        case token(String)
        case user(String, password: String)
        case key(NKey)
        /// A JWT, and the key that it is of: what a `.creds` file holds.
        case signed(jwt: String, NKey)

        /// Doesn't show them.
        package var description: String {
            if case .none = self { "none" } else { "credentials" }
        }

        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// A server's address.
    package struct Server: Hashable, Sendable, CustomStringConvertible {
        /// A name or a numeric address, without brackets.
        package var host: String
        package var port: Int

        package init(host: String, port: Int = 4222) {
            self.host = host
            self.port = port
        }

        package var description: String {
            "\(host.asURLHost):\(port)"
        }
    }

    /// Those of them that are known; the servers tell of the others.
    package var servers: [Server]
    /// Whether connections must be encrypted; if a server wants it, they are anyway.
    package var tls = false
    /// A file of certificates (PEM) to trust instead of the system's.
    package var certificateAuthorityFile: String?
    package var credentials = Credentials.none
    /// What the servers show of the client.
    package var name = "storecast"
    /// How long connecting, encrypting and introducing oneself may take together.
    package var connectTimeout: Duration = .seconds(5)
    /// How often a server is asked whether it is there; one that owes two answers isn't.
    package var pingInterval: Duration = .seconds(10)
    /// The most bytes that may wait to be sent.
    package var mostBufferedBytes = 64 << 20

    /// - Parameter addresses: `nats://host:port` or `tls://host:port`, several with commas between
    ///   them. Without a scheme it is `nats`, without a port 4222.
    /// - Throws: a sentence. An address has no place for a password.
    package init(_ addresses: String) throws(NATSError) {
        servers = []
        for address in addresses.split(separator: ",", omittingEmptySubsequences: false) {
            let text = address.drop { $0 == " " }
            let parts = text.firstRange(of: "://")
            let scheme = parts.map { text[..<$0.lowerBound] } ?? "nats"
            let place = parts.map { text[$0.upperBound...] } ?? text
            guard scheme == "nats" || scheme == "tls" else {
                throw .unavailable(
                    "A NATS address begins with nats:// or tls://, not with '\(scheme)://'.")
            }
            if place.contains("@") {
                throw .unavailable(
                    "A NATS address with a name or a password in it would be shown to everybody: "
                        + "give them on their own: --nats-user NAME --nats-token FILE, "
                        + "NATSServers(credentials:).")
            }
            guard let server = Server(place) else {
                throw .unavailable(
                    "A NATS address looks like nats://host:4222, not like '\(text)'.")
            }
            servers.append(server)
            if scheme == "tls" { tls = true }
        }
    }
}

extension NATSConfiguration.Server {
    /// `host`, `host:port`, `[::1]` or `[::1]:port`.
    init?(_ text: some StringProtocol) {
        let text = text.last == "/" ? String(text.dropLast()) : String(text)
        var host = Substring(text)
        var rest = Substring()
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            (host, rest) = (text[..<colon], text[colon...])
        }
        let isName = host.utf8.allSatisfy {
            $0 > 32 && $0 != 47 && $0 != 63 && $0 != 35 && $0 < 127
        }
        guard !host.isEmpty, isName else { return nil }
        guard !rest.isEmpty else {
            self.init(host: String(host))
            return
        }
        guard rest.first == ":", let port = Int(rest.dropFirst()), 1...65535 ~= port,
            rest.dropFirst().utf8.allSatisfy({ 48...57 ~= $0 })
        else { return nil }
        self.init(host: String(host), port: port)
    }
}

extension NATSConfiguration.Credentials {
    /// What a `.creds` file holds.
    ///
    /// - Throws: a sentence, without what is secret.
    package init(file text: String) throws(NATSError) {
        func part(_ name: String) -> String? {
            guard let begin = text.firstRange(of: "-----BEGIN \(name)-----"),
                let end = text[begin.upperBound...].firstRange(of: "\n---")
            else { return nil }
            return text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
        }
        guard let jwt = part("NATS USER JWT"), let seed = part("USER NKEY SEED"), !jwt.isEmpty
        else {
            throw .unavailable("The NATS credentials hold no user JWT with its key.")
        }
        self = .signed(jwt: jwt, try NKey(seed: seed))
    }
}
