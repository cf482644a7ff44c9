#if os(Linux)
    import ArgumentParser
    import Example
    import StorecastClient
    import StorecastSync
    import StorecastTesting
    import Testing

    @testable import StorecastTools

    @MainActor @Suite(.timeLimit(.minutes(1)))
    struct ReplayServerTests {
        @Test func `clients see the past go by, and can't change it`() async throws {
            let board = try await ArchivedBoard()
            try await KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
                let room = try JournalRoomOptions.parse([board.path]).open()
                defer { room.close() }
                try await serve(room, from: 2) { playback, server, connection in
                    let store = RemoteStore(Board.summary, on: connection)
                    var summaries = store.states.makeAsyncIterator()
                    let first = try #require(await summaries.next())
                    #expect(first.cards == 0)
                    #expect(first.present == 1)
                    #expect(store.position?.version == 1)
                    // One by one: what comes together is seen together.
                    for (cards, present) in [(1, 1), (1, 2), (2, 2)] {
                        server.show(try #require(try playback.next()).entry)
                        let next = try #require(await summaries.next())
                        #expect(next.cards == cards)
                        #expect(next.present == present)
                    }
                    while let next = try playback.next() { server.show(next.entry) }
                    while let next = await summaries.next(), next.present == 2 {}
                    #expect(store.state?.columns == 4)
                    #expect(store.position?.version == 9)
                    let refusal = Rejection(
                        .forbidden, "This is a replay: nothing can be changed in it.")
                    await #expect(throws: refusal) {
                        try await store.dispatch(Say(text: "Mine")).outcome
                    }
                    #expect(store.state?.messages == 1)
                }
            }
        }

        private func serve(
            _ room: RecordedRoom, from version: UInt64,
            _ body: (inout RoomPlayback, ReplayServer, RemoteConnection) async throws -> Void
        ) async throws {
            let pace = ReplayPace(ReplaySpeed(.infinity), longestPause: nil)
            var playback = try RoomPlayback(of: room, from: version, to: nil, pace: pace)
            let (urls, listening) = AsyncStream<String>.makeStream()
            let server = try ReplayServer(of: room, port: 0) {}
            let serving = Task { try await server.run { listening.yield($0) } }
            defer { serving.cancel() }
            var addresses = urls.makeAsyncIterator()
            let url = try #require(await addresses.next())
            server.show(try playback.snapshot)
            let connection = RemoteConnection(url)
            defer { connection.close() }
            try await body(&playback, server, connection)
            connection.close()
            serving.cancel()
            try await serving.value
        }
    }
#endif
