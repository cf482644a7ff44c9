@testable import StorecastCommand
import StorecastServer
import StorecastSync
import Testing

struct DemoAuthenticationTests {
    private func identity(
        token: String?
    ) throws(Rejection) -> Identity {
        try DemoAuthentication.identity(Credentials(token: token, path: "/"))
    }

    @Test func `the token is the user's name, and no token nobody's`() throws {
        #expect(try identity(token: nil) == .anonymous)
        #expect(try identity(token: "ada") == Identity("ada"))
        let longest = String(repeating: "é", count: 64)
        #expect(try identity(token: longest) == Identity(longest))
    }

    @Test(arguments: [
        "", String(repeating: "x", count: 65), "a\u{1B}b", "a\nb", " ", "\u{200B}", "\u{202E}nimda",
        "ad\u{200D}a", "ada\u{E0041}",
    ])
    func `a token that is no name is refused`(token: String) {
        let error = #expect(throws: Rejection.self) {
            try identity(token: token)
        }
        #expect(error?.code == .unauthenticated)
    }
}
