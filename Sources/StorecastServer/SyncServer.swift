public import CoreMetrics
public import Logging
public import StorecastRoom
import StorecastWebSocket
import Synchronization
public import Tracing

/// A server of rooms: takes actions from many clients over WebSockets, reduces them in one order,
/// and pushes to each what it selected.
///
/// ```swift
/// try await SyncServer(room: counter).run()
/// ```
/// Every member may be used from any thread. A server runs once.
public final class SyncServer: Sendable {
    enum Phase {
        case idle
        case starting
        case running([ServerLoop], any JournalStore)
        /// With the loops that take work yet, and those who wait for the end.
        case stopping([ServerLoop], [CheckedContinuation<Void, Never>])
        case stopped
    }

    let configuration: ServerConfiguration
    let listener: WebSocketServerConfiguration
    let loopCount: Int
    let onReload: (@Sendable (SyncServer) async throws -> Void)?
    let operations: (address: OperationsAddress, metrics: OpenMetrics)?
    let operationsLoop = Mutex<(loop: OperationsLoop, url: String)?>(nil)
    let phase = Mutex(Phase.idle)
    /// If it shares rooms with other servers: these, and the part of it that has rooms.
    let part: (cluster: any ServerCluster, owner: SyncServer)?

    /// A server whose rooms are found by the URL's path.
    ///
    /// - Parameters:
    ///   - host: the address to listen on; `0.0.0.0` for every IPv4 address of the machine.
    ///   - port: 0 … 65,535; 0 for any free one.
    ///   - listeningSocket: the descriptor of a socket that listens already, as systemd hands it
    ///     on, in place of one for `host` and `port`; it stays open.
    ///   - allowedHosts: names beside this machine's own by which clients may ask for a server that
    ///     listens on this machine's address; elsewhere, if there are any, no others are taken.
    ///   - allowedOrigins: the sites beside its own whose pages may connect, as
    ///     `https://app.example`; `*` for all. Browsers let any page connect to any server, and say
    ///     which it is.
    ///   - trustedProxies: addresses, or networks such as `10.0.0.0/8`, of the proxies that are
    ///     believed about a client's address and the name it asked for: `Forwarded` (RFC 7239) or
    ///     `X-Forwarded-For`, `-Proto` and `-Host`.
    ///   - certificate: with which every connection is encrypted; without it, none is.
    ///   - journal: where rooms are kept. With one that servers share, as
    ///     `.cluster(node)` of StorecastCluster, each of these has some of the rooms, and serves all.
    ///   - loops: how many event loops, each a thread, share the connections; a room lives on one.
    ///   - limits: bounds on what is held for clients and accepted from them.
    ///   - extensions: what libraries add to the server, such as the devtools of StorecastDevtools.
    ///     Each has a path of its own, which `rooms` isn't asked about.
    ///   - logger: where it logs; by default to what `LoggingSystem` was set up with.
    ///   - audit: where it writes down who did what, and who was refused; nowhere without it.
    ///   - metrics: to what it hands its metrics each second; by default what `MetricsSystem` was
    ///     set up with. Docs/Reference.md has them all.
    ///   - operations: where it tells how it is, and its metrics; nowhere without it.
    ///   - tracer: has a span of each dispatch of a client's, from when it comes to its outcome; by
    ///     default what `InstrumentationSystem` was set up with. Docs/Reference.md says what is in
    ///     it.
    ///   - pages: what it serves to browsers; without any it answers that it takes WebSockets only.
    ///   - authentication: how it finds out who clients are; without it everyone is anonymous.
    ///   - onReload: what ``reload()`` does beside what it says, such as ``setLimits(_:)``; throws
    ///     what is to be logged.
    ///   - rules: what `rooms` has JSON rooms obey, to be read again by ``reload()``.
    ///   - edgeKey: what edges are let in by, which speak for clients of their own; without it,
    ///     none is.
    ///   - upstream: the server that has the rooms, if this one is an edge of it: then `rooms`
    ///     isn't asked, and `journal` and `rules` aren't used. Clients see no difference.
    ///   - paths: which paths have rooms: clients of others are told what there is, and `rooms`
    ///     isn't asked. Without it, `rooms` alone decides.
    ///   - rooms: answers nil for a path without a room; called once when a room is opened, and in
    ///     a cluster also by the server that passes it on.
    ///   - authenticate: says who a client is, or throws: for ``Authentication/custom(_:)``, in
    ///     place of `authentication`.
    public init(
        host: String = "127.0.0.1", port: Int = 9090, listeningSocket: Int32? = nil,
        allowedHosts: [String] = [], allowedOrigins: [String] = [], trustedProxies: [String] = [],
        certificate: TLSCertificate? = nil, journal: JournalProvider = .memory,
        loops: Int = 1, limits: SyncLimits = SyncLimits(), extensions: [ServerExtension] = [],
        logger: Logger = Logger(label: "storecast.server"), audit: AuditLog? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory, operations: OperationsAddress? = nil,
        tracer: any Tracer = InstrumentationSystem.tracer,
        pages: WebPages = WebPages(), authentication: Authentication = .anonymous,
        onReload: (@Sendable (SyncServer) async throws -> Void)? = nil,
        rules: DocumentRules? = nil, edgeKey: EdgeKey? = nil, upstream: Upstream? = nil,
        paths: RoomPatterns? = nil,
        rooms: @escaping @Sendable (_ path: String) -> (any RoomDefinitionProtocol)?,
        authenticate: (@Sendable (Credentials) async throws -> Identity)? = nil
    ) {
        precondition(
            Set(extensions.map { ExactString($0.path) }).count == extensions.count,
            "Two extensions of a server have the same path.")
        precondition(
            authenticate == nil || authentication.isAnonymous,
            "A server has one way to find out who its clients are.")
        precondition(
            edgeKey == nil || upstream == nil, "An edge of a server has no edges of its own.")
        let cluster = journal.sharing as? any ServerCluster
        precondition(
            cluster == nil || edgeKey == nil && upstream == nil,
            "The servers of a cluster are edges of one another, and of nobody else.")
        loopCount = max(1, loops)
        self.onReload = onReload
        var factory = metrics
        self.operations = operations.map { address in
            let own = OpenMetrics(
                help: Dictionary(
                    uniqueKeysWithValues: ServerMetric.allCases.map { ($0.rawValue, $0.help) }))
            factory = MultiplexMetricsHandler(factories: [own, factory])
            return (address, own)
        }
        let authentication = authenticate.map { .custom($0) } ?? authentication
        part = cluster.map { cluster in
            let entrance = cluster.entrance
            let owner = SyncServer(
                host: entrance.host, port: entrance.port,
                // The others ask for it by its own.
                allowedHosts: allowedHosts.isEmpty ? [] : allowedHosts + [entrance.name],
                allowedOrigins: allowedOrigins, trustedProxies: trustedProxies,
                certificate: entrance.isSecure ? certificate : nil,
                journal: JournalProvider(open: journal.open), loops: loops, limits: limits.ofOwner,
                extensions: extensions, logger: logger.ofOwner, audit: audit,
                metrics: PartMetrics(factory, "owner"), tracer: tracer,
                pages: pages.forExtensions(at: extensions.map(\.path)),
                authentication: .edgesOnly(before: authentication), rules: rules,
                edgeKey: entrance.key, paths: paths, rooms: rooms)
            return (cluster, owner)
        }
        // People connect to what extensions have at the part with rooms.
        let reserved = Set(part == nil ? [] : extensions.map { ExactString($0.path) })
        configuration = ServerConfiguration(
            journal: part == nil ? journal : .memory, limits: limits,
            extensions: part == nil ? extensions : [],
            rooms: { path in
                let isOne = paths?.contains(path) != false
                return isOne && !reserved.contains(ExactString(path)) ? rooms(path) : nil
            }, paths: paths, rules: rules, pages: pages, certificate: certificate,
            authentication: authentication,
            hosts: ServedHosts(listeningOn: host, allowed: allowedHosts),
            origins: AllowedOrigins(allowedOrigins), logger: logger.safe.withoutRepetition,
            connectionLogger: logger.safe, audit: audit,
            metrics: ServerMetrics(factory, loops: loopCount),
            tracer: tracer is NoOpTracer ? nil : tracer, edgeKey: edgeKey,
            upstream: part?.cluster.upstream ?? upstream, sharesRooms: part != nil)
        listener = Self.listener(
            host, port, listeningSocket, isShared: loops > 1, certificate, trustedProxies, limits,
            takesEdges: edgeKey != nil)
        if let owner = part?.owner {
            configuration.metrics.speaks(for: owner.configuration.metrics)
        }
    }

