import StorecastClient
import StorecastServer
import TestSupport
import Testing

/// A client takes actions and reducer from the definition of the room that it shares with the
/// server: nothing is said of them a second time.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct SharedRoomTests {
    @Test func `a part of the state shows at once what the room's reducer makes of an action`()
        async throws
    {
        let desk = try await Desk()
        let titles = RemoteStore(Shelf.titles, on: desk.connection, optimistic: Shelf.room())
        for await _ in titles.states { break }
        let dispatch = titles.dispatch(PutBook(title: "Emma"))
        #expect(titles.state == ["Emma"])
        _ = try await dispatch.outcome
        #expect(titles.state == ["Emma"])
        await desk.close()
    }

    @Test func `what the room rejects is gone again`() async throws {
        let desk = try await Desk()
        try await desk.put("Emma")
        let titles = RemoteStore(Shelf.titles, on: desk.connection, optimistic: Shelf.room())
        for await state in titles.states where state == ["Emma"] { break }
        let again = titles.dispatch(PutBook(title: "Emma"))
        #expect(titles.state == ["Emma", "Emma"])
        await #expect(throws: Rejection.self) { try await again.outcome }
        #expect(titles.state == ["Emma"])
        await desk.close()
    }

    @Test func `what an earlier process left is shown with the actions of the room`() async throws {
        let folder = try TemporaryDirectory()
        let first = RemoteConnection("ws://127.0.0.1:9/", outbox: .file(folder.file("outbox")))
        first.dispatch(PutBook(title: "Emma"))
        first.close()
        _ = await first.settledStatus

        let second = RemoteConnection(
            "ws://127.0.0.1:9/", room: Shelf.room(), outbox: .file(folder.file("outbox")))
        #expect((second.pending.first?.action as? PutBook)?.title == "Emma")
        second.close()
    }

    @Test func `a selection that is computed needs a reducer of its value`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            let connection = RemoteConnection("ws://127.0.0.1:9/")
            _ = RemoteStore(Shelf.books, on: connection, optimistic: Shelf.room())
        }
        let said = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            said.contains(
                "The selection 'books' is computed, so the room's reducer can't change it."))
    }

    @Test func `a selection that was forgotten in the room is found when the store is made`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            let connection = RemoteConnection("ws://127.0.0.1:9/")
            let all = Selection("all", part: \Shelf.self)
            _ = RemoteStore(all, on: connection, optimistic: Shelf.room())
        }
        let said = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(said.contains("The room has no selection 'all'."))
    }

    #if DEBUG
        @Test func `an action that was forgotten in the room is found where it is dispatched`()
            async throws
        {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                RemoteConnection("ws://127.0.0.1:9/", room: Shelf.room()).dispatch(Unknown())
            }
            let said = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(said.contains(Self.forgotten))
        }
    #else
        @Test func `an action that was forgotten in the room is rejected at once`() async {
            let connection = RemoteConnection("ws://127.0.0.1:9/", room: Shelf.room())
            do throws(Rejection) {
                _ = try await connection.dispatch(Unknown()).outcome
                Issue.record("Nobody answers there.")
            } catch {
                #expect(error.code == .unknownAction)
                #expect(error.detail == Self.forgotten)
            }
            #expect(connection.pendingCount == 0)
            connection.close()
        }
    #endif

    private static let forgotten =
        "'Unknown' isn't among the room's actions. Add Unknown.self to `actions` of its definition."
}
