import Testing

@testable import StorecastWebSocket

extension SocketTests {
    /// Who asks, when a proxy passes the request on.
    @Suite(.timeLimit(.minutes(30))) struct TrustedProxiesTests {
        private static let trusted = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32", "::1"]

        @Test(
            arguments: [
                ("10.0.0.0", true), ("10.255.255.255", true), ("::ffff:10.1.2.3", true),
                ("11.0.0.0", false), ("9.255.255.255", false), ("127.0.0.1", true),
                ("127.0.0.2", false), ("2001:db8:ffff::1", true), ("2001:db9::", false),
                ("::1", true), ("::2", false), ("", false), ("localhost", false), ("10.0.0", false),
                ("unknown", false), ("10.0.0.1 ", false), ("10.0.0.1:80", false),
            ])
        func `a network has the addresses that begin with its bits`(
            address: String, isIn: Bool
        ) throws {
            #expect(try TrustedProxies(Self.trusted).contains(address) == isIn)
            #expect(!TrustedProxies().contains(address))
        }

        @Test(arguments: [
            ("10.7.0.0/12", "10.15.0.1", "10.16.0.1"), ("1.2.3.4/31", "1.2.3.5", "1.2.3.6"),
            ("0.0.0.0/0", "203.0.113.1", "::2"), ("::/1", "7fff::", "8000::"),
        ])
        func `bits end anywhere in a byte`(range: String, inside: String, outside: String) throws {
            let proxies = try TrustedProxies([range])
            #expect(proxies.contains(inside) && !proxies.contains(outside))
        }

        @Test(arguments: [
            "", "proxy", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0/8",
            "::1/129", "/8", "*", "10.0.0.0/ 8", "10.0.0.0/+8",
        ])
        func `what is neither an address nor a network is a sentence`(range: String) {
            let error = #expect(throws: WebSocketError.self) { try TrustedProxies([range]) }
            #expect(error?.description.contains("'\(range)'") == true)
        }

        /// What comes of fields that a trusted proxy passes on: address, host, encryption; nil if
        /// the request is refused.
        private typealias Row = (fields: [String], client: (String, String, Bool)?)

        private static let rows: [Row] = [
            ([], ("127.0.0.1", "inner", false)),
            // X-Forwarded-For: from the end, as far as those who wrote are trusted.
            (["X-Forwarded-For: 203.0.113.7"], ("203.0.113.7", "inner", false)),
            (["X-Forwarded-For: 198.51.100.1, 203.0.113.7"], ("203.0.113.7", "inner", false)),
            (["X-Forwarded-For: 203.0.113.7, 10.1.1.1"], ("203.0.113.7", "inner", false)),
            (
                ["X-Forwarded-For: 1.1.1.1, 203.0.113.7, 10.1.1.1, 10.2.2.2"],
                ("203.0.113.7", "inner", false)
            ),
            (["X-Forwarded-For: 10.1.1.1"], ("10.1.1.1", "inner", false)),
            (
                ["X-Forwarded-For: 1.1.1.1", "x-forwarded-for: 203.0.113.7"],
                ("203.0.113.7", "inner", false)
            ),
            (["X-Forwarded-For: 203.0.113.7:4711"], ("203.0.113.7", "inner", false)),
            (["X-Forwarded-For: 2001:DB9::7"], ("2001:db9::7", "inner", false)),
            (["X-Forwarded-For: [2001:db9::7]:80"], ("2001:db9::7", "inner", false)),
            (["X-Forwarded-For: ::ffff:203.0.113.7"], ("203.0.113.7", "inner", false)),
            // What isn't an address hides who is in front of it.
            (["X-Forwarded-For: 1.1.1.1, unknown"], ("127.0.0.1", "inner", false)),
            (["X-Forwarded-For: 1.1.1.1, "], ("127.0.0.1", "inner", false)),
            (["X-Forwarded-For: 1.1.1.1,, 10.1.1.1"], ("10.1.1.1", "inner", false)),
            (["X-Forwarded-For: evil\u{1B}[2J"], ("127.0.0.1", "inner", false)),
            (["X-Forwarded-For: 1.1.1.1 203.0.113.7"], ("127.0.0.1", "inner", false)),
            // Host and scheme.
            (
                [
                    "X-Forwarded-For: 203.0.113.7", "X-Forwarded-Host: board.example",
                    "X-Forwarded-Proto: https",
                ], ("203.0.113.7", "board.example", true)
            ),
            (["X-Forwarded-Host: board.example"], ("127.0.0.1", "board.example", false)),
            (
                ["X-Forwarded-For: 203.0.113.7", "X-Forwarded-Host: evil.test, board.example"],
                ("203.0.113.7", "board.example", false)
            ),
            (["X-Forwarded-Proto: HTTPS"], ("127.0.0.1", "inner", true)),
            (["X-Forwarded-Proto: ftp"], ("127.0.0.1", "inner", false)),
            // RFC 7239, with its examples.
            (
                ["Forwarded: for=192.0.2.60;proto=http;by=203.0.113.43"],
                ("192.0.2.60", "inner", false)
            ),
            (
                ["Forwarded: For=\"[2001:db9:cafe::17]:4711\""],
                ("2001:db9:cafe::17", "inner", false)
            ),
            (["Forwarded: for=192.0.2.43, for=10.3.3.3"], ("192.0.2.43", "inner", false)),
            (
                ["Forwarded: for=192.0.2.43", "Forwarded: for=198.51.100.17"],
                ("198.51.100.17", "inner", false)
            ),
            (
                ["Forwarded: for=192.0.2.43;host=board.example;proto=https"],
                ("192.0.2.43", "board.example", true)
            ),
            (["Forwarded: for=192.0.2.43;host=\"a,b;c\\\"d\""], ("192.0.2.43", "a,b;c\"d", false)),
            (["Forwarded: for=_hidden, for=unknown"], ("127.0.0.1", "inner", false)),
            (["Forwarded: for=\"_gazonk\""], ("127.0.0.1", "inner", false)),
            (["Forwarded: for=\"1.1.1.1, for=203.0.113.7"], ("127.0.0.1", "inner", false)),
            (["Forwarded: ;;,=;for"], ("127.0.0.1", "inner", false)),
            (["Forwarded: for = 192.0.2.43"], ("192.0.2.43", "inner", false)),
            // Two kinds: the proxy knows one of them, and passed the other on.
            (
                ["Forwarded: for=203.0.113.7", "X-Forwarded-For: 203.0.113.7"],
                ("203.0.113.7", "inner", false)
            ),
            (["Forwarded: for=1.1.1.1", "X-Forwarded-For: 203.0.113.7"], nil),
            (["Forwarded: for=203.0.113.7", "X-Forwarded-For: 1.1.1.1"], nil),
            // A line that goes on.
            (["X-Forwarded-For: 1.1.1.1,\r\n 203.0.113.7"], ("203.0.113.7", "inner", false)),
            (["X-Forwarded-For : 203.0.113.7"], ("127.0.0.1", "inner", false)),
        ]

        @Test(arguments: rows.indices)
        func `a trusted proxy says who asks, for what, and how`(row: Int) throws {
            let (fields, client) = Self.rows[row]
            var request = Self.request(from: "127.0.0.1")
            let isClear = try TrustedProxies(Self.trusted)
                .resolve(&request, head: Self.head(fields))
            #expect(isClear == (client != nil), "\(fields)")
            guard let client else { return }
            #expect(request.peerAddress == client.0, "\(fields)")
            #expect(request.headers["host"] == client.1, "\(fields)")
            #expect(request.isEncrypted == client.2, "\(fields)")
        }

        @Test(arguments: rows.indices)
        func `nobody else is believed`(row: Int) throws {
            for (address, ranges) in [("203.0.113.99", Self.trusted), ("127.0.0.1", [])] {
                var request = Self.request(from: address)
                #expect(
                    try TrustedProxies(ranges)
                        .resolve(&request, head: Self.head(Self.rows[row].fields)))
                #expect(request.peerAddress == address)
                #expect(request.headers == ["host": "inner"])
                #expect(!request.isEncrypted)
            }
        }

