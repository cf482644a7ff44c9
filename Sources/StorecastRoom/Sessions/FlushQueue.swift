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
    @exclusivity(unchecked) private(set) var waiting: [ServerSession] = []
    /// Those that have waited and whose turn it is next.
    @exclusivity(unchecked) private var next: ArraySlice<ServerSession> = []
    /// How much work messages may still make in this turn.
    @exclusivity(unchecked) private(set) var workLeft: Int
    /// How much more sessions may make then that have made little lately.
    @exclusivity(unchecked) private(set) var spareWork: Int
    /// Which turn it is.
    @exclusivity(unchecked) private(set) var turn: UInt64 = 1
    /// When it began, by the loop's clock.
    @exclusivity(unchecked) private(set) var seconds = 0.0
    private let turnWork: Int

    init(turnWork: Int) {
        self.turnWork = turnWork
        workLeft = turnWork
        spareWork = turnWork
    }

    /// The session's messages are pulled at the end of the turn, if its connection takes them.
    func add(_ session: ServerSession) {
        if due.isEmpty { loop?.noteBegin() }
        due.append(session)
    }

    /// Messages have made so much work.
    func spend(_ work: Int) {
        if workLeft > 0 { workLeft -= work } else { spareWork -= work }
    }

    /// Whether a session that goes on makes others wait.
    var isContended: Bool { !waiting.isEmpty || !next.isEmpty }

    /// The session has messages that weren't taken: it is called when it is its turn.
    func wait(_ session: ServerSession) {
        if waiting.isEmpty { loop?.noteBegin() }
        waiting.append(session)
    }

    /// Everything that came is read; as much work may be made of what waits.
    func beginWaiting() {
        turn += 1
        workLeft = turnWork
        spareWork = turnWork
        seconds = loop?.seconds ?? 0
    }

    /// Lets those that wait go on, the first first, while work may be made; but before all others
    /// those that have made little work lately. Those that aren't done then wait behind the others.
    func takeWaiting() {
        guard !waiting.isEmpty else { return }
        let light = waiting.filter(\.isLight)
        next = (light.isEmpty ? waiting : light + waiting.filter { !$0.isLight })[...]
        waiting = []
        while workLeft > 0, let session = next.popFirst() { session.goOn() }
        waiting.insert(contentsOf: next, at: 0)
        next = []
    }
}

extension Array {
    /// Removes everything and keeps the memory: of few elements quicker than `removeAll`.
    mutating func clear() {
        while popLast() != nil {}
    }
}