    private static func listener(
        _ host: String, _ port: Int, _ descriptor: Int32?, isShared: Bool,
        _ certificate: TLSCertificate?, _ proxies: [String], _ limits: SyncLimits, takesEdges: Bool
    ) -> WebSocketServerConfiguration {
        var listener = WebSocketServerConfiguration()
        listener.host = host
        listener.port = port
        listener.descriptor = descriptor
        listener.reusePort = isShared
        listener.claimsPort = isShared
        listener.certificate = certificate?.files
        do throws(WebSocketError) {
            listener.trustedProxies = try TrustedProxies(proxies)
        } catch {
            preconditionFailure(error.description)
        }
        listener.take(limits)
        // With the number of an edge's client before it.
        if takesEdges { listener.maxMessageBytes += 32 }
        return listener
    }

    /// What is wrong with the sites or the proxies that somebody wants a server to trust; nil if
    /// nothing is.
    package static func problem(origins: [String], proxies: [String]) -> String? {
        if let origin = origins.first(where: { !AllowedOrigins.isOrigin($0) }) {
            return
                "'\(origin)' isn't a site: write https://app.example, with the port if it has one."
        }
        do throws(WebSocketError) { _ = try TrustedProxies(proxies) } catch {
            return error.description
        }
        return nil
    }

