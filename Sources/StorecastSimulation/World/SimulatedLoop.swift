import StorecastRoom
import StorecastSync
import StorecastWire

/// A loop of a server's process with rooms.
final class SimulatedLoop: LoopHost {
    unowned let process: ServerProcess
    private(set) var rooms: RoomLoop!
    private let maker: (_ path: String, _ loop: RoomLoop) -> (any AnyRoom)?
    private(set) var isTurnScheduled = false
    /// When the identities of sessions expire that do.
    private var expiries: [ObjectIdentifier: Timestamp] = [:]

    init(
        of process: ServerProcess, _ limits: SyncLimits, unloadsRooms: Bool,
        _ maker: @escaping (_ path: String, _ loop: RoomLoop) -> (any AnyRoom)?
    ) {
        self.process = process
        self.maker = maker
        rooms = RoomLoop(limits: limits, unloadsRooms: unloadsRooms, host: self)
    }

    private var world: World { process.world }

    /// The room, unless nobody uses it.
    var room: (any AnyRoom)? { rooms.rooms[ExactString(ServerProcess.path)] }

    func ended(_ session: ServerSession) { expiries[ObjectIdentifier(session)] = nil }

    // MARK: LoopHost

    var now: Duration { world.time.now }

    var timeOfDay: Timestamp { world.timeOfDay }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        process.after(delay, work)
    }

    func turnBegan() {
        guard !isTurnScheduled else { return }
        isTurnScheduled = true
        process.after(process.turnDelay()) { [self] in
            isTurnScheduled = false
            rooms.endTurn()
            checkExpiries()
        }
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? { maker(path, loop) }

    func unloaded(_ room: any AnyRoom) {
        world.note(.server, process.number, 3) { "unloads the room" }
    }

    func admitsEdge(_ key: String?, to room: String) -> Bool {
        key?.isSameText(as: SimulatedUplink.key) == true
    }

    func authenticate(_ session: ServerSession, token: String?) {
        let delay = process.checkingDelay()
        guard delay > .zero else { return authenticated(session, identity(of: token)) }
        process.after(delay) { [weak self, weak session] in
            if let self, let session { authenticated(session, identity(of: token)) }
        }
    }

    private func identity(of token: String?) -> Result<Identity, Rejection> {
        let result = world.room.identify(token)
        guard world.scenario.tokenLife > .zero, !world.isHealing else { return result }
        let end = timeOfDay.secondsSince1970 + world.scenario.tokenLife / .seconds(1)
        return result.map {
            Identity($0.id, roles: $0.roles, expires: Timestamp(secondsSince1970: end))
        }
    }

    private func authenticated(_ session: ServerSession, _ result: Result<Identity, Rejection>) {
        expiries[ObjectIdentifier(session)] = (try? result.get())?.expires
        session.authenticated(result.flatMap(rooms.admitted))
    }

    /// Nobody is served whose identity expired more than two seconds ago.
    private func checkExpiries() {
        guard !expiries.isEmpty, !process.stoodStill else { return }
        for session in process.connections.compactMap(\.session) where session.phase == .live {
            guard let end = expiries[ObjectIdentifier(session)],
                end.secondsSince1970 + 2 < timeOfDay.secondsSince1970
            else { continue }
            world.violate(
                .protocol, "\(session.identity.id) is served, and has expired at \(end).")
        }
    }

    func report(_ message: String) {
        world.note(.server, process.number, message.utf8.count) { "reports: \(message)" }
    }
}
