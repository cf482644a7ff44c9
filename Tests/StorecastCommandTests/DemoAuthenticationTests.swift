@testable import StorecastCommand
import StorecastSync
import Testing

struct DemoAuthenticationTests {
    @Test func `the token is the user's name, and no token nobody's`() throws {
        #expect(try DemoAuthentication.identity(token: nil) == .anonymous)
        #expect(try DemoAuthentication.identity(token: "ada") == Identity("ada"))
        let longest = String(repeating: "é", count: 64)
        #expect(try DemoAuthentication.identity(token: longest) == Identity(longest))
    }

    @Test(arguments: ["", String(repeating: "x", count: 65), "a\u{1B}b", "a\nb"])
    func `a token that is no name is refused`(token: String) {
        let error = #expect(throws: Rejection.self) {
            try DemoAuthentication.identity(token: token)
        }
        #expect(error?.code == .unauthenticated)
    }
}
