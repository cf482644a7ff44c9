import StorecastClient
import StorecastServer
import TestSupport
import Testing

@testable import StorecastDevtools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct DevtoolsAccessTests {
    private static let token = DevtoolsClient.token

    private func refusal(_ access: DevtoolsAccess, token: String? = nil) -> Rejection.Code? {
        switch access.identity(token: token) {
        case .success: nil
        case .failure(let rejection): rejection.code
        }
    }

    @Test func `a token lets in whoever has it`() {
        let access = DevtoolsAccess.token(Self.token)
        #expect(refusal(access, token: Self.token) == nil)
        #expect(refusal(access, token: Self.token + " ") == .unauthenticated)
        #expect(refusal(access, token: "") == .unauthenticated)
        #expect(refusal(access) == .unauthenticated)
    }

    /// Each byte of the digest is that of another token's as often as one in 256 times.
    @Test func `no part of a token's digest lets in who has another token`() {
        let access = DevtoolsAccess.token(Self.token)
        let digest = SHA256.digest(of: Self.token.utf8)
        var equalPlaces: Set<Int> = []
        for number in 0..<2500 {
            let other = "\(Self.token) \(number)"
            let shown = SHA256.digest(of: other.utf8)
            equalPlaces.formUnion(digest.indices.filter { digest[$0] == shown[$0] })
            #expect(refusal(access, token: other) == .unauthenticated, "\(other)")
        }
        #expect(equalPlaces.count == 32, "More tokens are needed.")
    }

    @Test func `a token that is made can't be guessed`() {
        let (one, other) = (DevtoolsAccess.makeToken(), DevtoolsAccess.makeToken())
        #expect(one != other)
        #expect(one.utf8.count == 32)
        #expect(refusal(.token(one), token: one) == nil)
        #expect(refusal(.token(one), token: other) == .unauthenticated)
    }

    @Test func `from this machine nobody gets in without it either`() async throws {
        let server = SyncServer(
            port: 0, extensions: [.devtools(.token(Self.token))], rooms: { _ in nil })
        let connection = RemoteConnection(try await server.start().at("/devtools"))
        #expect(await connection.end()?.code == .unauthenticated)
        await server.stop()
    }

    @Test func `a token that could be guessed isn't taken`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = DevtoolsAccess.token("short")
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("A devtools token has at least 16 characters."))
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

    @Test func `two extensions of a server can't have the same path`() async {
        await #expect(processExitsWith: .failure) {
            let devtools = ServerExtension.devtools(.token("a token of the devtools' own"))
            _ = SyncServer(extensions: [devtools, devtools], rooms: { _ in nil })
        }
    }

    @Test func `the rooms' own authentication isn't asked, and doesn't help`() async throws {
        let server = SyncServer(
            port: 0, extensions: [.devtools(.token(Self.token))], rooms: { _ in Tallies.room }
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
