import Logging
import StorecastSync
import StorecastWebSocket

/// Rooms that nobody is in leave memory, and are opened again when somebody comes.
extension ServerLoopCore {
    /// The room for the server's own code, opened if need be; it counts as used.
    func usedRoom(_ path: String) -> (any AnyRoom)? {
        defer { use(path) }
        return room(path)
    }

    /// Notes that the room was used just now.
    func use(_ path: String) {
        let name = ExactString(path)
        guard journal.isDurable, rooms[name] != nil, visitors[name] == nil else { return }
        let deadline = loop.now() + configuration.limits.unloadAfter
        if idleRooms.left(path, until: deadline) { watchIdleRooms() }
    }

    /// The room can't be read: whoever comes next tries again.
    func forget(_ room: any AnyRoom) {
        let name = ExactString(room.name)
        if rooms[name] === room, visitors[name] == nil { rooms[name] = nil }
    }

    private func watchIdleRooms() {
        guard let deadline = idleRooms.nextDeadline() else { return }
        // Ten looks a second are enough for however many rooms.
        loop.schedule(after: max(.milliseconds(100), deadline - loop.now())) { [weak self] in
            guard let self, !isStopping else { return }
            for name in idleRooms.takeDue(at: loop.now()) { unload(name) }
            watchIdleRooms()
        }
    }

    /// Has rooms write what makes the next start quick; `completion` is called when they have, or in
    /// five seconds: what isn't written then is reduced again.
    func prepareRoomsToEnd(_ completion: @escaping () -> Void) {
        var (waiting, isOver) = (rooms.count, false)
        let end = {
            guard !isOver else { return }
            isOver = true
            completion()
        }
        loop.schedule(after: .seconds(5), end)
        for name in rooms.keys.sorted() {
            rooms[name]?.prepareToEnd {
                waiting -= 1
                if waiting == 0 { end() }
            }
        }
        if rooms.isEmpty { end() }
    }

    private func unload(_ name: ExactString) {
        guard let room = rooms[name] else { return }
        room.prepareToUnload { [weak self] in
            guard let self, rooms[name] === room else { return }
            let isDevtools = name == ExactString(DevtoolsState.path)
            if room.isUntouched || room.isIdle || isDevtools, visitors[name] == nil {
                rooms[name] = nil
                endedTraffic[name] = nil
                configuration.logger.debug("room unloaded", metadata: ["room": "\(name)"])
            } else {
                use(room.name)
            }
        }
    }
}
