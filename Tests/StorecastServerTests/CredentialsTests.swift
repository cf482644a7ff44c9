import Testing

@testable import StorecastServer
@testable import StorecastWebSocket

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
}
