import Testing

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
}
