import Logging
import StorecastRoom
import StorecastSync
import StorecastWebSocket

extension ServerLoopCore: LoopHost {
    var now: Duration { loop.now() }

    var timeOfDay: Timestamp { .now() }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        loop.schedule(after: delay, work)
    }

    func turnBegan() {
        if turnBegin == nil { turnBegin = now }
    }

    func took(_ time: Duration, _ measure: LoopMeasure) {
        configuration.metrics.took(time, measure)
    }

    // What is queued now runs in the next turn, before which the loop looks at its sockets.
    func turnAgain() { loop.execute {} }

    func trace(of session: ServerSession) -> (any DispatchTrace)? {
        guard let tracer = configuration.tracer, part(at: session.room.name) == nil else {
            return nil
        }
        return SessionTrace(tracer, session)
    }

    func admitsEdge(_ key: String?, to room: String) -> Bool {
        // Those of extensions are for people who have the extension's own secret.
        configuration.edgeKey?.matches(key) == true && part(at: room) == nil
    }

    private func mirror(_ path: String, of upstream: Upstream, on loop: RoomLoop) -> MirroredRoom {
        var random = SystemRandomNumbers()
        let room = MirroredRoom(
            path, limits: configuration.limits, loop: loop,
            MirroredRoom.Credentials(
                key: upstream.key.text, client: randomID(using: &random)))
        room.hasOneOwner = upstream.place(of: path) != nil
        room.uplink = SocketUplink(of: room, to: upstream, on: self)
        return room
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        if let upstream = configuration.upstream {
            // Or anybody could have any number of rooms given to servers.
            let isRoom =
                configuration.sharesRooms
                ? definition(of: path) != nil : configuration.paths?.contains(path) != false
            guard isRoom else { return nil }
            configuration.logger.log(.debug, "room mirrored", [.room: path])
            return mirror(path, of: upstream, on: loop)
        }
        guard let definition = definition(of: path) else { return nil }
        configuration.logger.log(.debug, "room opened", [.room: path])
        var context = context(of: path, journal)
        context.isClosed = configuration.authentication.closesRooms
        return definition.open(context)
    }

    func makeOwnRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        guard let part = part(at: path) else { return nil }
        var context = context(of: path, MemoryJournal())
        context.isTransient = true
        return part.makeRoom(context)
    }

    func lack(ofRoom path: String) -> String {
        configuration.paths?.lack(of: path) ?? "There is no such room."
    }

    private func context(of path: String, _ journal: any Journal) -> RoomContext {
        var context = RoomContext(
            name: path, journal: journal, limits: configuration.limits, loop: rooms,
            now: Timestamp.now, random: SystemRandomNumbers())
        guard configuration.audit != nil else { return context }
        context.audit = { [unowned self] entry, rejection, session, version in
            audit(entry, rejection, session, of: path, at: version)
        }
        return context
    }

    func unloaded(_ room: any AnyRoom) {
        for (_, part) in extensions { part.unloaded(room) }
        configuration.logger.log(.debug, "room unloaded", [.room: room.name])
    }

    func report(_ message: String) {
        configuration.logger.error("\(message)")
    }

    func notice(_ message: String) {
        configuration.logger.notice("\(message)")
    }

    func progressed(_ progress: RoomProgress) {
        if let recovery = configuration.recovery { return recovery(progress) }
        guard recoveries.isDue(progress, at: loop.now()) else { return }
        let percent = progress.done * 100 / max(1, progress.total)
        configuration.logger.log(
            .info, "reading a room's history", [.room: progress.room, .percent: Int(percent)])
    }
}

/// Decides when to log how far a room has come with its history: after the first second, and then
/// every five seconds.
struct RecoveryReports {
    /// When the next report of each room that is being read is due.
    private var deadlines: [ExactString: Duration] = [:]

    mutating func isDue(_ progress: RoomProgress, at now: Duration) -> Bool {
        let room = ExactString(progress.room)
        guard progress.done < progress.total else {
            deadlines[room] = nil
            return false
        }
        guard let deadline = deadlines[room] else {
            deadlines[room] = now + .seconds(1)
            return false
        }
        guard now >= deadline else { return false }
        deadlines[room] = now + .seconds(5)
        return true
    }
}
