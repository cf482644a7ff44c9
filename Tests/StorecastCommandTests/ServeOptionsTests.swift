import ArgumentParser
import Example
import Foundation
import GRDB
import JWTKit
import StorecastCluster
import StorecastNATS
import StorecastPages
import StorecastTools
import StorecastWebSocket
import TestSupport
import Testing

@testable import StorecastCommand
@testable import StorecastDevtools
@testable import StorecastRoom
@testable import StorecastSQLite
@testable import StorecastServer

/// What the options of `storecast serve`, and its environment, make of the server.
struct ServeOptionsTests {
    private static let secret = "sixteen or more characters"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func server(_ arguments: [String]) throws -> SyncServer {
        try ServeCommand.parse(arguments).server(of: Board.room, nil)
    }

    // MARK: Everything

    /// An option, and what becomes different with it.
    private typealias Row = (arguments: [String], changes: [String: String])

    /// What `arguments` make, by what it is about.
    private func made(by arguments: [String]) async throws -> [String: String] {
        let command = try ServeCommand.parse(arguments)
        let access = try command.devtools.access(environment: [:])
        let server = try command.server(of: Board.room, access?.access)
        let configuration = server.configuration
        var made = [
            "host": server.listener.host, "port": "\(server.listener.port)",
            "takes board.example": "\(configuration.hosts.admits("board.example"))",
            "file": command.file ?? "none",
            "snapshots": "\(configuration.limits.snapshots.kept ?? 0)",
            "devtools": access.map { $0.fragment.isEmpty ? "asked" : "printed" } ?? "none",
            "extensions": "\(configuration.extensions.map(\.path))",
            "asks for": configuration.authentication.reload == nil ? "a name" : "a token",
            "document's bytes": "\(command.documentBytes)",
            "log level": "\(command.logLevel.level)",
            "log format": "\(command.logFormat)",
            "audit": "\(configuration.audit != nil)",
            "rate": "\(configuration.limits.connectionRate.actions)",
            "identity's rate": "\(configuration.limits.identityRate.messages)",
            "address's bytes": "\(configuration.limits.addressRate.bytes)",
            "takes a.example's pages": "\(configuration.origins.admits("https://a.example"))",
            "believes 10.1.1.1": "\(server.listener.trustedProxies.contains("10.1.1.1"))",
            "encrypted": "\(server.listener.certificate != nil)",
            "edges": "\(configuration.edgeKey?.matches(Self.secret) == true)",
            "operations": server.operations.map { "\($0.address.host):\($0.address.port)" }
                ?? "none",
            "end": "\(configuration.limits.drainTimeout)",
        ]
        let page = configuration.pages["/index.html"]
        made["page"] =
            [("board", WebPages.board), ("document", WebPages.document)]
            .first { page == $0.1["/index.html"] }?.0 ?? "own"
        switch configuration.pages.policy {
        case WebPages.board.policy: made["policy"] = "usual"
        case WebPages().policy: made["policy"] = "own"
        default: made["policy"] = "other"
        }
        let rooms = ["/", "/boards/a"].filter { configuration.rooms($0) != nil }
        made["rooms"] = rooms.joined(separator: " ")
        made["rules"] = "\(configuration.rules?.count ?? 0)"
        let store = try await configuration.journal.open()
        if let store = store as? SQLiteStore {
            let policy = store.review.policy
            made["crashes"] = "\(policy.skips ? "skip" : "stop") after \(policy.crashes)"
            made["waits"] = await withCheckedContinuation { continuation in
                store.writer.write {
                    try Int.fetchOne($0, sql: "PRAGMA synchronous")
                } completion: { found in
                    let isFull = (try? found.get()) == 2
                    continuation.resume(returning: isFull ? "for the disk" : "for the system")
                }
            }
        }
        await store.close()
        return made
    }

