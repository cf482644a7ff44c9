import Testing

@testable import StorecastMirror

struct ServerURLTests {
    private static let schemes = [
        ("ws://", false), ("wss://", true), ("WS://", false), ("wSs://", true),
    ]
    private static let hosts = [
        ("localhost", "localhost"), ("Example.org", "Example.org"), ("a-b.c.d.", "a-b.c.d."),
        ("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("[fe80::1%25eth0]", "fe80::1%25eth0"),
        ("ws", "ws"),
    ]
    /// RFC 6455, section 3: without a port it is 80, or 443 with TLS.
    private static let ports =
        [
            ("", nil), (":1", 1), (":80", 80), (":443", 443), (":9090", 9090), (":65535", 65535),
            (":0080", 80),
        ] as [(String, Int?)]
    private static let paths = [
        ("", "/"), ("/", "/"), ("/room", "/room"), ("/a/b/", "/a/b/"), ("/a:1/@b", "/a:1/@b"),
        ("?token=1", "/?token=1"), ("/?a=b", "/?a=b"), ("/a?b=/c?d", "/a?b=/c?d"),
        ("?at=wss://b:1", "/?at=wss://b:1"), ("/%C3%A9", "/%C3%A9"),
    ]

    @Test(arguments: schemes, ports)
    func `every scheme, host, port and path is taken apart`(
        _ scheme: (String, Bool), _ port: (String, Int?)
    ) throws {
        for (host, hostPart) in Self.hosts {
            for (path, pathPart) in Self.paths {
                let text = scheme.0 + host + port.0 + path
                let url = try #require(ServerURL(text), "\(text)")
                let standard = scheme.1 ? 443 : 80
                #expect(url.isSecure == scheme.1, "\(text)")
                #expect(url.host == hostPart, "\(text)")
                #expect(url.port == port.1 ?? standard, "\(text)")
                #expect(url.path == pathPart, "\(text)")
                #expect(ServerURL.completed(text) == text)
            }
        }
    }

    @Test(arguments: [
        // Other schemes, and none.
        "", "host", "//host/", "host:80/", "http://host/", "https://host/", "ws:/host/", "ws:host",
        "ws//host/", "wsss://host/", " ws://host/", "x-ws://host/",
        // No host.
        "ws://", "wss://", "ws:///", "ws:///room", "ws://?a", "ws://:80/", "ws://[]/",
        "ws://[]:80/",
        // No port.
        "ws://host:0/", "ws://host:00/", "ws://host:65536/", "ws://host:99999/", "ws://host:-1/",
        "ws://host:+80/", "ws://host:8o/", "ws://host:80:80/", "ws://host:0x50/", "ws://host:80.0/",
        // Half an IPv6 address, and one without brackets.
        "ws://[::1/", "ws://[::1", "ws://::1/", "ws://[::1]80/", "ws://[::1]]/", "ws://[::1]x:80/",
        // Credentials and fragments.
        "ws://user@host/", "ws://user:password@host/", "ws://@host/", "ws://host/#part",
        "ws://host#",
        // What no URL holds as it is.
        "ws://ho st/", "ws://host/a b", "ws://host/\t", "ws://host/\r\n", "ws://h\u{f6}st/",
        "ws://host/\u{e9}", "ws://host/\0", "ws://host/\u{7f}",
    ])
    func `what isn't an address is none`(_ text: String) {
        #expect(ServerURL(text) == nil)
        if text.contains("://"), !text.hasPrefix("http") {
            #expect(ServerURL.completed(text) == nil)
        }
        let shown = text.contains("#") ? text.prefix { $0 != "#" } + "#…" : text[...]
        #expect(ServerURL.problem(with: text).hasPrefix("'\(shown)' isn't a server's address."))
    }

    @Test(
        arguments: [
            ("host", "ws://host"), ("host:9090/room", "ws://host:9090/room"),
            ("[::1]", "ws://[::1]"),
            ("127.0.0.1:80", "ws://127.0.0.1:80"), ("host/a?b", "ws://host/a?b"),
            ("host?u=ws", "ws://host?u=ws"),
            ("", nil), ("/room", nil), (":80", nil), ("host:0", nil),
            ("http://host:9090/room", "ws://host:9090/room"), ("https://host", "wss://host"),
            ("HTTPS://host/?a=http://b", "wss://host/?a=http://b"),
            ("http://", nil), ("https://host:0", nil), ("http://user@host", nil),
            ("http://host/#token=secret", nil), ("httpx://host", nil),
            ("://host", nil), ("user@host", nil), ("host/#part", nil), ("ho st", nil),
        ] as [(String, String?)])
    func `a person may leave out the scheme`(_ text: String, _ url: String?) {
        #expect(ServerURL.completed(text) == url)
    }
}
