import StorecastClient
import Testing

@testable import StorecastServer

@Suite(.timeLimit(.minutes(1)))
struct DevtoolsAccessTests {
    private static let token = "a token of the devtools' own"

    private func refusal(
        _ access: DevtoolsAccess, token: String? = nil, from address: String = "127.0.0.1",
        _ headers: [String: String] = ["host": "127.0.0.1:9090"]
    ) -> Rejection.Code? {
        let credentials = Credentials(
            token: token, path: "/devtools", address: address, headers: headers)
        do throws(Rejection) {
            _ = try access.identity(credentials)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a token lets in whoever has it, from anywhere`() {
        let access = DevtoolsAccess.token(Self.token)
        #expect(refusal(access, token: Self.token, from: "203.0.113.7") == nil)
        #expect(refusal(access, token: Self.token + " ") == .unauthenticated)
        #expect(refusal(access, token: "") == .unauthenticated)
        #expect(refusal(access) == .unauthenticated)
    }

    @Test(arguments: ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
    func `without a token this machine is let in`(address: String) {
        #expect(refusal(.loopback, from: address) == nil)
    }

    @Test(arguments: ["203.0.113.7", "127.0.0.1.example.org", "127.0.0", "", "::2", "fe80::1"])
    func `without a token others aren't`(address: String) {
        #expect(refusal(.loopback, from: address) == .forbidden)
    }

    @Test func `a proxy on this machine doesn't let others in`() {
        let headers = ["host": "localhost", "x-forwarded-for": "203.0.113.7"]
        #expect(refusal(.loopback, headers) == .forbidden)
    }

    @Test(arguments: [
        "http://127.0.0.1:9090", "http://localhost", "http://[::1]:80", "https://localhost:1",
    ])
    func `pages of this machine are let in`(origin: String) {
        #expect(refusal(.loopback, ["host": "localhost:9090", "origin": origin]) == nil)
    }

    @Test(arguments: [
        "https://example.org", "http://localhost.example.org", "null", "http://127.0.0.1.nip.io",
        "http://example.org:80/localhost",
    ])
    func `pages from elsewhere in this machine's browser aren't`(origin: String) {
        #expect(refusal(.loopback, ["host": "localhost:9090", "origin": origin]) == .forbidden)
    }

    @Test func `neither are those under a name that leads to this machine`() {
        let headers = ["host": "rebound.example.org", "origin": "http://rebound.example.org"]
        #expect(refusal(.loopback, headers) == .forbidden)
    }

    @Test func `a token that could be guessed isn't taken`() async {
        await #expect(processExitsWith: .failure) { _ = DevtoolsAccess.token("short") }
    }

    @Test func `a server has none unless it is told to`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        let connection = RemoteConnection(try await server.start().at("/devtools"))
        #expect(await connection.end()?.code == Rejection.Code("no-room"))
        await server.stop()
    }

    @Test func `nobody else is let in under the developers' id`() async throws {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { credentials in
            Identity(credentials.token ?? "")
        }
        let url = try await server.start()
        let pretender = RemoteConnection(url, token: { "storecast.devtools" })
        #expect(await pretender.end()?.code == .forbidden)
        await server.stop()
    }

    @Test func `the rooms' own authentication isn't asked, and doesn't help`() async throws {
        let server = SyncServer(
            port: 0, devtools: .token(Self.token), rooms: { _ in Tallies.room }
        ) { _ in Identity("ada") }
        let url = try await server.start()
        let stranger = RemoteConnection(url.at("/devtools"), token: { "ada" })
        #expect(await stranger.end()?.code == .unauthenticated)
        let developer = RemoteConnection(url.at("/devtools"), token: { Self.token })
        #expect(await developer.isLive())
        developer.close()
        await server.stop()
    }
}
