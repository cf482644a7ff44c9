import StorecastClient
import Testing
import TestSupport

@testable import StorecastRoom
@testable import StorecastServer

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
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

    // MARK: Rooms that can't be opened

    /// A server, and a room of it that isn't in memory.
    private func away(
        _ journal: FickleJournal
    ) async throws -> (server: SyncServer, room: LiveRoom<Tallies>) {
        let server = SyncServer(
            port: 0, journal: journal.provider(), rooms: { _ in Tallies.room })
        _ = try await server.start()
        return (server, LiveRoom("/", on: try #require(server.home(of: "/"))))
    }

    @Test func `it waits for a journal that can't be reached, and then has the room`()
        async throws
    {
        let journal = FickleJournal()
        journal.answer = .failure(.unavailable("Away."))
        let (server, room) = try await away(journal)
        let (count, version) = (
            Task { try await room.withStore { $0.state.count } },
            Task { try await room.position.version }
        )
        #expect(await eventually { journal.asked > 0 })
        journal.answer = .history
        #expect(try await inTime { try await count.value } == 0)
        #expect(try await inTime { try await version.value } == 0)
        await server.stop()
    }

    @Test(
        arguments: [.damaged("Torn."), .truncated(below: 2)] as [JournalError])
    func `it says that a journal can't be read, and asks again the next time`(
        error: JournalError
    ) async throws {
        let journal = FickleJournal()
        journal.answer = .failure(error)
        let (server, room) = try await away(journal)
        for _ in 1...2 {
            let thrown = await #expect(throws: ServerError.self) {
                try await inTime { try await room.withStore { $0.state.count } }
            }
            #expect(thrown?.code == .journalUnreadable)
        }
        journal.answer = .history
        #expect(try await inTime { try await room.withStore { $0.state.count } } == 0)
        await server.stop()
    }

    @Test(arguments: [.failure(.unavailable("Away.")), .none] as [FickleJournal.Answer])
    func `who waits for a room is told when the server stops`(
        answer: FickleJournal.Answer
    ) async throws {
        let journal = FickleJournal()
        journal.answer = answer
        let (server, room) = try await away(journal)
        let waiting = Task { try await room.withStore { $0.state.count } }
        #expect(await eventually { journal.asked > 0 })
        await server.stop()
        let thrown = await #expect(throws: ServerError.self) {
            try await inTime { try await waiting.value }
        }
        #expect(thrown?.code == .notRunning)
    }

    @Test func `what is dispatched to a room that can't be opened is refused, the next isn't`()
        async throws
    {
        let journal = FickleJournal()
        journal.answer = .failure(.unavailable("Away."))
        let (server, room) = try await away(journal)
        for _ in 1...2 {
            let thrown = await #expect(throws: Rejection.self) {
                try await inTime { try await room.dispatch(Add(number: 5)).outcome }
            }
            #expect(thrown?.code == .closed)
        }
        journal.answer = .history
        let position = try await inTime { try await room.dispatch(Add(number: 3)).outcome }
        #expect(position.version == 1)
        #expect(try await room.withStore { $0.state.count } == 3)
        await server.stop()
    }

    @Test(
        arguments: [
            (.unavailable("Away."), .journalUnavailable), (.damaged("Torn."), .journalUnreadable),
            (.truncated(below: 2), .journalUnreadable),
        ] as [(JournalError, ServerError.Code)])
    func `a room that can't be opened is said, and asked for again`(
        error: JournalError, code: ServerError.Code
    ) async throws {
        let journal = FickleJournal()
        journal.answer = .failure(error)
        let server = SyncServer(
            port: 0, journal: journal.provider(), rooms: { _ in Tallies.room })
        let url = try await server.start()
        for _ in 1...2 {
            let thrown = await #expect(throws: ServerError.self) {
                try await inTime { try await server.room("/", of: Tallies.self) }
            }
            #expect(thrown?.code == code)
        }
        #expect(journal.asked == 2)
        journal.answer = .history
        // Nor do clients find the room that couldn't be opened.
        let client = RemoteConnection(url)
        let position = try await inTime { try await client.dispatch(Add(number: 1)).outcome }
        #expect(position.version == 1)
        let room = try await inTime { try await server.room("/", of: Tallies.self) }
        #expect(try await room.withStore { $0.state.count } == 1)
        client.close()
        await server.stop()
    }
}
