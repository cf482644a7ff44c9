package import StorecastSync

/// What a session needs of the loop that it belongs to.
package protocol SessionLoop: AnyObject {
    /// The loop's sessions that have something to send.
    var flushes: FlushQueue { get }
    /// Something is about to be due, in a turn that may have had nothing to do.
    func noteBegin()
    /// What the loop's senders have sent lately.
    var senders: SenderAccounts { get }
    /// By a clock that never steps back.
    var seconds: Double { get }
    func schedule(after delay: Duration, _ work: @escaping () -> Void)
    /// Begins the session of a connection that came through an edge; nil if it is closed.
    func begin(_ link: any ServerLink, in path: String) -> ServerSession?
    /// The connection of a link is over.
    func end(_ id: UInt64)
    /// Whether a connection to the room with this key may be an edge's.
    func admitsEdge(_ key: String?, to room: String) -> Bool
    /// The identity, unless nobody may have it here, or not any more.
    func admitted(_ identity: Identity) -> Result<Identity, Rejection>
    /// Finds out whose token it is and calls `session.authenticated`, possibly at once.
    func authenticate(_ session: ServerSession, token: String?)
    /// The time of day, by which identities expire.
    var timeOfDay: Timestamp { get }
    /// Calls `session.checkExpiry` at this time, within two seconds; nil for never.
    func watch(_ session: ServerSession, at time: Timestamp?)
}

/// The sessions of a loop that have something to send, in the order in which it came up, and those
/// whose messages have made so much work that they wait for their turn.
///
/// An object of its own, so that sessions can hold it strongly: each of thousands says in a turn
/// that it is due.
package final class FlushQueue {
    unowned var loop: (any SessionLoop)?
    @exclusivity(unchecked) var due: [ServerSession] = []
    /// Whether what is due may follow from an action of a session that has made much work.
    @exclusivity(unchecked) var isHeavy = false
    /// Those that wait and had made little work lately when they began to.
    @exclusivity(unchecked) private var light = SessionQueue()
    /// The others that wait.
    @exclusivity(unchecked) private var heavy: [ServerSession] = []
    /// Those of them whose turn it is next.
    @exclusivity(unchecked) private var next: ArraySlice<ServerSession> = []
    /// How much work messages may still make in this turn.
    @exclusivity(unchecked) private(set) var workLeft: Int
    /// How much more sessions may make then that have made little lately.
    @exclusivity(unchecked) private(set) var spareWork: Int
    /// Which turn it is.
    @exclusivity(unchecked) private(set) var turn: UInt64 = 1
    /// When it began, by the loop's clock.
    @exclusivity(unchecked) private(set) var seconds = 0.0
    @exclusivity(unchecked) private(set) var backlog: Backlog
    package let counts = LoopCounts()
    private let turnWork: Int
    @exclusivity(unchecked) private var heavyTime = HeavyTime()

    init(turnWork: Int, pendingBytes: Int) {
        self.turnWork = turnWork
        backlog = Backlog(limit: pendingBytes)
        workLeft = turnWork
        spareWork = turnWork
    }

    private var passedCount: UInt64 = 0

    /// A number for a connection that came through an edge: none that sockets have.
    func numberPassed() -> UInt64 {
        passedCount += 1
        return 1 << 63 | passedCount
    }

    /// The session's messages are pulled at the end of the turn, if its connection takes them.
    func add(_ session: ServerSession) {
        if session.isPassedOn {
            session.link?.queue()
            return
        }
        if due.isEmpty { loop?.noteBegin() }
        due.append(session)
    }

    /// Messages have made so much work.
    func spend(_ work: Int) {
        if workLeft > 0 { workLeft -= work } else { spareWork -= work }
    }

    /// A session that makes little work was heard.
    func noteLight() { heavyTime.isHeard = true }

    /// Whether somebody is there who makes little work, and goes before those who make much.
    var isShared: Bool { heavyTime.isShared(at: seconds) }

    /// Whether what is much work has to wait for its time.
    var holdsHeavy: Bool { !heavyTime.isNow && isShared }

    /// When it may go on.
    var nextHeavy: Double { isShared ? heavyTime.next : -.infinity }

    /// Does what is much work, as much as a slice has; while nobody else is there, as a turn has.
    func doHeavy(_ body: () -> Void) {
        let isShared = isShared
        if isShared { workLeft = min(workLeft, max(1, turnWork / HeavyTime.parts)) }
        let start = loop?.seconds ?? 0
        heavyTime.isNow = true
        body()
        heavyTime.isNow = false
        let end = loop?.seconds ?? 0
        heavyTime.noteSlice(at: end)
        noteHeavy(until: end, from: start)
        if isShared { workLeft = turnWork }
    }

    /// Everybody was held up for somebody who makes much work.
    func noteHeavy(until end: Double, from start: Double) {
        if !heavyTime.isNow { heavyTime.charge(end - start, at: end) }
    }

    /// What waits of a session has become more, or less. If it is too much of all together, ends
    /// those of whom most waits.
    func noteBacklog(of session: ServerSession, from old: Int, to new: Int) {
        backlog.note(session, from: old, to: new)
        guard backlog.isExceeded, new > old else { return }
        counts.reached("pending-bytes")
        for session in backlog.excess() {
            session.close(.busy, "More messages wait than the server holds.", after: 5, jitter: 10)
        }
    }

    /// Whether sessions wait.
    var isContended: Bool { !light.isEmpty || !heavy.isEmpty || !next.isEmpty }

    /// Whether one waits whose turn is the next that there is.
    var hasLight: Bool { !light.isEmpty || heavy.contains(where: \.isLight) }

    /// Whether one waits that has made much work, and not only for its room.
    var hasHeavy: Bool { heavy.contains { !$0.isHeldUp } }

    /// The session has messages that weren't taken: it is called when it is its turn.
    func wait(_ session: ServerSession) {
        if !isContended { loop?.noteBegin() }
        if session.isLight { light.append(session) } else { heavy.append(session) }
    }

    /// Everything that came is read; as much work may be made of what waits.
    func beginWaiting() {
        turn += 1
        workLeft = turnWork
        spareWork = turnWork
        seconds = loop?.seconds ?? 0
        heavyTime.noteTurn(at: seconds)
    }

    /// Lets those that wait go on, the first first, while work may be made; but before all others
    /// those that have made little work lately. Those that aren't done then wait behind the others.
    ///
    /// Costs what those make that go on, and a look at each that has made much: not more if
    /// thousands of others wait.
    ///
    /// - Parameter onlyLight: whether the others aren't to go on at all.
    func takeWaiting(onlyLight: Bool = false) {
        guard isContended else { return }
        if heavy.contains(where: \.isLight) {
            for session in heavy where session.isLight { light.append(session) }
            heavy.removeAll(where: \.isLight)
        }
        for _ in 0..<light.count {
            guard workLeft > 0, let session = light.popFirst() else { break }
            // With others of its identity or address it may have made much meanwhile.
            if session.isLight { session.goOn() } else { heavy.append(session) }
        }
        if onlyLight { return }
        // A slice may be followed by a long pause: so it isn't for who has made the most.
        if isShared { heavy.sort { $0.load < $1.load } }
        next = heavy[...]
        heavy = []
        while workLeft > 0, let session = next.popFirst() { session.goOn() }
        heavy.insert(contentsOf: next, at: 0)
        next = []
    }
}

