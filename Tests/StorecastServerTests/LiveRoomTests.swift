import StorecastClient
import StorecastServer
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LiveRoomTests {
    @Test func `the server's own code reads and dispatches`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        _ = try await server.start()
        let room = try await server.room("/", of: Tallies.self)
        #expect(try await room.dispatch(Add(number: 2)).outcome.version == 1)
        #expect(try await room.withStore { $0.state.count } == 2)
        // What is dispatched inside goes through the journal too, and so comes after.
        let before = try await room.withStore { store in
            store.dispatch(Add(number: 3))
            return store.state.count
        }
        #expect(before == 2)
        _ = try await room.dispatch(Add(number: 0)).outcome
        #expect(try await room.withStore { $0.state.count } == 5)
        #expect(try await room.position.version == 3)
        await server.stop()
    }

    @Test func `it speaks as the server, or for someone`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        _ = try await server.start()
        let room = try await server.room("/", of: Tallies.self)
        _ = try await room.dispatch(Add(number: 1)).outcome
        #expect(try await room.withStore { $0.state.last } == "server")
        _ = try await room.dispatch(Add(number: 1), as: Identity("ada")).outcome
        #expect(try await room.withStore { $0.state.last } == "ada")
        await server.stop()
    }

    @Test func `an error thrown inside comes out as it is`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        _ = try await server.start()
        let room = try await server.room("/", of: Tallies.self)
        await #expect(throws: Rejection(.conflict, "Mine.")) {
            try await room.withStore { _ in
                throw Rejection(.conflict, "Mine.")
            }
        }
        await server.stop()
    }

    @Test func `a path without a room, and a room of another state, are refused`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        _ = try await server.start()
        for path in ["/other", "/"] {
            do {
                _ = try await server.room(path, of: Int.self)
                Issue.record("A room of another state was given.")
            } catch {
                #expect(error.code == .noRoom)
                #expect(error.description.contains("'\(path)'"))
            }
        }
        await server.stop()
    }

    @Test func `a dispatch to a server that has stopped ends`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        _ = try await server.start()
        let room = try await server.room("/", of: Tallies.self)
        await server.stop()
        do {
            _ = try await room.dispatch(Add(number: 1)).outcome
            Issue.record("A stopped server reduced an action.")
        } catch {
            #expect(error.code == .closed)
        }
    }
}
