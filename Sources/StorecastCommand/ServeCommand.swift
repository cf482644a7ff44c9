import ArgumentParser
import Example
import Foundation
import Logging
import StorecastCluster
import StorecastDevtools
import StorecastPages
import StorecastServer
import StorecastSQLite
import StorecastTools

/// `storecast serve`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the example board, or a JSON document.",
        discussion: """
            Prints `listening on ws://HOST:PORT/` on standard output when clients can connect, and \
            where to find the board in a browser; logs to standard error. Ends on SIGINT (ctrl+C) \
            and SIGTERM, after saying goodbye to its clients.

            What happens is kept in one SQLite file, board.sqlite in the current directory, or \
            votes.sqlite beside votes.json; --data names another. Started again with the same \
            file, it goes on where it was, however it ended. One server at a time uses a file. With \
            --nats it is kept at NATS JetStream instead, where other servers go on with it.

            Beside the board at / there is one at each path /b/NAME, which begins when somebody \
            opens it. A board has the selections summary, columns, column (its parameter is a \
            column's id), card (a card's id), myCards, search, history, chat and present.

            With --devtools developers look into it at /devtools/: the URL that is printed for \
            them has a token, without which nobody gets in.

            With --json it serves the document in a file instead, which any client may change \
            (the file itself isn't written, and the room begins with it once): the actions set, \
            merge, increment, append and remove, each at a JSON Pointer "path", and the selection \
            value with the parameter \
            {"path": POINTER}. An edit that would make the document longer than --document-bytes \
            is rejected; the number may be another one at every start.

            With --rooms there are several of them, one at each path that matches a pattern, such as \
            '/boards/*'. With --rules each person may read and change only what a file allows, by \
            roles and paths. With --pages the server has pages of your own in place of those that it \
            comes with; they import the JavaScript client from /storecast/index.js.

            Without --tokens and --jwt-keys it is for trying things out: it takes a client's token \
            for the client's name and believes it, and so listens on this machine's address only, \
            unless with --demo. The file of tokens says whose each token is, as JSON: [{"token": "…", "id": "ada", \
            "roles": ["editor"], "expires": 1798761600}], with at least 16 bytes that nobody \
            guesses, or "sha256" with the token's SHA-256 in hexadecimal. On SIGHUP it is read \
            again, and connections end whose tokens are gone.

            Started by systemd, it tells that when it is ready (Type=notify), and listens on the socket \
            that it is given, if there is one.

            Each option may also be set in the environment (--allow-origin as \
            STORECAST_ALLOW_ORIGIN, several with commas between; --limit connections=500 as \
            STORECAST_LIMIT_CONNECTIONS=500) or in a JSON file (--config): \
            {"port": 9090, "allow-origin": ["https://app.example"], "limits": {"connections": 500}}. \
            What is given as an option goes before the environment, and that before the file; so of \
            two that exclude one another the one that is set first in this order holds. Two that are \
            set in the same place are refused, and so are two that say where rooms are, unless one of \
            them is an option.
            """)

    @Option(
        help: ArgumentHelp(
            "Take what isn't given otherwise from this JSON file, by default from that which "
                + "STORECAST_CONFIG names.", valueName: "file"), completion: .file())
    var config: String?

    @Flag(help: "Print every setting, its value and where that is from, and end.")
    var printConfiguration = false

    @Option(help: "The address to listen on; 0.0.0.0 for all of the machine's.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 9090

    @Option(
        help: ArgumentHelp(
            "Also let clients ask for the server by this name, as behind a proxy that passes it "
                + "on; one on this machine's address takes this machine's names only.",
            valueName: "name"))
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "Also let pages of this site connect, such as https://app.example; * for all. Pages of "
                + "the server's own host, and programs, always may.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Believe the proxy at this address, or those in a network such as 10.0.0.0/8, about who "
                + "its clients are: Forwarded, or X-Forwarded-For, -Proto and -Host.",
            valueName: "address"))
    var trustedProxy: [String] = []

    @Option(
        help: ArgumentHelp(
            "Encrypt every connection with the certificate in this file, in PEM, with those between "
                + "it and the root; SIGHUP reads it and the key again.", valueName: "file"),
        completion: .file())
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp(
            "The certificate's private key, in PEM, not encrypted.", valueName: "file"),
        completion: .file())
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Also answer /healthz, /readyz and /metrics (OpenMetrics) here, such as "
                + "127.0.0.1:9464, for nobody but those who run the server.",
            valueName: "host:port"))
    var operations: String?

    @OptionGroup var data: DataOptions

    @OptionGroup var nats: NATSOptions

    @OptionGroup var edge: EdgeOptions

    @OptionGroup var devtools: DevtoolsOptions

    @Option(
        help: ArgumentHelp("Serve the JSON document in this file.", valueName: "file"),
        completion: .file())
    var json: String?

    @Option(
        help: ArgumentHelp(
            "How many bytes the JSON document may have, as compact text, up to "
                + "\(JSONRoom.mostBytes) (60 MiB); 1048576 is 1 MiB.", valueName: "number"))
    var documentBytes = JSONRoom.longestDocument

    @Option(
        help: ArgumentHelp(
            "Serve a JSON document at each path that matches this, such as '/boards/*'; each begins "
                + "with that of --json, or with {}. A * stands for one segment: 1 to 64 letters, "
                + "digits, -, _, . and ~.", valueName: "pattern"))
    var rooms: [String] = []

    @Option(
        help: ArgumentHelp(
            "Let people read and change only what the rules in this file allow (Docs/Rules.md); "
                + "SIGHUP reads it again.", valueName: "file"), completion: .file())
    var rules: String?

    @OptionGroup var page: PageOptions

    @Option(
        help: ArgumentHelp(
            "Let only those in who have a token of this file, and believe nobody's name.",
            valueName: "file"), completion: .file())
    var tokens: String?

    @OptionGroup var jwt: JWTOptions

    @Flag(
        help: ArgumentHelp(
            "Believe everybody's name also on another address than this machine's own."))
    var demo = false

    @Option(
        help: ArgumentHelp(
            "How long the server may take to end, such as 30s or 1min, at least 1ms; by default "
                + "20s: it says goodbye to its clients in waves, and writes snapshots. In a cluster "
                + "it gives its rooms to others before, and may take two and a half times as long in "
                + "all. The same as --limit drain-timeout.", valueName: "time"))
    var drainTimeout: String?

    @Option(
        help: ArgumentHelp(
            "How many actions, and messages, a connection may send a second, and ten times as many "
                + "at once; twice as many an identity, ten times as many an address. 0 for no bound "
                + "on these and on bytes.", valueName: "number"))
    var rate = 200

    @Option(
        help: ArgumentHelp(
            "Set a bound on what clients may send, have and cost, such as connections=500 or "
                + "\"message-bytes=256 KiB\"; Docs/Limits.md has all. It comes after --rate.",
            valueName: "name=value"))
    var limit: [String] = []

    @Option(help: ArgumentHelp("The least severe messages to log.", valueName: "level"))
    var logLevel = LogLevel(.info)

    enum LogFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Option(help: "Log lines of text, or an object of JSON in each line.")
    var logFormat = LogFormat.text

    @Option(
        help: ArgumentHelp(
            "Write down in this file who did what, and who was refused, an object of JSON in each "
                + "line; SIGHUP opens it anew.", valueName: "file"), completion: .file())
    var auditLog: String?

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("A port is a number from 0 to 65535; \(port) isn't.")
        }
        if let problem = SyncServer.problem(origins: allowOrigin, proxies: trustedProxy) {
            throw ValidationError(problem)
        }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError(
                "Encryption needs both files: --tls-certificate FILE --tls-key FILE.")
        }
        if let operations, Self.address(operations) == nil {
            throw ValidationError(
                "'\(operations)' is no address for --operations: write 127.0.0.1:9464.")
        }
        guard tokens == nil || jwt.jwtKeys == nil else {
            throw ValidationError(
                "Clients show either tokens or JSON Web Tokens: leave out --tokens or --jwt-keys.")
        }
        let ofNATS = nats.nats != nil ? "--nats" : nats.cluster != nil ? "--cluster" : nil
        if let ofNATS, let other = data.memory ? "--memory" : data.ofFile {
            throw ValidationError("With \(ofNATS) there is no \(other): leave one of them out.")
        }
        guard edge.upstreamCa == nil || edge.upstream != nil || nats.cluster != nil else {
            throw ValidationError(
                "--upstream-ca is about --upstream or --cluster, and neither is there.")
        }
        if nats.cluster != nil {
            guard edge.edgeKey != nil else {
                throw ValidationError(
                    "The servers of a cluster show one another a key: add --edge-key FILE.")
            }
            if nats.clusterAddress == nil, !nats.isOnThisMachine {
                throw ValidationError(
                    "Where do the others reach this server? Add --cluster-address HOST:PORT. It may "
                        + "be left out if all is on this machine: every NATS server, of which there "
                        + "are as many as --nats-replicas says.")
            }
            if nats.isOutOfReach {
                throw ValidationError(
                    "A --cluster-address such as 127.0.0.1 leads every server to itself, and NATS "
                        + "isn't on this machine: --cluster-address 10.0.0.11:9091.")
            }
            let address = nats.clusterAddress.flatMap { NodeAddress($0) }
            if address?.isSecure == true, tlsCertificate == nil {
                throw ValidationError(
                    "A wss:// --cluster-address needs a certificate: add --tls-certificate FILE.")
            }
        }
        if edge.upstream != nil {
            let other =
                ofNATS ?? (data.memory ? "--memory" : data.ofFile)
                ?? (json != nil ? "--json" : rules != nil ? "--rules" : nil)
            if let other {
                throw ValidationError(
                    "An edge keeps nothing and has no rules: leave out \(other), or --upstream.")
            }
        }
        if let problem = page.problem { throw ValidationError(problem) }
        do throws(ServerError) { _ = try paths } catch {
            throw ValidationError(error.description)
        }
        if devtools.areOn, let room = rooms.first(where: { $0 == "/devtools" }) {
            throw ValidationError("\(room) is where the devtools are: give the room another path.")
        }
        guard rules == nil || isDocument else {
            throw ValidationError(
                "Rules are about JSON documents: add --json FILE, or --rooms PATTERN.")
        }
        guard isClosed || demo || HostName(address: host).isLocal || printConfiguration else {
            throw ValidationError(
                "Without --tokens or --jwt-keys everybody's name is believed, so this listens on "
                    + "this machine's address only: leave out --host, or add --demo.")
        }
        guard rate >= 0 else { throw ValidationError("A rate is 0 or more; \(rate) isn't.") }
        do throws(LimitError) {
            _ = try limits
        } catch {
            throw ValidationError(error.description)
        }
        let most = JSONRoom.mostBytes
        guard (1...most).contains(documentBytes) else {
            throw ValidationError(
                "A document has 1 to \(most) bytes, which clients take; \(documentBytes) isn't.")
        }
    }

    /// Whether it serves JSON documents rather than the board.
    private var isDocument: Bool { json != nil || !rooms.isEmpty }

    /// The paths that have rooms.
    private var paths: RoomPatterns {
        get throws(ServerError) {
            try RoomPatterns(!rooms.isEmpty ? rooms : isDocument ? ["/"] : ["/", "/b/*"])
        }
    }

    /// The file in which it keeps what happens; nil for memory, NATS, or an edge.
    var file: String? {
        if nats.addresses != nil || edge.upstream != nil { return nil }
        return data.file(document: json ?? (rooms.isEmpty ? nil : "rooms.json"))
    }

    /// Whether clients have to prove who they are.
    private var isClosed: Bool { tokens != nil || jwt.jwtKeys != nil }

    func run() async throws {
        if printConfiguration { return try await printSettings() }
        let (level, format) = (SharedLogLevel(logLevel.level), logFormat)
        LoggingSystem.bootstrap { label in
            let handler: any LogHandler =
                switch format {
                case .text: StreamLogHandler.standardError(label: label)
                case .json: JSONLogHandler(label: label)
                }
            return LeveledLogHandler(handler, level)
        }
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        let settings = try await Settings(
            arguments, of: Self.self, environment: ProcessInfo.processInfo.environment)
        for sentence in settings.overruled { say(sentence) }
        let reload = try await ServeReload(arguments)
        let onReload = reload.map { reload in
            { @Sendable (server: SyncServer) in try await reload(server, level) }
        }
        if let file {
            let names = (try? ServedRoom.names(in: file)) ?? []
            let paths = try paths
            let lost = names.filter { !paths.contains($0) }
            if !lost.isEmpty {
                say(
                    "\(file) also has rooms that no --rooms matches, so nobody can reach them: "
                        + KnownNames(lost).text + ".")
            }
        }
        guard isDocument else { return try await serve(Board.room, onReload) }
        guard let json else { return try await serve(try document([:]), onReload) }
        let start = try read(json)
        if rooms.isEmpty, let file, ServedRoom.began(otherThan: start, in: file) {
            say(
                "\(json) isn't what the history in \(file) began with; the history goes on. To "
                    + "begin anew with the document, name another file with --data.")
        }
        try await serve(try document(start), onReload)
    }

    private func document(_ start: JSON) throws -> RoomDefinition<SharedDocument> {
        try StormSchema(ProcessInfo.processInfo.environment)
            .definition(initial: start, bytes: documentBytes)
    }

    /// Tells the person who started it, or the log if programs read that.
    private func say(_ text: String) {
        switch logFormat {
        case .text: StandardError.write(text)
        case .json: Logger(label: "storecast.serve").notice("\(text)")
        }
    }

    private func read(_ path: String) throws -> JSON {
        let bar = ProgressBar("reading \(path)")
        defer { bar.end() }
        return try JSONFile.read(path, longest: documentBytes) { bar.show($0) }
    }

    private func serve<State>(
        _ room: RoomDefinition<State>,
        _ onReload: (@Sendable (SyncServer) async throws -> Void)?
    ) async throws {
        // Without rules everybody may do everything.
        let room = room.allowAll(isClosed ? .signedIn : .open)
        let access = try devtools.access(environment: ProcessInfo.processInfo.environment)
        let (server, node): (SyncServer, ClusterNode?)
        do throws(ServerError) {
            node = try clusterNode
            server = try self.server(
                of: room, access?.access, try await jwt.authentication, onReload, in: node)
        } catch {
            throw CommandFailure(.trouble, error.description)
        }
        let known = (rooms.isEmpty ? ["/"] : rooms).filter { !$0.contains("*") }
        do throws(ServerError) {
            try await server.run(onRecovery: node == nil ? recovery : nil) { url in
                say(place(node))
                StandardOutput.write("listening on \(url)")
                let page = "http" + url.dropFirst(2)
                StandardOutput.write("in a browser: \(page)")
                if let url = server.operationsURL {
                    StandardOutput.write("its health and metrics: \(url)metrics")
                }
                if let access, let address = node?.address {
                    StandardOutput.write(
                        "devtools of the rooms that it has: "
                            + "http\(address.dropFirst(2))/devtools/\(access.fragment)")
                } else if let access {
                    StandardOutput.write("its devtools: \(page)devtools/\(access.fragment)")
                }
                // Now rather than when the first client comes, as it may take a while; but what
                // another server may have isn't taken from it.
                for path in nats.addresses == nil && edge.upstream == nil ? known : [] {
                    Task { _ = try? await server.room(path, of: State.self) }
                }
                ServiceManager.tell("READY=1")
            }
        } catch {
            throw CommandFailure(.trouble, error.description)
        }
    }

    /// Where what happens is kept, in a sentence.
    private func place(_ node: ClusterNode?) -> String {
        let name = nats.access.natsName
        if let node {
            return "in the cluster '\(name)' as \(node.id), at \(node.address ?? "")"
        }
        if let upstream = edge.upstream { return "an edge of \(upstream)" }
        let place = file ?? nats.nats.map { "the streams '\(name)' at \($0)" }
        return "keeping what happens in \(place ?? "memory")"
    }

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

    private var documentRules: DocumentRules? {
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

    private func printSettings() async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings = try await Settings(
            Array(CommandLine.arguments.dropFirst(2)), of: Self.self, environment: environment)
        for line in settings.table(try limits, environment: environment) {
            StandardOutput.write(line)
        }
        for sentence in settings.overruled { say(sentence) }
    }

    /// `host:port`, an IPv6 address in brackets; or a port alone, of this machine's own address.
    private static func address(_ text: String) -> OperationsAddress? {
        let separator = text.lastIndex(of: ":")
        let digits = separator.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(digits), (0...65_535).contains(port) else { return nil }
        guard let separator else { return OperationsAddress(port: port) }
        var host = text[..<separator]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : OperationsAddress(host: String(host), port: port)
    }

    private var authentication: Authentication {
        get throws(ServerError) {
            if let tokens { return .tokens(try TokenTable(file: tokens)) }
            return .custom { try DemoAuthentication.identity($0) }
        }
    }

    /// Where its health and metrics are asked for.
    var operationsAddress: OperationsAddress? { operations.flatMap { Self.address($0) } }

    /// What is wrong with what it would read at the start, each with its subject; it writes
    /// nothing.
    func problems(
        _ environment: [String: String]
    ) async -> [(subject: String, sentence: String)] {
        var problems: [(subject: String, sentence: String)] = []
        func attempt(_ subject: String, _ body: () async throws -> Void) async {
            do { try await body() } catch { problems.append((subject, "\(error)")) }
        }
        await attempt("certificate") { _ = try certificate }
        await attempt("tokens") { _ = try authentication }
        await attempt("JWT keys") { _ = try await jwt.authentication }
        await attempt("rules") { _ = try documentRules }
        await attempt("document") { if let json { _ = try read(json) } }
        await attempt("devtools") { _ = try devtools.access(environment: environment) }
        await attempt("pages") { _ = try page.pages(insteadOf: defaultPage, false) }
        await attempt("journal") { if let file { _ = try ServedRoom.names(in: file) } }
        await attempt("NATS") { _ = try nats.servers }
        await attempt("edge") { _ = (try edge.key, try edge.server) }
        await attempt("audit log") { if let auditLog { try AuditLog.check(file: auditLog) } }
        return problems
    }

    /// The page that there is without ``PageOptions/pages``.
    private var defaultPage: WebPages { isDocument ? .document : .board }

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

    /// Shows a terminal how far the room has come with its history; elsewhere it is logged.
    private var recovery: (@Sendable (RoomProgress) -> Void)? {
        guard StandardError.isTerminal else { return nil }
        let bar = ProgressBar("reading the history")
        return { progress in
            if progress.done < progress.total {
                bar.show(Double(progress.done) / Double(progress.total))
            } else {
                bar.end()
            }
        }
    }
}

/// The least severe level that is logged, as an option.
struct LogLevel: ExpressibleByArgument {
    let level: Logger.Level

    init(_ level: Logger.Level) {
        self.level = level
    }

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }

    var defaultValueDescription: String { level.rawValue }

    static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }
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
