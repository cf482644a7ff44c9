@testable import StorecastCommand
import StorecastServer
import StorecastSync
import Testing

struct DemoAuthenticationTests {
    private func identity(
        token: String?, headers: [String: String] = [:]
    ) throws(Rejection) -> Identity {
        try DemoAuthentication.identity(Credentials(token: token, path: "/", headers: headers))
    }

    @Test func `the token is the user's name, and no token nobody's`() throws {
        #expect(try identity(token: nil) == .anonymous)
        #expect(try identity(token: "ada") == Identity("ada"))
        let longest = String(repeating: "é", count: 64)
        #expect(try identity(token: longest) == Identity(longest))
    }

    @Test(arguments: ["", String(repeating: "x", count: 65), "a\u{1B}b", "a\nb"])
    func `a token that is no name is refused`(token: String) {
        let error = #expect(throws: Rejection.self) {
            try identity(token: token)
        }
        #expect(error?.code == .unauthenticated)
    }

    @Test func `a page of another site is refused`() throws {
        let error = #expect(throws: Rejection.self) {
            try identity(
                token: "ada",
                headers: ["host": "127.0.0.1:9090", "origin": "https://elsewhere.example"])
        }
        #expect(error?.code == .forbidden)
    }
}
