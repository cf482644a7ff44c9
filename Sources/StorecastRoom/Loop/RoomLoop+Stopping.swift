import StorecastWire

/// The end of a loop: goodbye is said to everyone, and rooms write what they still have.
extension RoomLoop {
    /// To how many connections goodbye is said at once, and how long it is until the next; about
    /// a twentieth of the loop's time.
    private static let wave = (connections: 200, pause: Duration.milliseconds(50))
    /// How many connections a second should come back.
    private static let returnRate = 1000.0

    /// Says goodbye to everyone, in waves, so that those whose turn comes later are served until
    /// then; `completion` is called when it was said to all. The more there are, the longer the
    /// time over which they are asked to come back.
    package func stop(_ completion: @escaping () -> Void) {
        isStopping = true
        let jitter = max(2, Double(sessions.count) / Self.returnRate)
        // In half of the time that there is.
        let steps = max(1, limits.drainTimeout / 2 / Self.wave.pause)
        let size = max(Self.wave.connections, Int(Double(sessions.count) / steps) + 1)
        sayGoodbye(to: sessions.keys.sorted()[...], size, jitter, completion)
    }

    private func sayGoodbye(
        to ids: ArraySlice<UInt64>, _ size: Int, _ jitter: Double,
        _ completion: @escaping () -> Void
    ) {
        for id in ids.prefix(size) {
            sessions[id]?.close(.goingAway, "The server stops.", after: 0.5, jitter: jitter)
        }
        endTurn()
        let rest = ids.dropFirst(size)
        if rest.isEmpty { return completion() }
        host.schedule(after: Self.wave.pause) { [weak self] in
            self?.sayGoodbye(to: rest, size, jitter, completion)
        }
    }

    /// Has rooms write what makes the next start quick; `completion` is called when they have, or
    /// in a quarter of the time for the end: what isn't written then is reduced again.
    package func prepareRoomsToEnd(_ completion: @escaping () -> Void) {
        prepareToEnd(rooms.keys.sorted(), completion)
    }

    /// As ``prepareRoomsToEnd(_:)``, for one room.
    package func prepareRoomToEnd(_ name: String, _ completion: @escaping () -> Void) {
        prepareToEnd([ExactString(name)], completion)
    }

    private func prepareToEnd(_ names: [ExactString], _ completion: @escaping () -> Void) {
        let rooms = names.compactMap { self.rooms[$0] }
        var (waiting, isOver) = (rooms.count, false)
        let end = {
            guard !isOver else { return }
            isOver = true
            completion()
        }
        host.schedule(after: limits.drainTimeout / 4, end)
        for room in rooms {
            room.prepareToEnd {
                waiting -= 1
                if waiting == 0 { end() }
            }
        }
        if rooms.isEmpty { end() }
    }

    /// The server has ended: whoever waits for what has no outcome yet is told so.
    package func abandonRooms() {
        for room in rooms.values { room.abandon() }
    }
}
