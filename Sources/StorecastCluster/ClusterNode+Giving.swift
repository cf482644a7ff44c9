import Logging
import StorecastNATS
import StorecastServer
import StorecastWire
import Synchronization

/// How a server gives its rooms to others: one that is asked for, or all of them.
extension ClusterNode {
    func leave(
        _ room: String, _ reason: JetStreamRooms.ReasonToLeave, _ owner: SyncServer
    ) async {
        await owner.leave(room, reason.description, asTold: reason != .lostEnd)
    }

    /// Gives a room that this server has to another one, or to any; who has it then.
    @discardableResult
    func give(
        _ room: String, to: String?, _ owner: SyncServer
    ) async throws(NATSError) -> ClusterServer {
        guard let places else { throw Self.notRunning }
        // So that the next one reads little of the log.
        await owner.prepareToLeave(room)
        let server = try await places.give(room, to: to)
        if !server.id.isSameText(as: id) {
            await leave(room, .given(to: server), owner)
        }
        return server
    }

    /// Gives away all rooms, also those that it is given meanwhile by others who haven't heard that
    /// it takes none; what kept it from that.
    ///
    /// - Parameter time: after which nothing more is begun. What has begun by then has the rest of the
    ///   time: whoever asks is to hear something.
    func drain(
        _ owner: SyncServer, within time: Duration = RoomPlaces.longestAnswer * 2 / 3
    ) async throws(NATSError) -> String? {
        let end = ContinuousClock.now + time
        guard let places else { throw Self.notRunning }
        try await places.leave()
        var (before, problem) = (Int.max, String?.none)
        while true {
            let own = try await places.all().filter { $0.server.id.isSameText(as: id) }
            if own.isEmpty { return nil }
            // What it was about may have gone meanwhile: but then they are fewer.
            if let problem, own.count >= before { return problem }
            before = own.count
            problem = await give(own.map(\.room), owner, until: end)
        }
    }

    /// Gives the rooms that are open to other servers, as long as there is time for that. Nobody
    /// would notice of the others that they have no server for a moment.
    package func leave() async {
        guard let owner = servers.withLock({ $0 })?.owner, let places else { return }
        let end = ContinuousClock.now + owner.drainTimeout / 2
        let (problems, report) = AsyncStream<String?>.makeStream()
        Task {
            do throws(NATSError) {
                try await places.leave()
                report.yield(await give(await owner.openRooms(), owner, until: end))
            } catch {
                report.yield(error.description)
            }
        }
        // Nobody waits for what has begun then, as NATS may not answer for long.
        let timer = Task {
            try? await Task.sleep(until: end)
            report.yield("There was no time for all of them.")
        }
        defer { timer.cancel() }
        for await problem in problems {
            if let problem {
                logger.info("rooms stay without a server for a moment: \(problem)")
            }
            return
        }
    }

    /// Gives rooms to any other servers; what kept it from that.
    private func give(
        _ rooms: [String], _ owner: SyncServer, until end: ContinuousClock.Instant? = nil
    ) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            var (rest, problem) = (rooms[...], String?.none)
            func add() {
                if let end, .now >= end { return }
                guard let room = rest.popFirst() else { return }
                group.addTask {
                    do throws(NATSError) {
                        try await self.give(room, to: nil, owner)
                        return nil
                    } catch {
                        return error.description
                    }
                }
            }
            // A few at a time, as each may write a snapshot.
            for _ in 0..<Self.movesAtOnce { add() }
            for await result in group {
                problem = problem ?? result
                add()
            }
            return problem ?? (rest.isEmpty ? nil : "There was no time for \(rest.count) of them.")
        }
    }

    private static let movesAtOnce = 16
}
