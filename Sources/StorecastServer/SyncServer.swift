public import CoreMetrics
public import Logging
@preconcurrency import StorecastPlatform
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
    private enum Phase {
        case idle
        case starting
        case running([ServerLoop], any JournalStore)
        /// With the loops that take work yet, and those who wait for the end.
        case stopping([ServerLoop], [CheckedContinuation<Void, Never>])
        case stopped
    }

    let configuration: ServerConfiguration
    let listener: WebSocketServerConfiguration
    private let loopCount: Int
    private let onReload: (@Sendable (SyncServer) async throws -> Void)?
    let operations: (address: OperationsAddress, metrics: OpenMetrics)?
    private let operationsLoop = Mutex<(loop: OperationsLoop, url: String)?>(nil)
    private let phase = Mutex(Phase.idle)
    /// If it shares rooms with other servers: these, and the part of it that has rooms.
    private let part: (cluster: any ServerCluster, owner: SyncServer)?

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

    /// Serves until SIGINT, SIGTERM or the task's cancellation, then says goodbye to everyone. On
    /// SIGHUP it does what ``reload()`` does, if there is anything to read again.
    ///
    /// ```swift
    /// try await server.run { url in print("listening on \(url)") }
    /// ```
    /// - Parameter onListening: called with the server's URL when clients can connect. What it
    ///   prints is written at once, also where standard output isn't a terminal.
    public func run(
        onListening: @Sendable (_ url: String) -> Void = { _ in }
    ) async throws(ServerError) {
        try await run(onRecovery: nil, onListening: onListening)
    }

    // `onRecovery` has no default, as a trailing closure would then be passed for it in one of the
    // language modes.

    /// Serves until SIGINT, SIGTERM or the task's cancellation, and tells how far rooms have come.
    ///
    /// - Parameters:
    ///   - onRecovery: called on a room's loop with every part that was read of its history; nil to
    ///     have logged what takes longer than a second.
    ///   - onListening: as in ``run(onListening:)``.
    public func run(
        onRecovery: (@Sendable (RoomProgress) -> Void)?,
        onListening: @Sendable (_ url: String) -> Void
    ) async throws(ServerError) {
        let url = try await start(onRecovery)
        let (signals, continuation) = AsyncStream<Int32>.makeStream()
        let isReloading =
            configuration.certificate != nil || configuration.authentication.reload != nil
            || configuration.audit != nil || configuration.rules != nil || onReload != nil
        let handled = isReloading ? [SIGHUP] : []
        await runningLoops().first?.handle([SIGINT, SIGTERM] + handled) { continuation.yield($0) }
        onListening(url)
        // Standard output is buffered unless it is a terminal.
        fflush(stdout)
        // Ends by a signal, or when the task is cancelled.
        for await signal in signals {
            if signal == SIGHUP {
                // What fails is logged.
                try? await reload()
                continue
            }
            configuration.logger.log(.info, "stopping", [.signal: Int(signal)])
            break
        }
        await stop()
    }

    /// Starts to serve, and logs where; returns the server's URL, `ws://host:port/`, or `wss://`
    /// with a certificate.
    public func start() async throws(ServerError) -> String {
        let url = try await start(nil)
        configuration.logger.log(.info, "listening", [.url: url])
        return url
    }

    /// As ``start()``, for the part of a server that has rooms.
    ///
    /// - Parameters:
    ///   - onRecovery: as in ``run(onRecovery:onListening:)``.
    ///   - reload: what its extensions do in place of ``reload()``.
    package func startAsPart(
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        reload: @escaping @Sendable () async throws -> Void
    ) async throws(ServerError) -> String {
        try await start(onRecovery, reload)
    }

    private func start(
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        _ reload: (@Sendable () async throws -> Void)? = nil
    ) async throws(ServerError) -> String {
        let isFirst = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .starting
            return true
        }
        guard isFirst else {
            throw ServerError(.alreadyStarted, "A server starts once; make another one.")
        }
        // First, as opening a journal may make a file, which nobody would need.
        try checkAddress()
        try configuration.authentication.prepare?()
        guard let part else { return try await serve(onRecovery, reload) }
        guard !part.cluster.entrance.isSecure || configuration.certificate != nil else {
            throw ServerError(
                .certificateUnusable,
                "Where the other servers are to come by wss:// needs a certificate: give the server "
                    + "one.")
        }
        try await part.cluster.begin(part.owner, of: self, onRecovery)
        do throws(ServerError) { return try await serve(nil, reload) } catch {
            await part.cluster.end()
            throw error
        }
    }

    private func serve(
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        _ reload: (@Sendable () async throws -> Void)?
    ) async throws(ServerError) -> String {
        let store = try await openJournal()
        configuration.audit?.reportTrouble { [logger = configuration.logger] problem in
            logger.error("\(problem)")
        }
        var loops: [ServerLoop] = []
        do throws(ServerError) {
            loops = try makeLoops()
            let port = try await listen(loops, store, onRecovery, reload)
            try await listenForOperations()
            let isWanted = phase.withLock { [loops] phase in
                guard case .starting = phase else { return false }
                phase = .running(loops, store)
                return true
            }
            guard isWanted else {
                throw ServerError(.notRunning, "The server was stopped while it started.")
            }
            let host = listener.host.contains(":") ? "[\(listener.host)]" : listener.host
            warnOfExpiry()
            warnOfStrangers()
            return "\(listener.certificate == nil ? "ws" : "wss")://\(host):\(port)/"
        } catch {
            await shutDown(loops, store)
            throw error
        }
    }

    /// Takes no new clients, says goodbye to every client (`bye` with `going-away`, close code
    /// 1001), 200 each 50 ms, waits for them, has rooms write snapshots, and frees everything; the
    /// journal's files are closed then. Takes `SyncLimits.drainTimeout` at most. Clients come back
    /// at times that are spread over as many seconds as there are thousands of them, and two at
    /// least.
    ///
    /// In a cluster its open rooms go to others before that, as many as half of that time is enough
    /// for, and the part of it that had them ends after that: two and a half times as long in all.
    ///
    /// Returns when all of this is done, also if it was called before.
    public func stop() async {
        let last = phase.withLock { phase in
            let last = phase
            switch phase {
            case .idle, .starting: phase = .stopped
            case .running(let loops, _): phase = .stopping(loops, [])
            case .stopping, .stopped: break
            }
            return last
        }
        switch last {
        case .running(let loops, let store): await end(loops, store)
        case .stopping: await ended()
        case .idle, .starting, .stopped: break
        }
    }

    private func end(_ loops: [ServerLoop], _ store: any JournalStore) async {
        // First, so that nobody is sent here any more.
        configuration.metrics.stops()
        await part?.cluster.leave()
        // Nobody would answer who asks a loop that has ended.
        phase.withLock { phase in
            if case .stopping(_, let waiting) = phase { phase = .stopping([], waiting) }
        }
        await withTaskGroup { group in
            for loop in loops { group.addTask { await loop.stop() } }
        }
        await shutDown(loops, store)
        await part?.cluster.end()
        let last = phase.withLock { phase in
            defer { phase = .stopped }
            return phase
        }
        guard case .stopping(_, let waiting) = last else { return }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the server, which stops, has ended.
    private func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = phase.withLock { phase in
                guard case .stopping(let loops, let waiting) = phase else { return true }
                phase = .stopping(loops, waiting + [continuation])
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// A room for the server's own code; opened if need be, and then kept open.
    ///
    /// An edge, and a server of a cluster, has no rooms for its code (`noRoom`), as they are another's,
    /// or may be at the next moment: there it is a client as others are, of this server.
    ///
    /// Throws a ``ServerError``: `noRoom`, `notRunning`, `journalUnavailable` if the room may be
    /// opened later, or `journalUnreadable`.
    public func room<State: Codable & Sendable>(
        _ path: String, of type: State.Type
    ) async throws(ServerError) -> LiveRoom<State> {
        guard let home = home(of: path) else {
            throw ServerError(.notRunning, "The server doesn't run.")
        }
        try await home.open(path, of: type)
        return LiveRoom(path, on: home)
    }

    /// Reads again the files of its certificate, of its rules, and of tokens or keys that its
    /// authentication goes by; opens the file of its audit log anew, which may have been moved
    /// away.
    ///
    /// Connections that are open stay as they are encrypted, and those that come have the new
    /// certificate. Subscriptions that the rules don't allow any more end (`lapse` with
    /// `forbidden`), and so do connections of those who may do nothing in their room. Connections
    /// of identities of which a token isn't there any more, or stands for something else, end with
    /// close code 4004, and may come back with another. In a cluster both parts of the server do so.
    ///
    /// What can't be read stays as it is, and is logged: throws then, when the rest is done, the
    /// first ``ServerError``, or what the authentication or `onReload` throws.
    public func reload() async throws {
        // First, as what was moved away is complete then.
        let parts = [
            reopenAudit, reloadCertificate, reloadRules, reloadAuthentication,
            { [self] in try await onReload?(self) },
        ]
        var problem: (any Error)?
        for part in parts {
            do { try await part() } catch {
                configuration.logger.error("\(error)")
                problem = problem ?? error
            }
        }
        // It has logged itself what it couldn't do.
        do { try await part?.owner.reload() } catch { problem = problem ?? error }
        if let problem { throw problem }
    }

    private func reopenAudit() async throws { try await configuration.audit?.reopen() }

    private func reloadCertificate() async throws {
        guard let certificate = configuration.certificate else { return }
        try certificate.reload()
        configuration.logger.info("certificate reloaded")
        warnOfExpiry()
    }

    private func reloadRules() async throws {
        guard let rules = configuration.rules else { return }
        try rules.reload()
        for loop in runningLoops() { await loop.askRulesAgain() }
        configuration.logger.info("rules reloaded")
        warnOfStrangers()
    }

    private func reloadAuthentication() async throws {
        guard let reload = configuration.authentication.reload else { return }
        let isRevoked = try await reload()
        let count = await revoke(where: isRevoked)
        configuration.logger.log(.info, "authentication reloaded", [.ended: count])
    }

    /// Sets the bounds on what clients may send, have and cost, while it runs.
    ///
    /// They hold at once, also for who is connected. Those that are fixed (`NamedLimit.isFixed`)
    /// stay as they are until the next start; returns the names of those that would have changed.
    @discardableResult
    public func setLimits(_ limits: SyncLimits) async -> [String] {
        var limits = limits
        let fixed = limits.keep(fixedOf: configuration.limits)
        for loop in runningLoops() { await loop.set(limits) }
        _ = await part?.owner.setLimits(limits.ofOwner)
        return fixed
    }

    /// Sets the sites whose pages may connect, beside the server's own, while it runs; pages that
    /// are connected stay so.
    ///
    /// - Parameter origins: as `allowedOrigins` of the initializer.
    public func setAllowedOrigins(_ origins: [String]) async {
        for loop in runningLoops() { await loop.allow(AllowedOrigins(origins)) }
        await part?.owner.setAllowedOrigins(origins)
    }

    private func warnOfStrangers() {
        guard let rules = configuration.rules, let paths = configuration.paths else { return }
        for pattern in rules.table.strangers(to: paths) {
            configuration.logger.warning(
                "there are rules for rooms '\(pattern)', and no room has such a path")
        }
    }

    private func warnOfExpiry() {
        guard let days = configuration.certificate?.daysLeft, days < 0 else { return }
        configuration.logger.warning("the certificate has expired: clients will refuse it")
    }

    /// Ends the connections of an identity, whatever its roles, with close code 4004; returns how
    /// many there were.
    ///
    /// For when somebody is to be shut out, or has new roles, before the token expires: have
    /// authentication know it first. By itself this keeps nobody out: clients connect again, and
    /// are let in if authentication takes what they show then. A check that is under way counts as
    /// made before. In a cluster these are the connections to this server: have each do it.
    @discardableResult
    public func revoke(_ identity: Identity) async -> Int {
        await revoke { $0.id.isSameText(as: identity.id) }
    }

    /// Ends the connections of the identities of which `isRevoked` says so, as ``revoke(_:)`` does.
    ///
    /// - Parameter isRevoked: called on every loop, for each connection: keep it short. Those of
    ///   clients that are about to be welcomed may be asked about until their check has ended.
    @discardableResult
    public func revoke(where isRevoked: @escaping @Sendable (Identity) -> Bool) async -> Int {
        var count = 0
        for loop in runningLoops() { count += await loop.revoke(where: isRevoked) }
        return count
    }

    /// The loop on which a room lives, if the server runs.
    func home(of path: String) -> ServerLoop? {
        let loops = runningLoops()
        guard !loops.isEmpty else { return nil }
        return loops[ServerLoopCore.homeIndex(of: path, loops: loops.count)]
    }

    // MARK: A part of a larger server

    /// The part of it that has rooms, if it is a cluster's.
    package var owner: SyncServer? { part?.owner }

    /// How long it may take to end.
    package var drainTimeout: Duration { configuration.limits.drainTimeout }

    /// Clients are sent elsewhere as long as this says why, beside what the server itself knows.
    package func setUnreadiness(_ problem: @escaping @Sendable () -> String?) {
        configuration.metrics.setUnreadiness(problem)
    }

    // MARK: Rooms that go from server to server

    /// The server with the id is gone, which an edge found to be the owner of rooms: it looks for
    /// others at once.
    package func upstreamEnded(_ server: String) async {
        for loop in runningLoops() { await loop.upstreamEnded(server) }
    }

    /// Whether the room is open here.
    package func hasRoom(_ path: String) async -> Bool {
        await home(of: path)?.hasRoom(path) == true
    }

    /// The rooms that are open here.
    package func openRooms() async -> [String] {
        var found: [String] = []
        for loop in runningLoops() { found += await loop.openRooms }
        return found
    }

    /// Has a room write what makes opening it elsewhere quick.
    package func prepareToLeave(_ path: String) async { await home(of: path)?.prepareToLeave(path) }

    /// Leaves a room that is open here to another server: its clients are told to connect again.
    ///
    /// - Parameters:
    ///   - reason: for the log.
    ///   - asTold: whether it was given to that one, so that nothing is wrong.
    package func leave(_ path: String, _ reason: String, asTold: Bool) async {
        await home(of: path)?.leave(path, reason, asTold: asTold)
    }

    private func checkAddress() throws(ServerError) {
        do { try WebSocketServer.checkAddress(of: listener) } catch {
            throw ServerError(.cannotListen, "\(error)")
        }
    }

    private func openJournal() async throws(ServerError) -> any JournalStore {
        do throws(JournalError) {
            let store = try await configuration.journal.open()
            for report in store.reports { configuration.logger.error("\(report)") }
            return store
        } catch {
            switch error {
            case .damaged(let problem): throw ServerError(.journalUnreadable, problem)
            case .unavailable(let problem): throw ServerError(.journalUnavailable, problem)
            default: throw ServerError(.journalUnavailable, "The journal can't be opened: \(error)")
            }
        }
    }

    private func makeLoops() throws(ServerError) -> [ServerLoop] {
        do {
            return try (0..<loopCount).map { index in
                ServerLoop(try EventLoop(name: "storecast-\(index)"))
            }
        } catch {
            throw ServerError(.noResources, "The system gives no event loop: \(error)")
        }
    }

    private func listen(
        _ loops: [ServerLoop], _ store: any JournalStore,
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?,
        _ reload: (@Sendable () async throws -> Void)?
    ) async throws(ServerError) -> Int {
        var (listener, configuration) = (listener, configuration)
        configuration.recovery = onRecovery
        configuration.reload = { [weak self] in try await self?.reload() }
        if let reload { configuration.reload = reload }
        for (index, loop) in loops.enumerated() {
            await loop.begin(configuration, store, index: index, peers: loops)
        }
        for loop in loops {
            listener.port = try await loop.listen(listener)
            listener.claimsPort = false
        }
        return listener.port
    }

    private func listenForOperations() async throws(ServerError) {
        guard let operations else { return }
        let loop = try OperationsLoop(configuration.metrics) { operations.metrics.text() }
        do throws(ServerError) {
            let url = try await loop.listen(operations.address)
            operationsLoop.withLock { $0 = (loop, url) }
        } catch {
            await loop.stop()
            throw error
        }
    }

    /// The URL of its ``OperationsAddress``, `http://host:port/`, while it runs; nil without one.
    public var operationsURL: String? { operationsLoop.withLock { $0?.url } }

    private func runningLoops() -> [ServerLoop] {
        phase.withLock { phase in
            switch phase {
            case .running(let loops, _), .stopping(let loops, _): loops
            case .idle, .starting, .stopped: []
            }
        }
    }

    private func shutDown(_ loops: [ServerLoop], _ store: any JournalStore) async {
        for loop in loops { await loop.release() }
        for loop in loops { await loop.loop.shutDown() }
        await store.close()
        await operationsLoop.withLock { $0.take() }?.loop.stop()
        await configuration.audit?.flush()
    }
}

extension SyncServer {
    /// Serves as all that a program does.
    ///
    /// ```swift
    /// await SyncServer(port: 9090, room: room).main()
    /// ```
    /// Returns when ``run(onListening:)`` does. If the server can't start, as when its port is
    /// taken, says why on standard error and ends the program with the status 1.
    ///
    /// - Parameter onListening: called with the server's URL when clients can connect; prints it if
    ///   nothing else is given.
    public func main(
        onListening: @Sendable (_ url: String) -> Void = { url in print("listening on \(url)") }
    ) async {
        do throws(ServerError) {
            try await run(onListening: onListening)
        } catch {
            let text = "Error: \(error)\n"
            _ = text.withCString { write(STDERR_FILENO, $0, text.utf8.count) }
            exit(1)
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
