#if os(Linux)
    import StorecastSync

    extension JournalReplayCommand {
        /// Plays the room for clients too, until a signal ends the program.
        func play(_ room: RecordedRoom, on port: Int) async throws {
            let part = part
            let beginning = try part.playback(of: room).snapshot
            let (arrivals, arrival) = AsyncStream<Void>.makeStream()
            let server = try ReplayServer(of: room, port: port) { arrival.yield() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in arrivals { break }
                    try await part.play(room, writingTo: StandardOutput.write) { server.show($0) }
                    StandardError.write("That was all; the last state stays until you stop this.")
                    for await _ in arrivals {}
                }
                group.addTask {
                    try await server.run { url in
                        server.show(beginning)
                        StandardOutput.write("listening on \(url)")
                    }
                }
                // The first to end is the server, when it is told to, or whoever failed.
                try await group.next()
                group.cancelAll()
            }
        }
    }
#endif