    @Test func `each option changes what it says, and nothing else`() async throws {
        let file = directory.file("a.db")
        let token = directory.file("token")
        let certificates = try TestCertificates()
        try Data(Self.secret.utf8).write(to: URL(filePath: token))
        let tokens = directory.file("tokens.json")
        try Data("[]".utf8).write(to: URL(filePath: tokens))
        let rules = directory.file("rules.json")
        try Data(#"{"rules": [{"roles": ["a"], "read": [""]}]}"#.utf8)
            .write(to: URL(filePath: rules))
        let site = directory.file("site")
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(filePath: site + "/index.html"))
        let rows: [Row] = [
            (["--rooms", "/boards/*"], ["rooms": "/boards/a", "page": "document"]),
            (
                ["--rooms", "/", "--rooms", "/boards/*", "--rules", rules],
                ["rooms": "/ /boards/a", "page": "document", "rules": "1"]
            ),
            (["--pages", site], ["page": "own", "policy": "own"]),
            (
                ["--pages", site, "--pages-policy", "default-src *"],
                ["page": "own", "policy": "other"]
            ),
            (["--host", "127.0.0.2"], ["host": "127.0.0.2"]), (["--port", "7"], ["port": "7"]),
            (["--allow-host", "board.example"], ["takes board.example": "true"]),
            (["--data", directory.file("b.db")], ["file": directory.file("b.db")]),
            (["--durability", "machine"], [:]),
            (["--durability", "process"], ["waits": "for the system"]),
            (["--after-crashes", "skip"], [:]),
            (["--after-crashes", "stop"], ["crashes": "stop after 3"]),
            (["--keep-snapshots", "7"], ["snapshots": "7"]),
            (["--devtools"], ["devtools": "printed", "extensions": #"["/devtools"]"#]),
            (["--no-devtools"], [:]),
            (
                ["--devtools-token", token],
                ["devtools": "asked", "extensions": #"["/devtools"]"#]
            ),
            (["--json", "votes.json"], ["page": "document"]),
            (["--document-bytes", "70"], ["document's bytes": "70"]),
            (["--tokens", tokens], ["asks for": "a token"]),
            (["--operations", "127.0.0.1:7"], ["operations": "127.0.0.1:7"]),
            (["--jwt-keys", "keys.json"], [:]),
            (["--jwt-keys", "keys.json", "--jwt-issuer", "a", "--jwt-audience", "b"], [:]),
            (["--jwt-roles", "scope"], [:]), (["--demo"], [:]),
            (["--config", "a.json"], [:]), (["--print-configuration"], [:]),
            (["--drain-timeout", "3s"], ["end": "3.0 seconds"]),
            (["--log-level", "debug"], ["log level": "debug"]),
            (["--log-format", "json"], ["log format": "json"]),
            (["--audit-log", directory.file("audit.jsonl")], ["audit": "true"]),
            (["--rate", "7"], ["rate": "7.0", "identity's rate": "14.0"]),
            (
                ["--limit", "identity-rate-messages=9", "--rate", "7"],
                ["rate": "7.0", "identity's rate": "9.0"]
            ),
            (
                ["--rate", "0"],
                ["rate": "inf", "identity's rate": "inf", "address's bytes": "inf"]
            ),
            (["--edge-key", token], ["edges": "true"]),
            (["--allow-origin", "https://a.example"], ["takes a.example's pages": "true"]),
            (["--trusted-proxy", "10.0.0.0/8"], ["believes 10.1.1.1": "true"]),
            (
                [
                    "--tls-certificate", certificates.certificate, "--tls-key", certificates.key,
                ], ["encrypted": "true"]
            ),
        ]
        let plain = try await made(by: ["--data", file])
        #expect(plain["crashes"] == "skip after 3" && plain["waits"] == "for the disk")
        for (arguments, changes) in rows {
            let made = try await made(by: ["--data", file] + arguments)
            #expect(made == plain.merging(changes) { $1 }, "\(arguments)")
        }
        var memory = plain.merging(["file": "none"]) { $1 }
        (memory["crashes"], memory["waits"]) = (nil, nil)
        #expect(try await made(by: ["--memory"]) == memory)
        // No option is missing above.
        let known = Set(
            rows.flatMap { $0.arguments.filter { $0.hasPrefix("--") } }
                + ["--memory", "--help", "--version", "--upstream", "--upstream-ca"]
                + Self.natsOptions)
        let named = ServeCommand.helpMessage(columns: 200).matches(of: /--[a-z]+(-[a-z]+)*/)
        #expect(Set(named.map { String($0.output.0) }).subtracting(known) == [])
    }

    private static let natsOptions = [
        "--nats", "--nats-replicas", "--nats-name", "--nats-credentials", "--nats-token",
        "--nats-user", "--nats-ca", "--cluster", "--cluster-address",
    ]

    @Test func `what happens may be kept at NATS, where the options say and by whom`() throws {
        func nats(_ arguments: String...) throws -> (NATSConfiguration, JetStreamLayout) {
            let command = try ServeCommand.parse(["--nats", "nats://a,tls://[::1]:7"] + arguments)
            #expect(command.file == nil)
            let servers = try #require(try command.nats.servers)
            return (servers.configuration, servers.layout)
        }
        let (plain, layout) = try nats()
        #expect(plain.servers.map(\.description) == ["a:4222", "[::1]:7"])
        #expect(plain.tls && plain.certificateAuthorityFile == nil)
        guard case .none = plain.credentials else { throw TooLate(description: "\(plain)") }
        #expect((layout.name, layout.replicas, layout.streams) == ("storecast", 3, 32))
        let (trusting, other) = try nats(
            "--nats-ca", "root.pem", "--nats-replicas", "1", "--nats-name", "board2")
        #expect(trusting.certificateAuthorityFile == "root.pem")
        #expect((other.name, other.replicas) == ("board2", 1))
        let secret = directory.file("secret")
        try Data(" s3cret\n".utf8).write(to: URL(filePath: secret))
        guard case .token("s3cret") = try nats("--nats-token", secret).0.credentials,
            case .user("ada", "s3cret") = try nats("--nats-token", secret, "--nats-user", "ada").0
                .credentials
        else { throw TooLate(description: "They are others.") }
        // The key of docs.nats.io, "NKeys".
        let seed = directory.file("seed")
        try Data("SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\n".utf8)
            .write(to: URL(filePath: seed))
        guard case .key(let key) = try nats("--nats-credentials", seed).0.credentials else {
            throw TooLate(description: "It is no key.")
        }
        #expect(key.publicKey == "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
        for file in [secret, directory.file("none")] {
            let error = #expect(throws: CommandFailure.self) {
                try nats("--nats-credentials", file)
            }
            #expect(error?.description.contains("s3cret") == false)
        }
    }

    @Test func `an edge has the paths that its owner has, keeps nothing, and shows a key`() throws {
        let key = directory.file("key")
        try Data(Self.secret.utf8).write(to: URL(filePath: key))
        let edge = ["--upstream", "wss://core.example/a", "--edge-key", key]
        let command = try ServeCommand.parse(edge + ["--upstream-ca", "root.pem"])
        #expect(command.file == nil)
        let configuration = try command.server(of: Board.room, nil).configuration
        let upstream = try #require(configuration.upstream?.place(of: "/b")).configuration
        #expect((upstream.host, upstream.path, upstream.tls) == ("core.example", "/a/b", true))
        #expect(upstream.certificateAuthorityFile == "root.pem")
        #expect(configuration.upstream?.key.matches(Self.secret) == true)
        #expect(configuration.edgeKey == nil && configuration.paths == nil)
        let some = try server(edge + ["--rooms", "/b/*"]).configuration
        #expect(some.paths?.contains("/b/c") == true && some.paths?.contains("/c") == false)
        for wrong in [
            ["--upstream", "wss://core.example"], ["--upstream-ca", "root.pem"],
            edge + ["--memory"], edge + ["--nats", "nats://a"], edge + ["--json", "a.json"],
            edge + ["--data", "a.db"], edge + ["--rooms", "/b/*", "--rules", "rules.json"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try ServeCommand.parse(wrong) }
        }
        let error = #expect(throws: ServerError.self) {
            try server(["--upstream", "core.example", "--edge-key", key])
        }
        #expect(error?.code == .upstreamUnusable)
    }

    @Test func `in a cluster there is a server for clients, and one with rooms for the others`()
        async throws
    {
        let key = directory.file("key")
        try Data(Self.secret.utf8).write(to: URL(filePath: key))
        let certificates = try TestCertificates()
        let cluster = ["--cluster", "nats://localhost", "--edge-key", key]
        let command = try ServeCommand.parse(
            cluster + [
                "--port", "7", "--cluster-address", "wss://core.example:8", "--rooms", "/b/*",
                "--tls-certificate", certificates.certificate, "--tls-key", certificates.key,
                "--upstream-ca", "root.pem", "--operations", "127.0.0.1:9",
                "--limit", "window=70",
            ])
        #expect(command.file == nil)
        let access = DevtoolsAccess.token("a token of the devtools' own")
        let node = try #require(try command.clusterNode)
        let front = try command.server(of: Board.room, access, in: node)
        let owner = try #require(front.owner)
        #expect((front.listener.host, front.listener.port) == ("127.0.0.1", 7))
        #expect((owner.listener.host, owner.listener.port) == ("0.0.0.0", 8))
        #expect(owner.listener.certificate != nil)
        #expect(front.configuration.upstream?.key.matches(Self.secret) == true)
        #expect(front.configuration.edgeKey == nil)
        #expect(owner.configuration.edgeKey?.matches(Self.secret) == true)
        #expect(owner.configuration.upstream == nil)
        #expect(owner.operations == nil && front.operations?.address.port == 9)
        for server in [front, owner] {
            #expect(server.configuration.limits.window == 70)
            #expect(server.configuration.paths?.contains("/b/c") == true)
            #expect(server.configuration.paths?.contains("/c") == false)
        }
        // Nobody but servers comes to it, and each of them speaks for many.
        guard case .known(let identify) = owner.configuration.authentication.way else {
            throw TooLate(description: "Nobody is asked.")
        }
        #expect(throws: Rejection.self) {
            try identify(Credentials(token: "ada", path: "/b/c", headers: [:]))
        }
        // Developers look at the rooms that it has.
        #expect(owner.configuration.extensions.map(\.path) == ["/devtools"])
        #expect(front.configuration.extensions.isEmpty)
        let devtools = WebPages.devtools["/devtools/index.html"]
        #expect(owner.configuration.pages["/index.html"] == devtools)
        #expect(front.configuration.pages["/index.html"] != devtools)
        let limits = owner.configuration.limits
        #expect(limits.connectionsPerAddress == limits.connections)
        #expect(limits.addressRate.actions == .infinity)
        for wrong in [
            ["--cluster", "nats://a"], ["--cluster-address", "a:1", "--edge-key", key],
            cluster + ["--nats", "nats://a"], cluster + ["--memory"],
            cluster + ["--data", "a.db"], cluster + ["--upstream", "ws://a"],
            cluster + ["--cluster-address", "a b"], cluster + ["--cluster-address", "wss://a:1"],
            ["--cluster", "http://a", "--edge-key", key],
            ["--cluster", "nats://localhost,nats://a", "--edge-key", key],
            cluster + ["--cluster-address", "0.0.0.0:1"],
            ["--cluster", "nats://a", "--edge-key", key, "--cluster-address", "127.0.0.1:1"],
            ["--cluster", "nats://a", "--edge-key", key, "--cluster-address", "localhost:1"],
            // A NATS server on this machine may have others elsewhere.
            cluster, ["--cluster", "nats://localhost,nats://localhost", "--edge-key", key],
            ["--cluster", "nats://a", "--edge-key", key, "--nats-replicas", "1"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try ServeCommand.parse(wrong) }
        }
        // All is on this machine: nobody else has to know where.
        for right in [
            cluster + ["--nats-replicas", "1"], cluster + ["--cluster-address", "127.0.0.1:1"],
            [
                "--cluster", "nats://127.0.0.1:1,nats://localhost:2,nats://[::1]:3", "--edge-key",
                key,
            ],
        ] {
            #expect(throws: Never.self, "\(right)") { try ServeCommand.parse(right) }
        }
    }

