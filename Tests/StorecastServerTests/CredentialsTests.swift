import StorecastClient
import Synchronization
import Testing
import TestSupport

@testable import StorecastServer

struct CredentialsTests {
    @Test(
        arguments: [
            (nil, "board.example", false),
            ("https://board.example", "board.example", false),
            ("https://board.example:8443", "board.example", false),
            ("http://192.168.1.5:9090", "192.168.1.5:9090", false),
            ("http://localhost:5173", "127.0.0.1:9090", false),
            ("http://[::1]:5173", "localhost:9090", false),
            ("https://other.example", "board.example", true),
            ("https://board.example.other.example", "board.example", true),
            ("https://other.example", "127.0.0.1:9090", true),
            ("http://127.0.0.1.other.example", "127.0.0.1:9090", true),
            ("http://localhost:5173", "board.example", true),
            ("null", "127.0.0.1:9090", true),
            ("https://board.example", nil, true),
        ] as [(String?, String?, Bool)])
    func `a page is of another site if it is of another host`(
        _ origin: String?, _ host: String?, _ isOther: Bool
    ) {
        var headers: [String: String] = [:]
        headers["origin"] = origin
        headers["host"] = host
        #expect(Credentials(token: nil, path: "/", headers: headers).isFromOtherSite == isOther)
    }

    private static let secretive = Credentials(
        token: "s3cret-token", path: "/room", address: "::1",
        headers: [
            "cookie": "id=7; session=s3cret-session", "authorization": "Bearer s3cret-bearer",
            "host": "h",
        ])

    @Test(
        arguments: [
            ("Bad s3cret-token at h.", "Bad … at h."),
            ("Bearer s3cret-bearer (s3cret-token)", "… (…)"),
            ("s3cret-tokens3cret-token", "……"), ("The session s3cret-session", "The session …"),
            ("id=7; session=s3cret-session isn't one", "… isn't one"),
            ("No s3cret-bearer.", "No …."), ("7 of 7 failed.", "7 of 7 failed."),
            // A mark that makes one character of it with the secret's last letter.
            ("s3cret-token\u{301}", "…\u{301}"),
        ])
    func `an error's text is logged without the secrets that it repeats`(
        text: String, logged: String
    ) {
        #expect(Self.secretive.redacting(text).isSameText(as: logged))
    }

    @Test func `credentials are written as path and address`() {
        #expect("\(Self.secretive)" == "/room from ::1")
    }