    /// A server with one room, at `/`; all else as with `rooms`.
    public convenience init(
        host: String = "127.0.0.1", port: Int = 9090, listeningSocket: Int32? = nil,
        allowedHosts: [String] = [], allowedOrigins: [String] = [], trustedProxies: [String] = [],
        certificate: TLSCertificate? = nil, journal: JournalProvider = .memory,
        loops: Int = 1, limits: SyncLimits = SyncLimits(), extensions: [ServerExtension] = [],
        logger: Logger = Logger(label: "storecast.server"), audit: AuditLog? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory, operations: OperationsAddress? = nil,
        tracer: any Tracer = InstrumentationSystem.tracer,
        room: any RoomDefinitionProtocol, pages: WebPages = WebPages(),
        authentication: Authentication = .anonymous,
        onReload: (@Sendable (SyncServer) async throws -> Void)? = nil,
        rules: DocumentRules? = nil, edgeKey: EdgeKey? = nil,
        authenticate: (@Sendable (Credentials) async throws -> Identity)? = nil
    ) {
        self.init(
            host: host, port: port, listeningSocket: listeningSocket, allowedHosts: allowedHosts,
            allowedOrigins: allowedOrigins, trustedProxies: trustedProxies,
            certificate: certificate, journal: journal, loops: loops, limits: limits,
            extensions: extensions, logger: logger, audit: audit, metrics: metrics,
            operations: operations, tracer: tracer, pages: pages, authentication: authentication,
            onReload: onReload, rules: rules, edgeKey: edgeKey,
            rooms: { $0 == "/" ? room : nil },
            authenticate: authenticate)
    }

    /// An edge: a server without rooms, which passes on those of another one to clients of its own.
    ///
    /// ```swift
    /// let key = try EdgeKey(file: "edge.key")
    /// await SyncServer(host: "0.0.0.0", upstream: try Upstream("wss://core.example", key: key)).main()
    /// ```
    /// It finds out who its clients are and keeps the limits on them; the rules are those of the
    /// server at `upstream`, which lets it in by its own `edgeKey`. It passes on the rooms of
    /// `paths`, or without it all that the other one has; all else is as with `rooms`.
    public convenience init(
        host: String = "127.0.0.1", port: Int = 9090, listeningSocket: Int32? = nil,
        allowedHosts: [String] = [], allowedOrigins: [String] = [], trustedProxies: [String] = [],
        certificate: TLSCertificate? = nil, loops: Int = 1, limits: SyncLimits = SyncLimits(),
        logger: Logger = Logger(label: "storecast.server"), audit: AuditLog? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory, operations: OperationsAddress? = nil,
        tracer: any Tracer = InstrumentationSystem.tracer, pages: WebPages = WebPages(),
        authentication: Authentication = .anonymous,
        onReload: (@Sendable (SyncServer) async throws -> Void)? = nil,
        upstream: Upstream, paths: RoomPatterns? = nil,
        authenticate: (@Sendable (Credentials) async throws -> Identity)? = nil
    ) {
        self.init(
            host: host, port: port, listeningSocket: listeningSocket, allowedHosts: allowedHosts,
            allowedOrigins: allowedOrigins, trustedProxies: trustedProxies,
            certificate: certificate, loops: loops, limits: limits, logger: logger, audit: audit,
            metrics: metrics, operations: operations, tracer: tracer, pages: pages,
            authentication: authentication, onReload: onReload, upstream: upstream, paths: paths,
            rooms: { _ in nil }, authenticate: authenticate)
    }

    func runningLoops() -> [ServerLoop] {
        phase.withLock { phase in
            switch phase {
            case .running(let loops, _), .stopping(let loops, _): loops
            case .idle, .starting, .stopped: []
            }
        }
    }
}

extension WebSocketServerConfiguration {
    fileprivate mutating func take(_ limits: SyncLimits) {
        maxMessageBytes = limits.messageBytes
        maxConnections = limits.connections
        pingInterval = limits.pingInterval
        deadPeerTimeout = limits.silence
        stallTimeout = limits.stallTimeout
        messageTimeout = limits.messageTimeout
        unfinishedBytes = limits.unfinishedBytes
        requestsPerConnection = limits.requestsPerConnection
        keptConnections = limits.keptConnections
        handshakeTimeout = limits.handshakeTimeout
        answerTimeout = limits.answerTimeout
        closeTimeout = limits.closeTimeout
    }
}