    /// The claims of a token, in JWTKit's hands.
    private struct Claims: JWTPayload {
        var sub = "ada"
        var iss: String
        var aud: String
        var scope = ["editor"]
        var exp = Date.now.timeIntervalSince1970 + 600

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    @Test func `whose JSON Web Tokens are taken, and for what, is what the options say`()
        async throws
    {
        let secret = Data("a secret of thirty-two bytes or more".utf8)
        let keys = directory.file("keys.json")
        let word = secret.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        try Data(#"{"keys":[{"kty":"oct","kid":"a","alg":"HS256","k":"\#(word)"}]}"#.utf8)
            .write(to: URL(filePath: keys))
        let signer = await JWTKeyCollection().add(
            hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: "a")
        let token = try await signer.sign(Claims(iss: "them", aud: "board"), kid: "a")
        func identity(_ arguments: String...) async throws -> Identity {
            let command = try ServeCommand.parse(["--jwt-keys", keys, "--memory"] + arguments)
            let server = try command.server(of: Board.room, nil, await command.jwt.authentication)
            guard case .asked(let identify) = server.configuration.authentication.way else {
                throw TooLate(description: "Nobody is asked.")
            }
            return try await identify(Credentials(token: token, path: "/", headers: [:]))
        }
        #expect(try await identity() == Identity("ada"))
        let all = try await identity(
            "--jwt-issuer", "them", "--jwt-audience", "board", "--jwt-roles", "scope")
        #expect(all == Identity("ada", roles: ["editor"]))
        for wrong in [["--jwt-issuer", "others"], ["--jwt-audience", "chat"]] {
            await #expect(throws: Rejection.self) { try await identity(wrong[0], wrong[1]) }
        }
    }

    // MARK: The server

    @Test func `without options it serves the board, to this machine, from a file that grows`()
        throws
    {
        let server = try server([])
        #expect(server.listener.host == "127.0.0.1")
        #expect(server.listener.port == 9090)
        #expect(server.configuration.hosts.admits("localhost"))
        #expect(!server.configuration.hosts.admits("board.example"))
        #expect(server.configuration.limits.snapshots.kept == nil)
        #expect(server.configuration.extensions.isEmpty)
        #expect(server.configuration.rooms("/") is RoomDefinition<Board>)
        #expect(server.configuration.rooms("/else") == nil)
        #expect(!server.configuration.authentication.isAnonymous)
    }

    @Test func `what is said of the address and its names is what it listens to`() throws {
        let server = try server(
            ["--host", "127.0.0.2", "--port", "0"]
                + ["--allow-host", "board.example", "--allow-host", "other.example"])
        #expect(server.listener.host == "127.0.0.2")
        #expect(server.listener.port == 0)
        for (name, isAdmitted) in [
            ("board.example", true), ("other.example:80", true), ("third.example", false),
        ] {
            #expect(server.configuration.hosts.admits(name) == isAdmitted, "\(name)")
        }
        #expect(
            try self.server(["--host", "0.0.0.0", "--demo"]).configuration.hosts.admits(
                "any.example"))
    }