    @Test func `a longer secret goes before one within it, and short values are no secrets`() {
        let credentials = Credentials(
            token: "secret", path: "/",
            headers: [
                "cookie": "a=12345; b=123456;c=secret-and-more; d", "authorization": "Basic abcde",
            ])
        for (text, logged) in [
            ("secret-and-more", "…"), ("secret", "…"), ("12345", "12345"), ("123456", "…"),
            ("a=12345; b=123456;c=secret-and-more; d", "…"), ("Basic abcde", "…"),
            ("abcde", "abcde"), ("d", "d"),
        ] { #expect(credentials.redacting(text) == logged, "\(text)") }
        let six = Credentials(token: nil, path: "/", headers: ["authorization": "Basic abcdef"])
        #expect(six.redacting("abcdef Basic") == "… Basic")
    }

    @Test func `an empty token or header is no secret`() {
        let credentials = Credentials(
            token: "", path: "/", headers: ["cookie": "", "authorization": "Bearer "])
        #expect(credentials.redacting("Bearer") == "Bearer")
    }
}

/// What a server's `authenticate` answers, and what becomes of it.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct AuthenticationTests {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// How a connection ends whose client is this, or is refused with that; nil if it doesn't.
    private func end(
        _ answer: @escaping @Sendable (Credentials) async throws -> Identity
    ) async throws -> Rejection? {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }, authenticate: answer)
        let connection = RemoteConnection(try await server.start(), token: { "token" })
        let status = await connection.status { status in
            if case .closed = status { true } else { status == .live }
        }
        connection.close()
        await server.stop()
        if case .closed(let rejection) = try #require(status) { return rejection }
        return nil
    }

    @Test func `a client is who it is said to be`() async throws {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { credentials in
            Identity(credentials.token ?? "nobody")
        }
        let url = try await server.start()
        let room = try await server.room("/", of: Tallies.self)
        for (connection, name) in [
            (RemoteConnection(url, token: { "ada" }), "ada"), (RemoteConnection(url), "nobody"),
        ] {
            _ = try await connection.dispatch(Add(number: 1)).outcome
            #expect(try await room.withStore { $0.state.last } == name)
            connection.close()
        }
        await server.stop()
    }

    @Test(arguments: [
        "server", "storecast.", "storecast.devtools", "storecast.x", "storecast.\u{301}x",
    ])
    func `nobody is let in under a reserved id`(id: String) async throws {
        for identity in [Identity(id), Identity(id, roles: ["admin"])] {
            #expect(try await end { _ in identity }?.code == .forbidden)
        }
    }

    @Test(arguments: [
        "", "Server", "server.", "servers", "storecast", "storecasts.x", "Storecast.x",
        " storecast.x", "x.storecast.x",
    ])
    func `an id that only looks like a reserved one is anybody's`(id: String) async throws {
        #expect(try await end { _ in Identity(id) } == nil)
    }

    @Test(
        arguments: [
            (Rejection(.forbidden, "Not you."), .forbidden, "Not you."),
            (Rejection(.unauthenticated, "Too old."), .unauthenticated, "Too old."),
            (Rejection(.conflict, "Twice."), .unauthenticated, "Twice."),
            (CancellationError(), .unauthenticated, "The server could not check the token."),
            (
                Failure(description: "The key is 5."), .unauthenticated,
                "The server could not check the token."
            ),
        ] as [(any Error, Rejection.Code, String)])
    func `a rejection is the client's to read, any other error isn't`(
        error: any Error, code: Rejection.Code, title: String
    ) async throws {
        let end = try await end { _ in throw error }
        #expect(end?.code == code)
        #expect(end?.title == title)
    }

    @Test func `what an error repeats of the credentials isn't logged, nor told to the client`()
        async throws
    {
        let secrets = ["s3cret-token", "s3cret-session", "s3cret-bearer"]
        var limits = SyncLimits()
        limits.closeTimeout = .milliseconds(20)
        limits.tokenCheckTimeout = .seconds(600)
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, limits: limits, logger: logger, rooms: { _ in Tallies.room }
        ) { credentials in
            let headers = ["cookie", "authorization"].map { credentials.headers[$0] }
            let shown = [credentials.token] + headers
            throw Failure(description: "Who is \(shown.map { $0 ?? "nobody" })?")
        }
        let headers = "Cookie: id=s3cret-session\r\nAuthorization: Bearer s3cret-bearer\r\n"
        let hello = #"{"op":"hello","proto":1,"client":"0123456789abcdef","token":"s3cret-token"}"#
        let answer = try await PlainRequest.answer(
            to: Array(PlainRequest.upgrade(headers).utf8) + PlainRequest.frame(hello),
            at: try await server.start())
        #expect(answer.contains("The server could not check the token."))
        await server.stop()
        var logged: [String] = []
        for await message in messages {
            logged.append(message)
            if message.hasPrefix("Authentication failed") { break }
        }
        #expect(logged.last == #"Authentication failed: Who is ["…", "…", "…"]?"#)
        for secret in secrets {
            #expect(!answer.contains(secret))
            #expect(!logged.contains { $0.contains(secret) })
        }
    }

    @Test func `a client whose token can't be had tries again`() async throws {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { _ in Identity("ada") }
        let tries = Mutex(0)
        let connection = RemoteConnection(
            try await server.start(),
            token: {
                let number = tries.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { throw CancellationError() }
                return "token"
            })
        #expect(await connection.isLive())
        #expect(tries.withLock(\.self) == 2)
        connection.close()
        await server.stop()
    }

    /// Where a client is counted among those of its network.
    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::", "127.0.0.1"), ("::1", "[::1]"), ("::", "[::1]"),
        ])
    func `a client has an address of its own, however the server listens`(
        host: String, name: String
    ) async throws {
        let addresses = Mutex<[String]>([])
        let server = SyncServer(host: host, port: 0, rooms: { _ in Tallies.room }) { credentials in
            addresses.withLock { $0.append(credentials.address) }
            return .anonymous
        }
        let port = try #require(try await server.start().split(separator: ":").last)
        let connection = RemoteConnection("ws://\(name):\(port)")
        #expect(await connection.isLive())
        let address = try #require(addresses.withLock { $0.first })
        #expect(HostName(address: address).network == HostName(authority: name).network)
        connection.close()
        await server.stop()
    }
}

