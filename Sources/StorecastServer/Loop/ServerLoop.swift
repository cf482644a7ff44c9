import StorecastRoom
import StorecastWebSocket

/// The actor of one event loop of a server: its connections, and the rooms that live on it.
///
/// The loop itself is its executor, so callbacks of the sockets enter it without a hop.
actor ServerLoop {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var core: ServerLoopCore?

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Begins as loop `index` of `peers`: takes what the others say, and has rooms.
    func begin(
        _ configuration: ServerConfiguration, _ store: any JournalStore, index: Int,
        peers: [ServerLoop]
    ) {
        core = ServerLoopCore(configuration, store, index: index, peers: peers, loop: loop)
    }

    /// Takes connections, whose rooms may live on any loop: when all have begun. Returns the port.
    func listen(_ listener: WebSocketServerConfiguration) throws(ServerError) -> Int {
        guard let core else { throw Self.notRunning }
        return try core.listen(listener)
    }

    /// Says goodbye to everyone. Returns when they are gone, or after the close time-out, and rooms
    /// have written their snapshots.
    func stop() async {
        guard let core else { return }
        await withCheckedContinuation { continuation in
            core.stop { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            core.rooms.prepareRoomsToEnd { continuation.resume() }
        }
    }

    /// Breaks the cycle of references between loops that have stopped, so that they are freed.
    func release() {
        core?.release()
    }

    /// Ends the connections of those identities to rooms of this loop; returns how many.
    func revoke(where isRevoked: @escaping @Sendable (Identity) -> Bool) -> Int {
        core?.revoke(where: isRevoked) ?? 0
    }

    func set(_ limits: SyncLimits) { core?.set(limits) }

    func allow(_ origins: AllowedOrigins) { core?.allow(origins) }

    /// Ends what rules that have changed don't allow any more, of rooms of this loop.
    func askRulesAgain() { core?.rooms.askRulesAgain() }

    /// The server with the id is gone, which is the owner of some rooms.
    func upstreamEnded(_ server: String) { core?.upstreamEnded(server) }

    func hasRoom(_ path: String) -> Bool {
        core?.rooms.rooms[ExactString(path)]?.hasFailed == false
    }

    var openRooms: [String] {
        guard let core else { return [] }
        return core.rooms.rooms.values.filter { !$0.hasFailed && core.part(at: $0.name) == nil }
            .map(\.name).sorted()
    }

    /// Has a room write what makes opening it elsewhere quick, within a quarter of the time for the
    /// end.
    func prepareToLeave(_ path: String) async {
        guard let core else { return }
        await withCheckedContinuation { continuation in
            core.rooms.prepareRoomToEnd(path) { continuation.resume() }
        }
    }

    /// Leaves a room to another server.
    func leave(_ path: String, _ reason: String, asTold: Bool) {
        core?.rooms.rooms[ExactString(path)]?.leave(reason, asTold: asTold)
    }

    /// Calls `handler` on every signal of `signals`.
    func handle(_ signals: [Int32], _ handler: @escaping @Sendable (Int32) -> Void) {
        loop.handleSignals(signals) { handler($0) }
    }

    /// Opens the room if need be, so that it stays.
    func open<State: Codable & Sendable>(
        _ path: String, of type: State.Type
    ) async throws(ServerError) {
        guard let core else { throw Self.notRunning }
        let room = try core.keptRoom(path, of: type)
        let phase = await withCheckedContinuation { continuation in
            room.whenLoaded { continuation.resume(returning: $0) }
        }
        if phase == .ready { return }
        if core.rooms.isStopping { throw Self.notRunning }
        throw phase.isFinal
            ? Self.unreadable(path)
            : ServerError(
                .journalUnavailable,
                "The journal of the room at '\(path)' can't be read now; try again later.")
    }

    /// Runs `body` with the room, which was opened before, and may have to be opened again.
    func withRoom<State: Codable & Sendable, Result: Sendable>(
        _ path: String, _ body: @Sendable (Room<State>) throws -> Result
    ) async throws -> Result {
        try body(try await loadedRoom(path))
    }

    /// Waits as long as the journal can't be reached; throws if what it has can't be read.
    private func loadedRoom<State: Codable & Sendable>(
        _ path: String
    ) async throws(ServerError) -> Room<State> {
        while let core {
            if let room = core.rooms.usedRoom(path) {
                guard let room = room as? Room<State> else {
                    preconditionFailure("The room '\(path)' has another state than it had before.")
                }
                let phase = await withCheckedContinuation { continuation in
                    room.whenLoaded { continuation.resume(returning: $0) }
                }
                if phase == .ready { return room }
                if phase.isFinal { throw Self.unreadable(path) }
            }
            // No room is read again once the server has stopped.
            if core.rooms.isStopping { break }
            // Not a timer of the loop, which forgets them when it ends; and not cut short with the
            // caller's task, as it would then ask again at once.
            await Task.detached { try? await Task.sleep(for: .seconds(1)) }.value
        }
        throw Self.notRunning
    }

    private static var notRunning: ServerError {
        ServerError(.notRunning, "The server doesn't run.")
    }

    private static func unreadable(_ path: String) -> ServerError {
        ServerError(.journalUnreadable, "The journal of the room at '\(path)' can't be read.")
    }

    /// Runs `work` on the loop behind everything given to it before; not if the server never began.
    nonisolated func perform(_ work: @escaping @Sendable (ServerLoopCore) -> Void) {
        loop.execute { [self] in
            assumeIsolated { actor in
                if let core = actor.core { work(core) }
            }
        }
    }
}
