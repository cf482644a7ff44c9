import Storecast
import StorecastMirror
import StorecastSync
import StorecastWire

/// The server of a ``TestRoom``: the room as it is in a real one, with a journal in memory, and
/// sessions at the ends of ``TestLink``s.
///
/// All that the test kit uses of the server's side is in this file.
@MainActor final class TestServer<State: Codable & Sendable> {
    private let loop: TestLoop
    private let site: CallSite
    private var room: Room<State>!
    private var dueRooms: [any AnyRoom] = []
    private var dueSessions: [ServerSession] = []
    private var timers: [Int: () -> Void] = [:]
    private var timerCount = 0

    init(
        _ definition: RoomDefinition<State>, limits: SyncLimits, loop: TestLoop,
        clock: ManualClock, random: inout SeededGenerator, site: CallSite
    ) {
        self.loop = loop
        self.site = site
        room = Room(
            definition,
            RoomContext(
                name: "/",
                journal: MemoryJournal(
                    capacity: .max, random: SeededGenerator(seed: random.next())),
                limits: limits, host: self,
                now: { Timestamp(clock) },
                random: SeededGenerator(seed: random.next())))
        loop.onTurnEnd = { [weak self] in self?.endTurn() }
    }

    var store: Store<State> { room.store }

    var position: Position { room.position }

    func dispatch(_ action: any SyncAction, as sender: Identity, _ outcome: DispatchOutcome) {
        room.dispatch(action, as: sender, outcome)
    }

    /// The server's end of a connection.
    func session(on link: TestLink) -> ServerSession {
        ServerSession(room: room, host: self, link: link)
    }

    private func endTurn() {
        while !dueRooms.isEmpty || !dueSessions.isEmpty {
            while !dueRooms.isEmpty {
                let rooms = dueRooms
                dueRooms = []
                for room in rooms { room.endTurn() }
            }
            let sessions = dueSessions
            dueSessions = []
            for session in sessions { (session.link as? TestLink)?.flush() }
        }
    }
}

extension TestServer: SyncHost {
    func schedule(turnOf room: any AnyRoom) {
        dueRooms.append(room)
        // The test itself may have dispatched, outside of every turn.
        loop.post {}
    }

    func schedule(flushOf session: ServerSession) {
        dueSessions.append(session)
        loop.post {}
    }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        timerCount += 1
        let number = timerCount
        timers[number] = work
        loop.execute(after: delay) { [weak self] in
            MainActor.assumeIsolated { self?.timers.removeValue(forKey: number)?() }
        }
    }

    func authenticate(_ session: ServerSession, token: String?) {
        if let link = session.link as? TestLink { session.authenticated(link.line.answer) }
    }

    func report(_ message: String) {
        site.report(message)
    }
}

extension Timestamp {
    /// The time of day in a test: the clock starts in 1970.
    init(_ clock: ManualClock) {
        self.init(secondsSince1970: clock.now.offset / .seconds(1))
    }
}
