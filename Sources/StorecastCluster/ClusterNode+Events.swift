import Logging
import StorecastNATS
import StorecastServer
import StorecastWire
import Synchronization

/// What a server does when it hears something of the others, or of NATS: it leaves the rooms that
/// aren't its own any more, and gives away those that it is asked for.
extension ClusterNode {
    func take(_ event: RoomPlaces.Event) async {
        guard let servers = servers.withLock({ $0 }) else { return }
        let (owner, front) = (servers.owner, servers.front)
        switch event {
        case .gone(let server):
            if !server.id.isSameText(as: id) {
                logger.warning("the server \(server.id) at \(server.address) is gone")
            }
            await front.upstreamEnded(server.id)
        case .placed(let room, _):
            guard await owner.hasRoom(room) else { return }
            // It is heard before it is kept, if it is.
            for _ in 0..<Self.looks {
                if await leaveIfLost(room, owner) == true { return }
                try? await Task.sleep(for: Self.pause)
            }
        case .check:
            Task { await lookForStreams(owner) }
            // One at a time; and once more if it is asked for meanwhile, however often.
            guard checks.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
            var asked = 0
            repeat {
                asked = checks.load(ordering: .relaxed)
                await leaveLost(owner)
            } while checks.wrappingSubtract(asked, ordering: .relaxed).newValue > 0
        case .double(let server):
            logger.error(
                """
                the server \(server.id) says that it is at this one's address, \(server.address): \
                give each an address of its own
                """)
        case .stranger(let server): logger.error("\(otherKey(server, servers.own))")
        case .move(let room, let to, let answer):
            do throws(NATSError) {
                try await give(room, to: to, owner)
                answer(nil)
            } catch {
                answer(error.description)
            }
        case .drain(let answer):
            do throws(NATSError) { answer(try await drain(owner)) } catch {
                answer(error.description)
            }
        }
    }

    /// How often it is looked up at most who has a room.
    private static let looks = 20
    private static let pause = Duration.milliseconds(250)

    /// Looks whether NATS has lost streams, as when its servers have other disks than before, and as
    /// long as it has looks again.
    ///
    /// It makes them at its start only: the disks may come back, or a backup be brought there, and
    /// rooms that clients have begun anew meanwhile would be in its way.
    private func lookForStreams(_ owner: SyncServer) async {
        guard !isLooking.exchange(true, ordering: .relaxed) else { return }
        defer { isLooking.store(false, ordering: .relaxed) }
        var failures = 0
        while let rooms = store.withLock({ $0 })?.rooms {
            do throws(NATSError) {
                if let stream = try await rooms.missingStream() {
                    noteMissing(stream)
                } else if missing.withLock({ $0 }) == nil {
                    return
                } else {
                    // A room in which nothing happened yet has an epoch of when its stream was made.
                    try await rooms.prepare()
                    missing.withLock { $0 = nil }
                    logger.notice("NATS has all streams again")
                    return await leaveLost(owner)
                }
            } catch {
                // It may have no leader yet.
                failures += 1
                if failures == Self.looks, missing.withLock({ $0 }) == nil { return }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func noteMissing(_ stream: String) {
        let isFirst = missing.withLock { known in
            defer { known = stream }
            return known == nil
        }
        guard isFirst else { return }
        logger.error(
            """
            NATS has lost the stream '\(stream)': nothing is acknowledged. If its data can be brought \
            back, do that; else end all servers of the cluster, restore a backup, and start them anew \
            (Docs/Cluster.md)
            """)
    }

    var lostStream: String? {
        missing.withLock { $0 }.map { "NATS has lost the stream '\($0)'." }
    }

    /// Leaves the rooms that were given to other servers, and those whose logs have lost their ends.
    private func leaveLost(_ owner: SyncServer) async {
        // In another order each time, so that none is always behind those that can't be asked about.
        var rooms = await owner.openRooms().shuffled()[...]
        for _ in 0..<Self.looks {
            while let room = rooms.popFirst() {
                if await leaveIfLost(room, owner) != nil { continue }
                rooms.append(room)
                break
            }
            if rooms.isEmpty { return }
            // It is connected, but the stream may have no leader yet.
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Leaves a room that was given to another server, or whose log has lost its end; whether that
    /// is so, nil if it can't be asked.
    private func leaveIfLost(_ room: String, _ owner: SyncServer) async -> Bool? {
        let reason: JetStreamRooms.ReasonToLeave?
        do throws(JournalError) {
            reason = try await store.withLock { $0 }?.rooms.reasonToLeave(room)
        } catch {
            return nil
        }
        guard let reason else { return false }
        await leave(room, reason, owner)
        return true
    }
}
