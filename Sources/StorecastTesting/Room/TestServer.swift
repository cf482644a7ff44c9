import Storecast
import StorecastMirror
import StorecastRoom
import StorecastWire
import Synchronization

/// The server of a ``TestRoom``: the room and the loop of a real server, with a journal in memory
/// and sessions at the ends of ``TestLink``s.
@MainActor final class TestServer<State: Codable & Sendable> {
    private static var path: String { "/" }

    private let definition: RoomDefinition<State>
    private let limits: SyncLimits
    private let loop: TestLoop
    private let clock: ManualClock
    private let site: CallSite
    private let journal: MemoryJournal
    private let random: SeededGenerator
    private var rooms: RoomLoop!
    private var room: Room<State>!
    private var linkCount: UInt64 = 0
    private var timers: [Int: () -> Void] = [:]
    private var timerCount = 0

    init(
        _ definition: RoomDefinition<State>, limits: SyncLimits, loop: TestLoop,
        clock: ManualClock, random: inout SeededGenerator, site: CallSite
    ) {
        self.definition = definition
        self.limits = limits
        self.loop = loop
        self.clock = clock
        self.site = site
        journal = MemoryJournal(capacity: .max, random: SeededGenerator(seed: random.next()))
        self.random = SeededGenerator(seed: random.next())
        rooms = RoomLoop(limits: limits, unloadsRooms: false, host: self)
        room = rooms.keptRoom(Self.path) as? Room<State>
        loop.onTurnEnd = { [weak self] in self?.rooms.endTurn() }
    }

    var store: Store<State> { room.store }

    var position: Position { room.position }

    func dispatch(_ action: any SyncAction, as sender: Identity, _ outcome: DispatchOutcome) {
        room.dispatch(action, as: sender, outcome)
    }

    /// The server accepts a connection.
    func begin(_ link: TestLink) -> ServerSession? {
        linkCount += 1
        link.id = linkCount
        return rooms.begin(link, in: Self.path)
    }

    /// The connection is over.
    func end(_ link: TestLink) { rooms.end(link.id) }
}

extension TestServer: LoopHost {
    var now: Duration { loop.now }

    var timeOfDay: Timestamp { Timestamp(clock) }

    // The test itself may have dispatched, outside of a turn.
    func turnBegan() { loop.post {} }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        timerCount += 1
        let number = timerCount
        timers[number] = work
        loop.execute(after: delay) { [weak self] in
            MainActor.assumeIsolated { self?.timers.removeValue(forKey: number)?() }
        }
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        var context = RoomContext(
            name: path, journal: journal, limits: limits, loop: loop,
            now: { [clock] in Timestamp(clock) }, random: random)
        context.isClosed = definition.hasRules
        return Room(definition, context)
    }

    func authenticate(_ session: ServerSession, token: String?) {
        guard let link = session.link as? TestLink else { return }
        session.authenticated(link.line.answer.flatMap(rooms.admitted))
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

/// The event loop of a ``TestRoom``: runs the work of its server and its clients in order, on the
/// main actor, in the time of a manual clock.
///
/// New work starts it as soon as the main actor is free. It runs until nothing is left to do at
/// this time.
final class TestLoop: TransportExecutor {
    private struct Inbox {
        var work: [@MainActor () -> Void] = []
        var isScheduled = false
        var count = 0
    }

    private let clock: ManualClock
    private let inbox = Mutex(Inbox())
    /// Called when all work that was posted has been done.
    @MainActor var onTurnEnd: () -> Void = {}

    init(clock: ManualClock) {
        self.clock = clock
    }

    /// How much work was ever posted.
    var workCount: Int { inbox.withLock(\.count) }

    /// Runs `work` after everything that was posted before.
    func post(_ work: @escaping @MainActor () -> Void) {
        let isFirst = inbox.withLock { inbox in
            inbox.work.append(work)
            inbox.count += 1
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if isFirst { Task { @MainActor in run() } }
    }

    /// Runs everything that is to be done now.
    @MainActor func run() {
        while true {
            let due = inbox.withLock { inbox in
                defer { inbox.work = [] }
                inbox.isScheduled = !inbox.work.isEmpty
                return inbox.work
            }
            if due.isEmpty { return }
            for work in due { work() }
            onTurnEnd()
        }
    }

    // MARK: TransportExecutor

    var now: Duration { clock.now.offset }

    func execute(_ work: @escaping @Sendable () -> Void) {
        post(work)
    }

    func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        clock.call(after: delay) { [weak self] in self?.post(work) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        MainActor.shared.enqueue(UnownedJob(job))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        MainActor.sharedUnownedExecutor
    }
}