    @Test(arguments: [1, 7]) func `so many snapshots are kept as are said`(count: Int) throws {
        let server = try server(["--keep-snapshots", "\(count)"])
        #expect(server.configuration.limits.snapshots.kept == count)
    }

    @Test func `a document has pages of its own`() throws {
        let board = try server([]).configuration.pages["/index.html"]
        let document = try server(["--json", "votes.json"]).configuration.pages["/index.html"]
        #expect(board != nil)
        #expect(document != nil)
        #expect(board != document)
    }

    // MARK: Rooms, rules and pages

    @Test
    func `several documents are kept in a file of their own, or beside the one they begin with`()
        throws
    {
        for (arguments, file) in [
            (["--rooms", "/a/*"], "rooms.sqlite"),
            (["--rooms", "/a/*", "--json", "in/start.json"], "in/start.sqlite"),
            (["--rooms", "/a/*", "--data", "b.db"], "b.db"), (["--json", "a.json"], "a.sqlite"),
            ([], "board.sqlite"),
        ] { #expect(try ServeCommand.parse(arguments).file == file) }
    }

    @Test func `who has no token is let in as long as the rules say so, also when they are new`()
        async throws
    {
        let (rules, tokens) = (directory.file("rules.json"), directory.file("tokens.json"))
        try Data("[]".utf8).write(to: URL(filePath: tokens))
        func write(_ role: String) throws {
            try Data(#"{"rules": [{"roles": ["\#(role)"], "read": [""]}]}"#.utf8)
                .write(to: URL(filePath: rules))
        }
        try write("$everybody")
        let server = try server(
            ["--memory", "--rooms", "/a/*", "--rules", rules, "--tokens", tokens])
        func isAdmitted() async -> Bool {
            let credentials = Credentials(token: nil, path: "/a/b")
            return switch server.configuration.authentication.way {
            case .anonymous: true
            case .known(let identify): (try? identify(credentials)) != nil
            case .asked(let identify): (try? await identify(credentials)) != nil
            }
        }
        #expect(await isAdmitted())
        try write("$signed-in")
        try server.configuration.rules?.reload()
        #expect(await !isAdmitted())
        try write("$anonymous")
        try server.configuration.rules?.reload()
        #expect(await isAdmitted())
    }

    @Test func `a file of rules that is wrong ends the start, with the place`() throws {
        let file = directory.file("rules.json")
        try Data(#"{"rules": [{"roles": ["a"], "raed": [""]}]}"#.utf8)
            .write(to: URL(filePath: file))
        let error = #expect(throws: ServerError.self) {
            try server(["--rooms", "/a/*", "--rules", file])
        }
        #expect(error?.description.contains("line 1, column 37, at '/rules/0'") == true)
        #expect(error?.description.contains("'read'") == true)
        #expect(throws: ServerError.self) {
            try server(["--json", "a.json", "--rules", directory.file("nowhere")])
        }
    }

    @Test func `there is a board of each name, and its page is the board's`() throws {
        let configuration = try server(["--memory"]).configuration
        for path in ["/", "/b/team", "/b/A-b.c_d~1"] {
            #expect(configuration.rooms(path) is RoomDefinition<Board>, "\(path)")
        }
        for path in ["/b", "/b/", "/b/a/b", "/team", "/b/a b", "/b/..", "/c/team"] {
            #expect(configuration.rooms(path) == nil, "\(path)")
        }
        // Documents have the paths that somebody names.
        #expect(try server(["--memory", "--json", "a.json"]).configuration.rooms("/b/a") == nil)
    }

    @Test func `the number of boards is bounded, and those that there are stay`() {
        let boards = NamedBoards(["/", "/b/old"])
        for number in 2...NamedBoards.most { #expect(boards.admit("/b/\(number)")) }
        #expect(!boards.admit("/b/new"))
        for path in ["/", "/b/old", "/b/2", "/b/\(NamedBoards.most)"] {
            #expect(boards.admit(path), "\(path)")
        }
    }

    @Test(arguments: [false, true])
    func `own pages are in place of the others, and the client is where it was`(
        hasDevtools: Bool
    ) throws {
        let site = directory.file("site")
        try FileManager.default.createDirectory(
            atPath: site + "/style", withIntermediateDirectories: true)
        for (name, text) in [("index.html", "mine"), ("style/base.css", "my style")] {
            try Data(text.utf8).write(to: URL(filePath: "\(site)/\(name)"))
        }
        let options = try PageOptions.parse(["--pages", site])
        let pages = try options.pages(insteadOf: .board, hasDevtools)
        #expect(pages["/index.html"] == Array("mine".utf8))
        #expect(pages["/style/base.css"] == Array("my style".utf8))
        #expect(pages["/board/index.html"] == nil && pages["/document/index.html"] == nil)
        let client = WebPages.client["/storecast/index.js"]
        #expect(pages["/storecast/index.js"] == client && client != nil)
        #expect((pages["/devtools/index.html"] != nil) == hasDevtools)
        try FileManager.default.createDirectory(
            atPath: site + "/storecast", withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: site + "/storecast/index.js"))
        let error = #expect(throws: ServerError.self) {
            try options.pages(insteadOf: .board, hasDevtools)
        }
        #expect(error?.description.contains("another name than storecast") == true)
    }

