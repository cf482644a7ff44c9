import StorecastCluster
import StorecastDevtools
import StorecastPages
import StorecastServer
import StorecastTools

/// The server that the options ask for, and each part of it.
extension ServeCommand {
    /// Nil if it isn't a cluster's server. Reads the files.
    var clusterNode: ClusterNode? {
        get throws(ServerError) {
            guard nats.cluster != nil else { return nil }
            let servers: NATSServers?
            do throws(CommandFailure) { servers = try nats.servers } catch {
                throw ServerError(.clusterUnusable, error.description)
            }
            guard let servers, let key = try edge.key else {
                preconditionFailure("They were checked.")
            }
            return try ClusterNode(
                nats: servers, key: key, address: nats.clusterAddress, trusting: edge.upstreamCa)
        }
    }

    /// The server that the options ask for.
    func server<State>(
        of room: RoomDefinition<State>, _ access: DevtoolsAccess?, _ jwt: Authentication? = nil,
        _ onReload: (@Sendable (SyncServer) async throws -> Void)? = nil,
        in node: ClusterNode? = nil
    ) throws(ServerError) -> SyncServer {
        guard let limits = try? limits else { preconditionFailure("They were checked.") }
        let (paths, rules, upstream) = (try paths, try documentRules, try edge.server)
        let boards = isDocument ? nil : NamedBoards((try? file.map(ServedRoom.names)) ?? [])
        let find: @Sendable (String) -> (any RoomDefinitionProtocol)? = { path in
            if let boards, !boards.admit(path) { return nil }
            guard let rules, let document = room as? RoomDefinition<SharedDocument> else {
                return room
            }
            return document.obeying(rules, at: path)
        }
        var authentication = try authentication
        if let jwt { authentication = jwt }
        if let rules, isClosed {
            authentication = authentication.admittingAnonymous { rules.admitsAnonymous }
        }
        let kept: JournalProvider
        if let node {
            kept = .cluster(node)
        } else {
            kept = upstream == nil ? try journal : .memory
        }
        let edgeKey = upstream == nil && node == nil ? try edge.key : nil
        return SyncServer(
            host: host, port: port, listeningSocket: ServiceManager.listeningSocket(),
            allowedHosts: allowHost,
            allowedOrigins: allowOrigin, trustedProxies: trustedProxy, certificate: try certificate,
            journal: kept, limits: limits,
            extensions: access.map { [.devtools($0)] } ?? [], audit: try audit,
            operations: operationsAddress,
            pages: try page.pages(insteadOf: defaultPage, access != nil),
            authentication: authentication, onReload: onReload, rules: rules,
            edgeKey: edgeKey, upstream: upstream,
            paths: upstream != nil && self.rooms.isEmpty ? nil : paths, rooms: find)
    }

    private var journal: JournalProvider {
        get throws(ServerError) {
            do throws(CommandFailure) {
                return try nats.servers.map { .nats($0) } ?? data.journal(in: file)
            } catch {
                throw ServerError(.journalUnavailable, error.description)
            }
        }
    }

    var documentRules: DocumentRules? {
        get throws(ServerError) {
            guard let rules else { return nil }
            return try DocumentRules(file: rules)
        }
    }

    var limits: SyncLimits {
        get throws(LimitError) {
            var limits = SyncLimits()
            limits.snapshots.kept = data.keepSnapshots
            var rate = limits.connectionRate
            (rate.messages, rate.actions) = (Double(self.rate), Double(self.rate))
            limits.setRates(self.rate == 0 ? .unlimited : rate)
            for setting in limit {
                let parts = setting.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else {
                    throw LimitError(
                        description: "A limit is set as name=value; '\(setting)' has no '='.")
                }
                try limits.set(String(parts[0]), to: String(parts[1]))
            }
            if let drainTimeout { try limits.set("drain-timeout", to: drainTimeout) }
            return limits
        }
    }

    var authentication: Authentication {
        get throws(ServerError) {
            if let tokens { return .tokens(try TokenTable(file: tokens)) }
            var authentication = Authentication.custom { try DemoAuthentication.identity($0) }
            authentication.roles = { [] }
            return authentication
        }
    }

    /// Where its health and metrics are asked for.
    var operationsAddress: OperationsAddress? { operations.flatMap { Self.address($0) } }

    /// `host:port`, an IPv6 address in brackets; or a port alone, of this machine's own address.
    static func address(_ text: String) -> OperationsAddress? {
        let separator = text.lastIndex(of: ":")
        let digits = separator.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(digits), (0...65_535).contains(port) else { return nil }
        guard let separator else { return OperationsAddress(port: port) }
        var host = text[..<separator]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : OperationsAddress(host: String(host), port: port)
    }

    /// The page that there is without ``PageOptions/pages``.
    var defaultPage: WebPages { isDocument ? .document : .board }

    private var audit: AuditLog? {
        get throws(ServerError) {
            guard let auditLog else { return nil }
            return try AuditLog(file: auditLog)
        }
    }

    var certificate: TLSCertificate? {
        get throws(ServerError) {
            guard let tlsCertificate, let tlsKey else { return nil }
            return try TLSCertificate(file: tlsCertificate, keyFile: tlsKey)
        }
    }
}

/// Takes a client's token for its name, and believes it. For trying things out, not secure.
enum DemoAuthentication {
    static let longestName = 64
    static let rule =
        "A name has 1 to \(longestName) characters, and none that hides or reorders text."

    /// The user that the token names; anonymous without one.
    static func identity(_ credentials: Credentials) throws(Rejection) -> Identity {
        guard let token = credentials.token else { return .anonymous }
        guard isName(token) else {
            throw Rejection(
                .unauthenticated, "The token isn't a name.", detail: rule)
        }
        return Identity(token)
    }

    /// Whether this may be a user's name.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 4 * longestName
            && (1...longestName).contains(text.unicodeScalars.count)
            && text.isShowable
    }
}
