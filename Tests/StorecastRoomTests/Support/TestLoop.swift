import StorecastRoom
import Testing

/// An event loop without I/O: turns end when a test says so, and time passes when it says so.
final class TestLoop: LoopHost {
    /// Seconds since the test began.
    private(set) var time = 0.0
    /// Says whose token it is; nil leaves the session waiting until `answer(_:_:)`.
    var authenticator: (String?) -> Result<Identity, Rejection>? = { _ in .success(.anonymous) }
    private(set) var waiting: [ServerSession] = []
    private(set) var reports: [String] = []
    private(set) var notices: [String] = []
    private(set) var progress: [RoomProgress] = []
    private var measures: [(time: Duration, what: LoopMeasure)] = []
    private(set) var turns = 0
    /// How many turns asked for another one.
    private(set) var turnsAgain = 0
    private(set) lazy var rooms = RoomLoop(limits: limits, unloadsRooms: unloadsRooms, host: self)
    /// Makes a room when somebody comes to a path; nil for no room.
    var maker: (String) -> (any AnyRoom)? = { _ in nil }
    private(set) var unloadedRooms: [String] = []
    private let limits: SyncLimits
    private let unloadsRooms: Bool
    private var timers: [(time: Double, work: () -> Void)] = []

    init(limits: SyncLimits = SyncLimits(), unloadsRooms: Bool = false) {
        self.limits = limits
        self.unloadsRooms = unloadsRooms
    }

    /// How much time passes with each look at the clock, in seconds.
    var tick = 0.0

    var now: Duration {
        time += tick
        return .seconds(time)
    }

    /// How far the time of day was set forward, in seconds.
    var clockStep = 0.0

    var timeOfDay: Timestamp { Timestamp(secondsSince1970: time + clockStep) }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        after(delay / .seconds(1), work)
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? { maker(path) }

    func unloaded(_ room: any AnyRoom) { unloadedRooms.append(room.name) }

    func authenticate(_ session: ServerSession, token: String?) {
        if let result = authenticator(token) {
            session.authenticated(result.flatMap(rooms.admitted))
        } else {
            waiting.append(session)
        }
    }

    /// What edges are known by; nil if none is let in.
    var edgeKey: String?

    func admitsEdge(_ key: String?, to room: String) -> Bool { edgeKey != nil && key == edgeKey }

    /// Answers a session that waits, by its place among all that ever did.
    func answer(_ place: Int, _ result: Result<Identity, Rejection>) {
        guard waiting.indices.contains(place) else {
            Issue.record("Only \(waiting.count) sessions have shown a token.")
            return
        }
        waiting[place].authenticated(result)
    }

    func report(_ message: String) { reports.append(message) }

    func notice(_ message: String) { notices.append(message) }

    func progressed(_ progress: RoomProgress) { self.progress.append(progress) }

    func took(_ time: Duration, _ measure: LoopMeasure) { measures.append((time, measure)) }

    /// How long each of these took.
    func times(of measure: LoopMeasure) -> [Duration] {
        measures.filter { $0.what == measure }.map(\.time)
    }

    /// Hands what came to the journals, then lets every connection that can take it have its share.
    func endTurn() {
        turns += 1
        rooms.endTurn()
    }

    func turnAgain() { turnsAgain += 1 }

    /// Drops all work that waits for its time, as if the process had ended.
    func forgetTimers() { timers = [] }

    /// How much work waits for its time.
    var timerCount: Int { timers.count }

    func after(_ seconds: Double, _ work: @escaping () -> Void) {
        timers.append((time + seconds, work))
    }

    func advance(by seconds: Double) {
        let end = time + seconds
        while let next = timers.indices.min(by: { timers[$0].time < timers[$1].time }),
            timers[next].time <= end
        {
            let timer = timers.remove(at: next)
            time = timer.time
            timer.work()
        }
        time = end
    }

    /// A room on this loop.
    func open<State>(
        _ definition: RoomDefinition<State>, at path: String = "/",
        journal: (any Journal)? = nil, limits: SyncLimits = SyncLimits(), seed: UInt64 = 1,
        isClosed: Bool = false
    ) -> Room<State> {
        var context = RoomContext(
            name: path, journal: journal ?? MemoryJournal(random: SeededGenerator(seed: seed)),
            limits: limits, loop: rooms,
            now: { [unowned self] in Timestamp(secondsSince1970: time) },
            random: SeededGenerator(seed: seed))
        context.isClosed = isClosed
        return Room(definition, context)
    }
}
