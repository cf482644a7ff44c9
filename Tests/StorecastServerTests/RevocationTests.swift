import StorecastClient
import StorecastServer
import Synchronization
import TestSupport
import Testing

/// Identities of real connections that end.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) struct RevocationTests {
    /// Whom the server takes a token for, and the tokens that it was shown.
    private final class Desk: Sendable {
        let people = Mutex<[String: Identity]>([:])
        let shown = Mutex<[String]>([])

        func identity(_ credentials: Credentials) throws -> Identity {
            let token = credentials.token ?? ""
            shown.withLock { $0.append(token) }
            guard let identity = people.withLock({ $0[token] }) else {
                throw Rejection(.unauthenticated, "Nobody has this token.")
            }
            return identity
        }
    }

    @Test(arguments: [1, 3])
    func `a revoked identity's connections end, on every loop, and come back with another token`(
        loops: Int
    ) async throws {
        let desk = Desk()
        desk.people.withLock { $0 = ["a1": Identity("ada"), "b1": Identity("bob")] }
        let server = SyncServer(port: 0, loops: loops, rooms: { _ in Tallies.room }) {
            try desk.identity($0)
        }
        let url = try await server.start()
        let token = Mutex("a1")
        let adas = (1...6).map { number in
            RemoteConnection("\(url)\(number)", token: { token.withLock(\.self) })
        }
        let bob = RemoteConnection("\(url)1", token: { "b1" })
        for connection in adas + [bob] { #expect(await connection.isLive()) }
        token.withLock { $0 = "a2" }
        desk.people.withLock { people in
            people["a1"] = nil
            people["a2"] = Identity("ada")
        }
        // What is dispatched meanwhile isn't lost.
        #expect(await server.revoke(Identity("ada", roles: ["any"])) == 6)
        for connection in adas {
            _ = try await connection.dispatch(Add(number: 1)).outcome
        }
        #expect(desk.shown.withLock { $0.filter { $0 == "a2" }.count } == 6)
        #expect(desk.shown.withLock { $0.filter { $0 == "b1" }.count } == 1)
        #expect(await server.revoke { $0.roles.contains("any") } == 0)
        for connection in adas + [bob] { connection.close() }
        await server.stop()
    }

    @Test func `who has no other token is told so`() async throws {
        let desk = Desk()
        desk.people.withLock { $0 = ["a1": Identity("ada")] }
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { try desk.identity($0) }
        let connection = RemoteConnection(try await server.start(), token: { "a1" })
        #expect(await connection.isLive())
        desk.people.withLock { $0 = [:] }
        #expect(await server.revoke(Identity("ada")) == 1)
        connection.reconnect()
        let rejection = await connection.end()
        #expect(rejection == Rejection(.unauthenticated, "Nobody has this token."))
        await server.stop()
    }

    @Test func `a connection whose token expires is shown another, and goes on`() async throws {
        let (shown, continuation) = AsyncStream<String?>.makeStream()
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { credentials in
            continuation.yield(credentials.token)
            let now = Timestamp.now().secondsSince1970
            let expires = credentials.token == "1" ? now + 12 : now + 1000
            return Identity("ada", expires: Timestamp(secondsSince1970: expires))
        }
        let number = Mutex(0)
        let connection = RemoteConnection(
            try await server.start(),
            token: {
                number.withLock { number in
                    number += 1
                    return "\(number)"
                }
            })
        var tokens: [String?] = []
        for await token in shown {
            tokens.append(token)
            if tokens.count == 2 { break }
        }
        #expect(tokens == ["1", "2"])
        #expect(connection.status == .live)
        _ = try await connection.dispatch(Add(number: 1)).outcome
        #expect(await server.revoke(Identity("ada")) == 1)
        connection.close()
        await server.stop()
    }
}
