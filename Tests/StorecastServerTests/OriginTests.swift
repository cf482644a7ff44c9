import Glibc
import Logging
import StorecastClient
import TestSupport
import Testing

@testable import StorecastServer

/// Which pages may connect, who is asked behind a proxy, and what the log says of those who aren't
/// let in.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct OriginTests {
    private static func limits() -> SyncLimits {
        var limits = SyncLimits()
        limits.helloTimeout = .milliseconds(1)
        limits.closeTimeout = .milliseconds(1)
        return limits
    }

    /// Whether requests with these fields become connections.
    private func isLetIn(
        _ fields: String, allowed: [String] = [], proxies: [String] = []
    ) async throws -> Bool {
        let server = SyncServer(
            port: 0, allowedHosts: ["board.example"], allowedOrigins: allowed,
            trustedProxies: proxies, limits: Self.limits(), rooms: { _ in Tallies.room })
        let request = PlainRequest.upgrade(fields)
        let answer = try await PlainRequest.answer(to: request, at: try await server.start())
        await server.stop()
        let status = answer.dropFirst(9).prefix(3)
        #expect(status == "101" || status == "403", "\(answer)")
        return status == "101"
    }

    @Test(
        arguments: [
            ([], "http://localhost:5173", true), ([], "http://127.0.0.1", true),
            ([], "https://app.example", false), ([], "null", false),
            (["https://app.example"], "https://app.example", true),
            (["https://app.example"], "HTTPS://App.Example", true),
            (["https://APP.example"], "https://app.example", true),
            (["https://app.example"], "http://app.example", false),
            (["https://app.example"], "https://app.example:8443", false),
            (["https://app.example"], "https://app.example.evil.test", false),
            (["https://app.example"], "https://evil.test", false),
            (["https://app.example"], "null", false),
            (["https://app.example:8443"], "https://app.example:8443", true),
            (["https://a.example", "https://b.example"], "https://b.example", true),
            (["null"], "null", true), (["*"], "https://anything.example", true),
            (["*"], "null", true),
        ] as [([String], String, Bool)])
    func `pages of this host and of the sites that are allowed may connect`(
        allowed: [String], origin: String, isAllowed: Bool
    ) async throws {
        #expect(try await isLetIn("Origin: \(origin)\r\n", allowed: allowed) == isAllowed)
    }

    @Test func `programs, which are no pages, may connect`() async throws {
        #expect(try await isLetIn(""))
    }

    @Test func `behind a trusted proxy a page is of the host that the client asked for`()
        async throws
    {
        let fields = "Origin: https://board.example\r\nX-Forwarded-Host: board.example\r\n"
        #expect(try await isLetIn(fields, proxies: ["127.0.0.1"]))
        #expect(try await !isLetIn(fields))
        let other = "Origin: http://localhost\r\nX-Forwarded-Host: board.example\r\n"
        #expect(try await !isLetIn(other, proxies: ["127.0.0.1"]))
    }

    @Test func `behind a trusted proxy a client has its own address`() async throws {
        for (proxies, expected) in [
            (["127.0.0.1"], "203.0.113.7 encrypted: true"), ([], "127.0.0.1 encrypted: false"),
        ] {
            let (addresses, found) = AsyncStream<String>.makeStream()
            let server = SyncServer(
                port: 0, trustedProxies: proxies, limits: Self.limits(),
                rooms: { _ in Tallies.room }
            ) { credentials in
                found.yield("\(credentials.address) encrypted: \(credentials.isEncrypted)")
                found.finish()
                return .anonymous
            }
            let fields = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n"
            let hello = #"{"op":"hello","proto":1,"client":"0123456789abcdef"}"#
            let descriptor = try PlainRequest.connect(try await server.start())
            let request = Array(PlainRequest.upgrade(fields).utf8) + PlainRequest.frame(hello)
            #expect(PlainRequest.say(request, on: descriptor))
            #expect(try await addresses.collected() == [expected])
            await server.stop()
            PlainRequest.end(descriptor)
        }
    }

    @Test(arguments: [
        "", "app.example", "https://", "https://a/b", "https://*.example", "://a", "a b://c",
    ])
    func `what no browser could send is no site`(text: String) {
        #expect(!AllowedOrigins.isOrigin(text))
        #expect(SyncServer.problem(origins: [text], proxies: [])?.contains("'\(text)'") == true)
    }

    // MARK: The log

    @Test func `a site is logged once, with what to set, and can't forge a line`() async throws {
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, limits: Self.limits(), logger: logger, rooms: { _ in Tallies.room })
        let url = try await server.start()
        for origin in ["https://a.example", "https://a.example", "https://\u{202E}b\u{1B}[2J"] {
            _ = try await PlainRequest.answer(
                to: PlainRequest.upgrade("Origin: \(origin)\r\n"), at: url)
        }
        await server.stop()
        var logged: [String] = []
        for await message in messages where message.hasPrefix("origin: ") {
            logged.append(message)
            if logged.count == 3 { break }
        }
        #expect(
            logged == [
                "origin: https://a.example", "origin: https://a.example",
                #"origin: https://\u202eb\u001b[2J"#,
            ])
    }

    @Test func `a host is logged once, with what to set, and can't forge a line`() async throws {
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, limits: Self.limits(), logger: logger, pages: WebPagesTests.site,
            rooms: { _ in Tallies.room })
        let url = try await server.start()
        for request in [
            PlainRequest.upgrade(host: "board.example"),
            "GET / HTTP/1.1\r\nHost: board.example:80\u{202E}\r\nConnection: close\r\n\r\n",
        ] {
            let answer = try await PlainRequest.answer(to: request, at: url)
            #expect(answer.dropFirst(9).prefix(3) == "421", "\(answer)")
        }
        await server.stop()
        var logged: [String] = []
        for await message in messages {
            if message.hasPrefix("host: ") { logged.append(message) }
            if message.contains("--allow-host") { logged.append("remedy") }
            if logged.count == 4 { break }
        }
        #expect(logged.filter { $0 == "remedy" }.count == 2)
        #expect(
            logged.filter { $0 != "remedy" }
                == ["host: board.example", #"host: board.example:80\u202e"#])
    }

    /// What a server logs at the level of notices while it is asked by these requests.
    private func notices(
        _ requests: [String], pages: WebPages = WebPages()
    ) async throws -> [String] {
        let (all, messages) = MessageLog.make()
        var logger = all
        logger.logLevel = .notice
        let server = SyncServer(
            port: 0, limits: Self.limits(), logger: logger, pages: pages,
            rooms: { _ in Tallies.room })
        let url = try await server.start()
        for request in requests { _ = try await PlainRequest.answer(to: request, at: url) }
        await server.stop()
        logger.notice("end")
        var logged: [String] = []
        for await message in messages {
            if message == "end" { break }
            logged.append(message)
        }
        return logged
    }

    @Test func `each site and each host is noticed once, with the option that lets it in`()
        async throws
    {
        let sites = ["https://a.example", "https://b.example", "https://a.example"]
        let refused = try await notices(sites.map { PlainRequest.upgrade("Origin: \($0)\r\n") })
        #expect(refused.count { $0.contains("--allow-origin") } == 2)
        #expect(refused.count { $0.contains("--trusted-proxy") } == 2)
        #expect(refused.count { $0 == "origin: https://a.example" } == 1)
        #expect(refused.count { $0 == "origin: https://b.example" } == 1)
        #expect(refused.count { $0 == "host: localhost" } == 2)
        #expect(refused.count { $0 == "address: 127.0.0.1" } == 2)
        // Whether pages or connections are asked for.
        let hosts = ["a.example", "b.example", "a.example"]
        let others = try await notices(
            hosts.map { PlainRequest.upgrade(host: $0) }
                + hosts.map { "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n" })
        #expect(others.count { $0.contains("--allow-host") } == 2)
        #expect(others.count { $0 == "host: a.example" } == 1)
        #expect(others.count { $0 == "host: b.example" } == 1)
        #expect(others.count { $0 == "address: 127.0.0.1" } == 2)
    }

    @Test func `a connection that can't be encrypted is noticed once for its network`()
        async throws
    {
        let (all, messages) = MessageLog.make()
        var logger = all
        logger.logLevel = .notice
        let server = SyncServer(port: 0, logger: logger, rooms: { _ in Tallies.room })
        _ = try await server.start()
        let home = try #require(server.home(of: "/"))
        for (address, problem) in [
            ("2001:db8::1", "no cipher"), ("2001:db8::2", "no cipher"), ("192.0.2.1", "no cipher"),
            ("192.0.2.1", "no version"), ("::ffff:192.0.2.1", "no version"),
        ] { await home.encryptionFailed(from: address, problem) }
        await server.stop()
        logger.notice("end")
        var logged: [String] = []
        for await message in messages {
            if message == "end" { break }
            logged.append(message)
        }
        #expect(
            logged == [
                "a connection could not be encrypted: no cipher", "address: 2001:db8::1",
                "a connection could not be encrypted: no cipher", "address: 192.0.2.1",
                "a connection could not be encrypted: no version", "address: 192.0.2.1",
            ])
    }

    @Test func `a notice is made once, and a hundred at most`() {
        var notices = LoggedOnce()
        #expect(notices.level(of: "a") == .notice)
        #expect(notices.level(of: "a") == .debug)
        for number in 1..<100 { #expect(notices.level(of: "\(number)") == .notice) }
        #expect(notices.level(of: "b") == .debug)
    }

    @Test func `whatever is logged is one line that does nothing to a terminal`() async throws {
        let (logger, messages) = MessageLog.make()
        let safe = logger.safe
        safe.info(
            "a\nb\u{1B}[31m \u{202E}c \u{200B}d",
            metadata: ["room": "/\r\nx", "all": ["\u{9B}1", .dictionary(["key": "\n"])]])
        var logged: Set<String> = []
        for await message in messages {
            logged.insert(message)
            if logged.count == 3 { break }
        }
        #expect(
            logged == [
                #"a\u000ab\u001b[31m \u202ec \u200bd"#, #"room: /\u000d\u000ax"#,
                #"all: ["\\u009b1", ["key": "\\u000a"]]"#,
            ])
    }
}

extension ServerLoop {
    fileprivate func encryptionFailed(from address: String, _ problem: String) {
        core?.encryptionFailed(from: address, problem)
    }
}

extension PlainRequest {
    static func say(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    static func end(_ descriptor: Int32) { close(descriptor) }
}
