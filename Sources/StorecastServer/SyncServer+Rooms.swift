import StorecastRoom

/// The rooms of a server, for its own code and for the cluster that it is one of.
extension SyncServer {
    /// A room for the server's own code; opened if need be, and then kept open.
    ///
    /// An edge, and a server of a cluster, has no rooms for its code (`noRoom`), as they are another's,
    /// or may be at the next moment: there it is a client as others are, of this server.
    ///
    /// Throws a ``ServerError``: `noRoom`, `notRunning`, `journalUnavailable` if the room may be
    /// opened later, or `journalUnreadable`.
    public func room<State: Codable & Sendable>(
        _ path: String, of type: State.Type
    ) async throws(ServerError) -> LiveRoom<State> {
        guard let home = home(of: path) else {
            throw ServerError(.notRunning, "The server doesn't run.")
        }
        try await home.open(path, of: type)
        return LiveRoom(path, on: home)
    }

    /// The loop on which a room lives, if the server runs.
    func home(of path: String) -> ServerLoop? {
        let loops = runningLoops()
        guard !loops.isEmpty else { return nil }
        return loops[ServerLoopCore.homeIndex(of: path, loops: loops.count)]
    }

    // MARK: A part of a larger server

    /// The part of it that has rooms, if it is a cluster's.
    package var owner: SyncServer? { part?.owner }

    /// How long it may take to end.
    package var drainTimeout: Duration { configuration.limits.drainTimeout }

    /// Clients are sent elsewhere as long as this says why, beside what the server itself knows.
    package func setUnreadiness(_ problem: @escaping @Sendable () -> String?) {
        configuration.metrics.setUnreadiness(problem)
    }

    // MARK: Rooms that go from server to server

    /// The server with the id is gone, which an edge found to be the owner of rooms: it looks for
    /// others at once.
    package func upstreamEnded(_ server: String) async {
        for loop in runningLoops() { await loop.upstreamEnded(server) }
    }

    /// Whether the room is open here.
    package func hasRoom(_ path: String) async -> Bool {
        await home(of: path)?.hasRoom(path) == true
    }

    /// The rooms that are open here.
    package func openRooms() async -> [String] {
        var found: [String] = []
        for loop in runningLoops() { found += await loop.openRooms }
        return found
    }

    /// Has a room write what makes opening it elsewhere quick.
    package func prepareToLeave(_ path: String) async { await home(of: path)?.prepareToLeave(path) }

    /// Leaves a room that is open here to another server: its clients are told to connect again.
    ///
    /// - Parameters:
    ///   - reason: for the log.
    ///   - asTold: whether it was given to that one, so that nothing is wrong.
    package func leave(_ path: String, _ reason: String, asTold: Bool) async {
        await home(of: path)?.leave(path, reason, asTold: asTold)
    }
}