struct HostNameTests {
    private static let own = ServedHosts(listeningOn: "127.0.0.1", allowed: ["Board.Example.org"])

    @Test(arguments: [
        "127.0.0.1:9090", "localhost", "localhost:80", "LOCALHOST:9090", "localhost.", "[::1]:9090",
        "board.localhost:9090", "127.8.8.8", "board.example.org", "BOARD.example.org:443",
    ])
    func `a server on this machine takes its names, and those that it is told`(host: String) {
        #expect(Self.own.admits(host))
    }

    @Test(arguments: [
        "evil.test", "evil.test:9090", "127.0.0.1.evil.test", "localhost.evil.test", "notlocalhost",
        "127.0.0", "203.0.113.7:9090", "example.org", "[::2]:9090", "", "fe80::1", "::1.evil.test",
    ])
    func `it takes no other name that leads to it`(host: String) {
        #expect(!Self.own.admits(host))
    }

    @Test func `without a name it isn't known who is meant`() {
        #expect(!Self.own.admits(nil))
    }

    @Test(arguments: ["localhost", "::1", "127.0.0.1", "127.1.2.3"])
    func `it is on this machine only by whichever of the machine's own addresses`(address: String) {
        #expect(!ServedHosts(listeningOn: address, allowed: []).admits("evil.test"))
    }

    @Test func `one that others reach anyway takes every name, unless it is told which`() {
        #expect(ServedHosts(listeningOn: "0.0.0.0", allowed: []).admits("board.example.org"))
        let told = ServedHosts(listeningOn: "0.0.0.0", allowed: ["board.example.org"])
        #expect(told.admits("board.example.org"))
        #expect(!told.admits("evil.test"))
    }

    @Test(arguments: ["0:0:0:0:0:0:0:1", "::0001", "::FFFF:127.0.0.1", "::ffff:7f00:1"])
    func `an address is the same however it is written`(address: String) {
        #expect(!ServedHosts(listeningOn: address, allowed: []).admits("evil.test"))
        #expect(Self.own.admits("[\(address)]:9090"))
    }

    @Test(
        arguments: [
            ("localhost", true, false), ("LocalHost.", true, false), ("a.b.localhost", true, false),
            ("localhost.a", false, false), ("alocalhost", false, false), ("::1", true, true),
            ("0::0:1", true, true), ("::2", false, true), ("127.0.0.1", true, true),
            ("127.255.255.255", true, true), ("127.0.0.256", false, false),
            ("127.0.0", false, false), ("127.0.0.0.1", false, false), ("127..0.1", false, false),
            ("127.a.b.com", false, false), ("128.0.0.1", false, true), ("27.0.0.1", false, true),
            ("::ffff:127.0.0.1", true, true), ("::ffff:128.0.0.1", false, true), ("", false, false),
            ("board.example", false, false), ("fe80::1", false, true),
        ])
    func `a name is this machine's or isn't, and is an address or isn't`(
        text: String, isLocal: Bool, isAddress: Bool
    ) {
        #expect(HostName(address: text).isLocal == isLocal)
        #expect(HostName(address: text).isAddress == isAddress)
    }

    /// Limits that are for a network count all of a row as one, and of two rows as two.
    private static let networks = [
        ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:192.0.2.1", "::ffff:c000:201"],
        ["192.0.2.2"], ["::ffff:192.0.2.3"], ["193.0.2.1"],
        [
            "2001:db8:1:2::1", "2001:db8:1:2::", "2001:db8:1:2:ffff:ffff:ffff:ffff",
            "2001:DB8:1:2:0:0:0:9", "2001:0db8:0001:0002:a:b:c:d",
        ],
        ["2001:db8:1:3::1"], ["2001:db8:1::1", "2001:db8:1:0:8000::"], ["2001:db8:2:2::1"],
        ["fe80::1", "fe80::ffff"], ["::1"], ["host.example"], [""],
    ]

    @Test(arguments: networks.indices)
    func `an IPv4 address is a network, and so are all IPv6 addresses of 64 equal bits`(
        row: Int
    ) {
        let others = Self.networks.enumerated().filter { $0.offset != row }.flatMap(\.element)
        for address in Self.networks[row] {
            let network = HostName(address: address).network
            #expect(network == HostName(address: Self.networks[row][0]).network, "\(address)")
            for other in others {
                #expect(network != HostName(address: other).network, "\(address) and \(other)")
            }
        }
    }
}