    // MARK: What has started it

    @Test(arguments: [false, true])
    func `a service manager is told that the server is ready`(isAbstract: Bool) throws {
        let name = isAbstract ? "@\(directory.file("notify"))" : directory.file("notify")
        let manager = try NotifySocket(name)
        ServiceManager.tell("READY=1", ["NOTIFY_SOCKET": name])
        #expect(manager.heard() == "READY=1")
        // Nobody wants to hear it, or is there any more.
        ServiceManager.tell("READY=1", [:])
        ServiceManager.tell("READY=1", ["NOTIFY_SOCKET": directory.file("gone")])
    }

    @Test func `the socket is that which this process was given, and no other`() {
        let own = "\(getpid())"
        #expect(ServiceManager.listeningSocket(["LISTEN_PID": own, "LISTEN_FDS": "1"]) == 3)
        for environment in [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
            ["LISTEN_PID": own, "LISTEN_FDS": "2"],
        ] { #expect(ServiceManager.listeningSocket(environment) == nil, "\(environment)") }
    }

    // MARK: Its file

    @Test(
        arguments: [
            ([], nil, "board.sqlite"), ([], "votes.json", "votes.sqlite"),
            ([], "in/votes", "in/votes.sqlite"), (["--data", "a.db"], nil, "a.db"),
            (["--data", "a.db"], "votes.json", "a.db"), (["--memory"], nil, nil),
            (["--memory"], "votes.json", nil),
        ] as [([String], String?, String?)])
    func `what happens is kept in the file that is said, or beside the document`(
        arguments: [String], document: String?, file: String?
    ) throws {
        #expect(try DataOptions.parse(arguments).file(document: document) == file)
    }

    @Test func `a file is written where one is named, and none for memory`() async throws {
        for (arguments, names) in [
            (["--memory"], []), (["--data", directory.file("a.db")], ["a.db"]),
        ] {
            let server = try server(arguments)
            let store = try await server.configuration.journal.open()
            #expect(store is SQLiteStore == !names.isEmpty)
            await store.close()
            #expect(directory.names == names)
        }
    }

    @Test(arguments: [
        ["--memory", "--data", "a.db"], ["--memory", "--durability", "process"],
        ["--nats", "a", "--memory"], ["--nats", "a", "--data", "a.db"], ["--nats", "http://a"],
        ["--nats", "nats://ada:secret@a"], ["--nats", "a", "--nats-replicas", "0"],
        ["--nats", "a", "--nats-name", "a.b"], ["--nats-token", "a"],
        ["--nats", "a", "--nats-user", "ada"],
        ["--nats", "a", "--nats-token", "a", "--nats-credentials", "b"],
        ["--keep-snapshots", "0"], ["--port", "65536"], ["--port", "-1"],
        ["--document-bytes", "0"], ["--document-bytes", "62914561"],
        ["--after-crashes", "retry"], ["--durability", "none"], ["--log-level", "loud"],
        ["--log-format", "xml"], ["--rooms", "boards"], ["--rules", "a.json"],
        ["--pages-policy", "default-src *"], ["--pages", "a", "--pages-policy", "a\r\nX: b"],
        ["--pages", "a", "--pages-policy", ""],
    ])
    func `what makes no sense is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try ServeCommand.parse(arguments) }
    }

    // MARK: Devtools

    /// Who gets in, if anybody does.
    enum Access { case nobody, secret, printed }

    @Test(
        arguments: [
            ([], false, .nobody), ([], true, .secret),
            (["--devtools"], false, .printed), (["--devtools"], true, .secret),
            (["--no-devtools"], false, .nobody), (["--no-devtools"], true, .nobody),
        ] as [([String], Bool, Access)], [false, true])
    func `devtools are served when they are asked for and not forbidden, and to whom is said`(
        _ row: ([String], Bool, Access), _ hasFile: Bool
    ) throws {
        var (arguments, hasVariable, access) = row
        if hasFile {
            let file = directory.file("token")
            try Data("\(Self.secret) of a file\n".utf8).write(to: URL(filePath: file))
            arguments += ["--devtools-token", file]
            if access != .nobody || arguments[0] != "--no-devtools" { access = .secret }
        }
        let command = try ServeCommand.parse(arguments)
        let environment = hasVariable ? [DevtoolsOptions.variable: " \(Self.secret)\n"] : [:]
        let made = try command.devtools.access(environment: environment)
        let server = try command.server(of: Board.room, made?.access)
        #expect(server.configuration.extensions.map(\.path) == (made == nil ? [] : ["/devtools"]))
        #expect((made == nil) == (access == .nobody))
        guard let made else { return }
        let printed = made.fragment.dropFirst("#token=".count)
        #expect(printed.isEmpty == (access == .secret))
        let token = hasFile ? "\(Self.secret) of a file" : Self.secret
        for (token, isRight) in [
            (access == .secret ? token : String(printed), true), ("another of that length", false),
        ] {
            let identity = try? made.access.identity(token: token).get()
            #expect((identity != nil) == isRight)
        }
    }

    @Test(arguments: ["", "fifteen letters", "                 "])
    func `a token that is too short, or can't be read, stops the server`(token: String) throws {
        let file = directory.file("token")
        try Data(token.utf8).write(to: URL(filePath: file))
        for (arguments, environment) in [
            ([], [DevtoolsOptions.variable: token]), (["--devtools-token", file], [:]),
            (["--devtools-token", directory.file("nowhere")], [:]),
        ] {
            let options = try DevtoolsOptions.parse(arguments)
            let error = #expect(throws: CommandFailure.self) {
                try options.access(environment: environment)
            }
            #expect(error?.status == .trouble)
        }
    }
}
