package import StorecastSync
package import StorecastWire

/// The rooms and sessions of one event loop, without I/O: which rooms are open and who is in them,
/// whose turn it is, who hasn't said hello in time, and which rooms may leave memory.
///
/// In a turn what came is read, as far as ``SyncLimits/turnWork`` goes, and what waited since the
/// last; then every room hands its batch to the journal and evaluates its selections; then every
/// session that can take something is sent what it needs, in one write. Server, test kit and
/// simulator differ in the ``LoopHost`` only.
package final class RoomLoop: SessionLoop {
    package unowned let host: any LoopHost
    /// The open rooms, by their paths.
    package internal(set) var rooms: [ExactString: any AnyRoom] = [:]
    /// By the ids of their links.
    package internal(set) var sessions: [UInt64: ServerSession] = [:]
    /// How many connections a room has, greeted or not.
    package internal(set) var visitors: [ExactString: Int] = [:]
    package internal(set) var isStopping = false
    /// Whether the process has too much memory in use.
    var isShort = false

    var limits: SyncLimits
    /// Whether rooms find everything again that they had when they leave memory.
    let unloadsRooms: Bool
    var keptRooms: Set<ExactString> = []
    var idleRooms = IdleRooms()
    /// In the order of their opening.
    var greetings: [(deadline: Duration, id: UInt64)] = []
    var isWatchingGreetings = false
    /// How many of the sessions are of clients of edges.
    var passed = 0
    var times = SessionTimes()
    var isWatchingTimes = false
    // Unchecked, as the next: what each turn reads and writes. No access calls other code.
    @exclusivity(unchecked) var dueRooms: [any AnyRoom] = []
    package let flushes: FlushQueue
    /// Measures turns while somebody looks; else nil.
    @exclusivity(unchecked) package var turns: TurnMeter?
    package let senders: SenderAccounts
    /// Those that are being flushed; kept for its memory.
    @exclusivity(unchecked) var flushing: [ServerSession] = []
    @exclusivity(unchecked) var audience = Audience()
    @exclusivity(unchecked) var isEndingTurn = false
    @exclusivity(unchecked) var scratch: [ServerMessage] = []
    /// Rooms that have something left to do in the next turn.
    @exclusivity(unchecked) var laterRooms = RoomQueue()
    /// Rooms that have large values to bring up to date.
    @exclusivity(unchecked) var roomsBehind = RoomQueue()
    /// When a turn was asked for, as something waits for its time; else infinite.
    var nextTurn = Double.infinity
    /// Sessions that have first values to send, or parts of one, in the order of their turns.
    var inParts: [ServerSession] = []

    /// - Parameters:
    ///   - unloadsRooms: whether rooms that nobody is in leave memory, as their journal is durable.
    ///   - host: outlives the loop.
    package init(limits: SyncLimits, unloadsRooms: Bool, host: any LoopHost) {
        self.limits = limits
        self.unloadsRooms = unloadsRooms
        self.host = host
        flushes = FlushQueue(
            turnWork: limits.turnWork, pendingBytes: max(limits.pendingBytes, limits.messageBytes))
        senders = SenderAccounts(limits)
        flushes.loop = self
    }

    /// Bounds from now on.
    ///
    /// - Parameter limits: those that are fixed as they were.
    package func set(_ limits: SyncLimits) {
        self.limits = limits
        senders.set(limits, sessions.values)
        for room in rooms.values { room.set(limits) }
        for session in sessions.values { session.takeLimits() }
    }

    // MARK: What sessions ask it for

    package var seconds: Double { host.now.inSeconds }

    package func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        host.schedule(after: delay, work)
    }

    package func authenticate(_ session: ServerSession, token: String?) {
        host.authenticate(session, token: token)
    }

    /// The identity, unless nobody may have it here, or not any more: what an app says of a client,
    /// or an edge.
    package func admitted(_ identity: Identity) -> Result<Identity, Rejection> {
        if identity.isReserved {
            return .failure(Rejection(.forbidden, "The id '\(identity.id)' is reserved."))
        }
        return host.admitted(identity)
    }

    package func admitsEdge(_ key: String?, to room: String) -> Bool {
        host.admitsEdge(key, to: room)
    }

    package var timeOfDay: Timestamp { host.timeOfDay }

    // MARK: Memory

    /// What a connection holds at least that is ended for want of memory: less wouldn't help.
    private static let leastCost = 16 << 10

    /// Sheds work as long as the process has too much memory in use; called every second.
    ///
    /// From the first time on nobody new is let in, until a tenth of the mark is free, and what
    /// only saves work is forgotten; from the second on, a twentieth of the connections that hold
    /// much is ended at a time, those that hold the most first, and of these the newest.
    /// O(connections).
    ///
    /// - Returns: whether something was freed.
    package func noteMemory(_ used: Int, mark: Int) -> Bool {
        if used <= mark {
            guard isShort, used <= mark - mark / 10 else { return false }
            isShort = false
            host.report("There is enough memory again: \(used >> 20) MiB are in use.")
            return false
        }
        guard isShort else {
            isShort = true
            for room in rooms.values { room.forgetLingering() }
            host.report(
                "\(used >> 20) MiB of memory are in use, more than the limit 'memory' of "
                    + "\(mark >> 20) MiB: nobody new is let in.")
            return true
        }
        let costly = sessions.values.map { (cost: $0.cost, session: $0) }
            // An edge's is that of many clients, who cost what they cost.
            .filter { $0.cost >= Self.leastCost && $0.session.clients == nil }
            .sorted { ($0.cost, $0.session.number) > ($1.cost, $1.session.number) }
        guard !costly.isEmpty else { return false }
        let ended = costly.prefix((costly.count + 19) / 20)
        for (_, session) in ended {
            flushes.counts.reached("memory")
            session.close(.full, "The server has too little memory.", after: 10, jitter: 10)
        }
        host.report("\(ended.count) connections were ended, as memory is short.")
        return true
    }

    // MARK: What it has

    /// What it has now, but ``LoopGauges/outgoing``. O(rooms).
    package var gauges: LoopGauges {
        var gauges = LoopGauges()
        gauges.connections = sessions.count
        gauges.waitingMessages = flushes.backlog.bytes
        let now = host.now
        for room in rooms.values {
            switch room.phase {
            case .ready: gauges.rooms.ready += 1
            case .loading: gauges.rooms.loading += 1
            case .failed: gauges.rooms.failed += 1
            }
            let own = room.gauges
            gauges.groups += own.groups
            gauges.waitingActions += own.waiting
            gauges.isRefused = gauges.isRefused || own.isRefused
            if let since = own.unsavedSince {
                gauges.snapshotAge = max(gauges.snapshotAge, now - since)
            }
            if let upstream = own.upstream { gauges.note(upstream, at: now) }
        }
        return gauges
    }

    /// What is on its way to connections that don't take it now. O(connections).
    package var outgoing: LoopGauges.Outgoing {
        var outgoing = LoopGauges.Outgoing()
        for session in sessions.values
        where session.link?.isWritable == false && !session.isPassedOn {
            outgoing.connections += 1
            outgoing.bytes += session.link?.heldBytes ?? 0
        }
        return outgoing
    }
}

extension Duration {
    var inSeconds: Double {
        self / .seconds(1)
    }
}