        @Test func `a request over a socket is resolved before anybody is asked`() async throws {
            for (trusted, address, host) in [
                (["127.0.0.1"], "203.0.113.7", "board.example"), ([], "127.0.0.1", "127.0.0.1"),
            ] {
                let requests = Mailbox<UpgradeRequest>()
                let proxies = try TrustedProxies(trusted)
                let server = try await TestServer(
                    { $0.trustedProxies = proxies },
                    Behaviour(
                        accept: {
                            requests.post($0)
                            return .accept(subprotocol: nil)
                        },
                        respond: {
                            requests.post($0)
                            return HTTPResponse(status: 200, body: [])
                        }))
                let fields =
                    "Forwarded: for=1.1.1.1\r\nForwarded: for=203.0.113.7;host=board.example\r\n"
                _ = try RawPeer.open(port: server.port, headers: fields)
                let plain = try RawPeer(port: server.port)
                try plain.send(text: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n")
                _ = try plain.readToEnd()
                for _ in 0..<2 {
                    let request = try await requests.next()
                    #expect(request.peerAddress == address)
                    #expect(request.headers["host"] == host)
                }
                await server.stop()
            }
        }

        @Test func `a request whose proxies contradict each other is refused`() async throws {
            let proxies = try TrustedProxies(["127.0.0.1"])
            let server = try await TestServer({ $0.trustedProxies = proxies }, .echo)
            let peer = try RawPeer(port: server.port)
            try peer.send(
                text: RawPeer.request(
                    headers: "Forwarded: for=1.1.1.1\r\nX-Forwarded-For: 203.0.113.7\r\n"))
            #expect(try peer.readHead().hasPrefix("HTTP/1.1 400 "))
            await server.stop()
        }

        private static func request(from address: String) -> UpgradeRequest {
            UpgradeRequest(
                path: "/", query: "", headers: ["host": "inner", "x-forwarded-for": "x"],
                subprotocols: [], peerAddress: address, isEncrypted: false, method: "GET")
        }

        private static func head(_ fields: [String]) -> [UInt8] {
            let lines = ["GET / HTTP/1.1", "Host: inner"] + fields
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        }
    }
}