/// Sessions, the first first.
private struct SessionQueue {
    /// The first is the last.
    private var front: [ServerSession] = []
    private var back: [ServerSession] = []

    var count: Int { front.count + back.count }
    var isEmpty: Bool { front.isEmpty && back.isEmpty }

    mutating func append(_ session: ServerSession) { back.append(session) }

    mutating func popFirst() -> ServerSession? {
        if front.isEmpty { swap(&front, &back); front.reverse() }
        return front.popLast()
    }
}

/// When a loop may do what is much work, which holds up everybody else: while somebody is there who
/// makes little, a slice at a time, and the less often the longer one took.
///
/// Whoever comes while a slice of `t` seconds lasts waits for its end, `t`/2 on average. So a pause
/// belongs to it that grows with the square of `t`, as what others wait for does. Where slices follow
/// one another, those of a quarter of a millisecond take a tenth of the loop's time; steps of 10 ms,
/// which can't be divided, a four-hundredth. A second's worth of pauses may be left out at first: who
/// makes much work now and then doesn't wait.
struct HeavyTime {
    /// Of how many parts of a turn's work a slice is one.
    static let parts = 4
    /// How many seconds a pause would be behind a slice of one second.
    private static let pause = 40_000.0
    /// How many seconds of pauses may be left out.
    private static let credit = 1.0
    private static let longestPause = 5.0
    /// For how many seconds somebody is there after they were heard.
    static let memory = 0.1

    /// Whether one was heard in this turn who makes little work.
    var isHeard = false
    /// When one was last heard before; in seconds.
    private var lastHeard = -Double.infinity
    /// Whether it is time for a slice.
    var isNow = false
    /// When the next slice may begin.
    private(set) var next = -Double.infinity
    /// When it may at the latest, whatever comes meanwhile.
    private var latest = -Double.infinity

    func isShared(at now: Double) -> Bool { isHeard || now - lastHeard < Self.memory }

    /// What came until now belongs to the turn that ends.
    mutating func noteTurn(at now: Double) {
        if isHeard { lastHeard = now }
        isHeard = false
    }

    /// A slice has ended.
    mutating func noteSlice(at now: Double) { latest = now + Self.longestPause }

    /// Something has held everybody up for so many seconds.
    mutating func charge(_ time: Double, at now: Double) {
        next = min(latest, max(next, now - Self.credit) + Self.pause * time * time)
    }
}

extension Array {
    /// Removes everything and keeps the memory: of few elements quicker than `removeAll`.
    @inline(__always) mutating func clear() {
        while popLast() != nil {}
    }
}
