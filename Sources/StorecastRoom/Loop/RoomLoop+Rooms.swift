import StorecastWire

/// Which rooms are open, and when they may leave memory.
extension RoomLoop {
    /// The room of a path, opened if need be; nil if there is none or no more may be opened.
    ///
    /// One whose history couldn't be read is opened again, once those who waited for it have gone.
    package func room(_ path: String) -> (any AnyRoom)? {
        let name = ExactString(path)
        if let room = rooms[name] {
            guard room.hasFailed, visitors[name] == nil else { return room }
            rooms[name] = nil
        }
        var room = host.makeOwnRoom(path, on: self)
        if room == nil, rooms.count < limits.rooms { room = host.makeRoom(path, on: self) }
        rooms[name] = room
        return room
    }

    /// The room of a path for the server's own code, opened if need be; it counts as used.
    package func usedRoom(_ path: String) -> (any AnyRoom)? {
        defer { use(path) }
        return room(path)
    }

    /// The room of a path for the server's own code. It stays open if it would lose anything by
    /// leaving memory, and counts as used.
    package func keptRoom(_ path: String) -> (any AnyRoom)? {
        guard let room = room(path) else { return nil }
        if unloadsRooms { use(path) } else { keptRooms.insert(ExactString(path)) }
        return room
    }

    /// Notes that the room was used just now.
    func use(_ path: String) {
        let name = ExactString(path)
        guard unloadsRooms, rooms[name] != nil, visitors[name] == nil else { return }
        if idleRooms.left(path, until: host.now + limits.unloadAfter) { watchIdleRooms() }
    }

    private func watchIdleRooms() {
        guard let deadline = idleRooms.nextDeadline() else { return }
        // Ten times a second is enough for however many rooms.
        host.schedule(after: max(.milliseconds(100), deadline - host.now)) { [weak self] in
            guard let self, !isStopping else { return }
            for name in idleRooms.takeDue(at: host.now) { unload(name) }
            watchIdleRooms()
        }
    }

    private func unload(_ name: ExactString) {
        guard let room = rooms[name] else { return }
        room.prepareToUnload { [weak self] in
            guard let self, rooms[name] === room else { return }
            if room.isUntouched || room.isIdle, visitors[name] == nil {
                rooms[name] = nil
                room.unloaded()
                host.unloaded(room)
            } else {
                use(room.name)
            }
        }
    }

    /// Forgets a room in which nobody is and nothing ever happened: asking for thousands of paths
    /// costs nothing.
    ///
    /// - Returns: whether it was one.
    @discardableResult
    package func forgetUntouched(_ path: String) -> Bool {
        let name = ExactString(path)
        guard visitors[name] == nil, let room = rooms[name], room.isUntouched,
            !keptRooms.contains(name)
        else { return false }
        rooms[name] = nil
        room.unloaded()
        return true
    }
}

/// The rooms without connections, and when each may leave memory.
struct IdleRooms {
    /// By the room's name; in the time of the loop's clock.
    private var deadlines: [ExactString: Duration] = [:]
    /// Whether a timer is set for the next deadline.
    private(set) var isWatched = false

    /// Notes that the room has no connections, and when it may leave memory; true if a timer has to
    /// be set.
    mutating func left(_ room: String, until deadline: Duration) -> Bool {
        deadlines[ExactString(room)] = deadline
        defer { isWatched = true }
        return !isWatched
    }

    mutating func entered(_ room: String) { deadlines[ExactString(room)] = nil }

    /// Takes those whose time has come, in the order of their names. O(idle rooms).
    mutating func takeDue(at now: Duration) -> [ExactString] {
        let due = deadlines.filter { $0.value <= now }.keys.sorted()
        for room in due { deadlines[room] = nil }
        return due
    }

    /// When the next may leave memory; nil, and no timer is set, if there are none.
    mutating func nextDeadline() -> Duration? {
        let next = deadlines.values.min()
        isWatched = next != nil
        return next
    }
}
