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
    package private(set) var rooms: [ExactString: any AnyRoom] = [:]
    /// By the ids of their links.
    package private(set) var sessions: [UInt64: ServerSession] = [:]
    /// How many connections a room has, greeted or not.
    package private(set) var visitors: [ExactString: Int] = [:]
    package private(set) var isStopping = false
    /// Whether the process has too much memory in use.
    private var isShort = false

    private var limits: SyncLimits
    /// Whether rooms find everything again that they had when they leave memory.
    private let unloadsRooms: Bool
    private var keptRooms: Set<ExactString> = []
    private var idleRooms = IdleRooms()
    /// In the order of their opening.
    private(set) var greetings: [(deadline: Duration, id: UInt64)] = []
    private var isWatchingGreetings = false
    /// How many of the sessions are of clients of edges.
    private var passed = 0
    private var times = SessionTimes()
    private var isWatchingTimes = false
    // Unchecked, as the next: what each turn reads and writes. No access calls other code.
    @exclusivity(unchecked) private var dueRooms: [any AnyRoom] = []
    package let flushes: FlushQueue
    /// Measures turns while somebody looks; else nil.
    @exclusivity(unchecked) package var turns: TurnMeter?
    package let senders: SenderAccounts
    /// Those that are being flushed; kept for its memory.
    @exclusivity(unchecked) private var flushing: [ServerSession] = []
    @exclusivity(unchecked) private var audience = Audience()
    @exclusivity(unchecked) private var isEndingTurn = false
    @exclusivity(unchecked) private var scratch: [ServerMessage] = []
    /// Rooms that have something left to do in the next turn.
    @exclusivity(unchecked) private var laterRooms: [any AnyRoom] = []
    /// Rooms that have large values to bring up to date.
    @exclusivity(unchecked) private var roomsBehind: [any AnyRoom] = []
    /// When a turn was asked for, as something waits for its time; else infinite.
    private var nextTurn = Double.infinity
    /// Sessions that have first values to send, or parts of one, in the order of their turns.
    private var inParts: [ServerSession] = []

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

    // MARK: Rooms

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
    private func use(_ path: String) {
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

    // MARK: Sessions

    /// Begins the session of a connection to the room of `path`; nil if there is no such room, and
    /// then the connection is closed.
    package func begin(_ link: any ServerLink, in path: String) -> ServerSession? {
        guard path.utf8.count <= RoomPath.longestName else {
            let most = RoomPath.longestName
            refuse(link, .noRoom, "A room's name may have \(most) bytes.")
            return nil
        }
        guard RoomPath.isName(path), let room = room(path) else {
            let isFull = rooms.count >= limits.rooms
            if isFull { flushes.counts.reached("rooms") }
            refuse(
                link, isFull ? .full : .noRoom,
                isFull ? "The server has as many rooms as it takes." : host.lack(ofRoom: path))
            return nil
        }
        guard !isShort else {
            flushes.counts.reached("memory")
            refuse(link, .full, "The server has too little memory.")
            return nil
        }
        // Sockets are counted before they come here, and many clients of edges share one.
        guard link.edge == nil || passed < limits.connections else {
            flushes.counts.reached("connections")
            refuse(link, .full, "The server has as many connections as it takes.")
            return nil
        }
        let session = ServerSession(room: room, loop: self, link: link)
        session.trace = host.trace(of: session)
        let network = link.peerNetwork
        guard network.isEmpty || link.isLocal || session.enter(.address(ExactString(network)))
        else {
            flushes.counts.reached("connections-per-address")
            refuse(link, .full, "The address has as many connections as it may.")
            return nil
        }
        visitors[ExactString(room.name), default: 0] += 1
        idleRooms.entered(room.name)
        sessions[link.id] = session
        if session.isPassedOn { passed += 1 }
        greetings.append((host.now + limits.helloTimeout, link.id))
        watchGreetings()
        return session
    }

    /// Ends the connections to a room, whether or not they were let in. Clients that come through
    /// edges stay there: their edges connect again. O(connections).
    func close(connectionsTo room: any AnyRoom, _ code: CloseCode, _ title: String) {
        let own = sessions.filter { $0.value.room === room && !$0.value.isPassedOn }
        for (_, session) in own.sorted(by: { $0.key < $1.key }) { session.close(code, title) }
    }

    /// Ends what the rules of rooms don't allow any more, as these have changed.
    package func askRulesAgain() {
        for (_, session) in sessions.sorted(by: { $0.key < $1.key }) { session.askRulesAgain() }
    }

    /// The connection of a link is over.
    package func end(_ id: UInt64) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        session.disconnected()
        if session.isPassedOn { passed -= 1 }
        times.set(id, at: nil)
        forgetGreetings()
        let path = session.room.name
        let name = ExactString(path)
        let count = visitors[name, default: 1] - 1
        visitors[name] = count > 0 ? count : nil
        forgetUntouched(path)
        use(path)
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

    private func refuse(_ link: any ServerLink, _ code: CloseCode, _ title: String) {
        link.note(.ending(code, title))
        let isFull = code == .full
        let bye = ServerFrame.Bye(
            code: code.word, title: title, reconnect: code.allowsReconnect,
            after: isFull ? 10 : 0, jitter: isFull ? 10 : 0)
        link.close(code, reason: code.word, behind: [.bye(bye)])
    }

    /// Closes connections that haven't said hello in time.
    private func watchGreetings() {
        guard !isWatchingGreetings, let first = greetings.first else { return }
        isWatchingGreetings = true
        host.schedule(after: max(.zero, first.deadline - host.now)) { [weak self] in
            guard let self else { return }
            isWatchingGreetings = false
            let now = host.now
            let due = greetings.prefix { $0.deadline <= now }
            greetings.removeFirst(due.count)
            for greeting in due {
                guard let session = sessions[greeting.id], session.phase == .awaitingHello
                else { continue }
                flushes.counts.reached("hello-timeout")
                session.close(.helloTimeout, "No hello came in time.")
            }
            watchGreetings()
        }
    }

    /// Whoever comes and goes again and again leaves nothing: those are forgotten who have gone, when
    /// they are more than those who are there.
    private func forgetGreetings() {
        guard greetings.count > 2 * sessions.count + 64 else { return }
        greetings.removeAll { sessions[$0.id]?.phase != .awaitingHello }
    }

    package var seconds: Double { host.now.inSeconds }

    package func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        host.schedule(after: delay, work)
    }

    package func authenticate(_ session: ServerSession, token: String?) {
        host.authenticate(session, token: token)
    }

    package func admitted(_ identity: Identity) -> Result<Identity, Rejection> {
        host.admitted(identity)
    }

    package func admitsEdge(_ key: String?, to room: String) -> Bool {
        host.admitsEdge(key, to: room)
    }

    package var timeOfDay: Timestamp { host.timeOfDay }

    package func watch(_ session: ServerSession, at time: Timestamp?) {
        guard let id = session.link?.id else { return }
        times.set(id, at: time)
        watchTimes()
    }

    /// Looks every second, as long as there is something to look for: the time of day may step.
    private func watchTimes() {
        guard !isWatchingTimes, !times.isEmpty else { return }
        isWatchingTimes = true
        host.schedule(after: .seconds(1)) { [weak self] in
            guard let self else { return }
            isWatchingTimes = false
            for id in times.takeDue(at: timeOfDay) { sessions[id]?.checkExpiry() }
            watchTimes()
        }
    }

    // MARK: Turns

    /// Calls the room's `endTurn` when everything that came in this turn was taken.
    func schedule(turnOf room: any AnyRoom) {
        noteBegin()
        dueRooms.append(room)
    }

    /// Calls the room's `endTurn` in the next turn, which follows.
    func scheduleAgain(turnOf room: any AnyRoom) {
        if laterRooms.contains(where: { $0 === room }) { return }
        noteBegin()
        laterRooms.append(room)
    }

    /// Calls the room's `catchUp` when there is time for large values.
    func scheduleCatchUp(of room: any AnyRoom) {
        if roomsBehind.contains(where: { $0 === room }) { return }
        noteBegin()
        roomsBehind.append(room)
    }

    package func noteBegin() {
        if dueRooms.isEmpty, flushes.due.isEmpty, !isEndingTurn { host.turnBegan() }
    }

    /// Hands what came to the journal, then lets every connection that can take it have its share.
    package func endTurn() {
        guard !isEndingTurn else { return }
        isEndingTurn = true
        defer { isEndingTurn = false }
        if !laterRooms.isEmpty {
            dueRooms += laterRooms
            laterRooms = []
        }
        flushes.beginWaiting()
        let isShared = flushes.isShared
        if isShared {
            // Who makes little work is answered before anything is done for others.
            flushes.takeWaiting(onlyLight: true)
            endRoomTurnsAndFlush()
            if !flushes.isHeavy, audience.isDue(at: flushes.seconds) { flushAudience() }
        }
        if !isShared || hasHeavy && flushes.nextHeavy <= seconds {
            flushes.doHeavy {
                sendPart()
                flushes.takeWaiting()
                catchUp()
                endRoomTurnsAndFlush()
                if !isShared || flushes.isHeavy { flushAudience() }
            }
        }
        turns?.endTurn(at: timeOfDay)
        goOn()
    }

    private func catchUp() {
        let rooms = roomsBehind
        roomsBehind = []
        for room in rooms { room.catchUp() }
    }

    /// Whether there is something to do that may be much work.
    private var hasHeavy: Bool {
        !inParts.isEmpty || !roomsBehind.isEmpty || flushes.isContended
            || !audience.isEmpty && flushes.isHeavy
    }

    /// Asks for another turn if something is left to do.
    private func goOn() {
        if audience.isEmpty { flushes.isHeavy = false }
        if !laterRooms.isEmpty { return host.turnAgain() }
        let isHeavy = audience.isEmpty || flushes.isHeavy
        if !isHeavy { turn(at: audience.begins) }
        if !inParts.isEmpty || !roomsBehind.isEmpty || !audience.isEmpty && isHeavy {
            return turn(at: flushes.nextHeavy)
        }
        goOnWaiting()
    }

    /// Asks for a turn at a time, or before.
    private func turn(at time: Double) {
        let now = seconds
        if time <= now { return host.turnAgain() }
        // Whoever makes little work may be gone by then.
        let time = min(time, now + HeavyTime.memory)
        guard time < nextTurn else { return }
        nextTurn = time
        host.schedule(after: .seconds(time - now)) { [weak self] in
            guard let self else { return }
            nextTurn = .infinity
            host.turnAgain()
        }
    }

    /// Hands what came to the journals, and sends what there is to send.
    private func endRoomTurnsAndFlush() {
        // A session that had stopped reading goes on when its answers are taken.
        while !dueRooms.isEmpty || !flushes.due.isEmpty {
            endRoomTurns()
            swap(&flushes.due, &flushing)
            var messages = scratch
            scratch = []
            if flushing.count <= Self.fewFlushes {
                for index in flushing.indices { flush(flushing[index], &messages) }
            } else {
                for index in flushing.indices where flushing[index].hasAnswers {
                    flush(flushing[index], &messages)
                }
                audience.take(&flushing)
            }
            scratch = messages
            flushing.clear()
        }
    }

    /// How many sessions are sent something without a look at the clock; about 0.1 ms.
    private static let fewFlushes = 16

    /// Sends those what there is who wait for no answer, as many as there is time for.
    private func flushAudience() {
        guard !audience.isEmpty else { return }
        let start = seconds
        var now = start
        var messages = scratch
        scratch = []
        repeat {
            let sessions = audience.next(Self.fewFlushes)
            for index in sessions.indices { flush(sessions[index], &messages) }
            now = seconds
        } while audience.hasBegun && now - start < Audience.time
        scratch = messages
        audience.note(now - start, at: now, isShared: flushes.isShared)
    }

    /// Asks for a turn if a session waits for one, and not only for its room.
    func goOnWaiting() {
        guard flushes.isContended else { return }
        if flushes.hasLight { return host.turnAgain() }
        if flushes.hasHeavy { turn(at: flushes.nextHeavy) }
    }

    private func endRoomTurns() {
        while !dueRooms.isEmpty {
            let due = dueRooms
            dueRooms.removeAll(keepingCapacity: true)
            for room in due { room.endTurn() }
        }
    }

    /// Sends what the session has, if its connection takes it now.
    package func flush(_ session: ServerSession) {
        var messages: [ServerMessage] = []
        flush(session, &messages)
    }

    /// - Parameter messages: empty, and again afterwards; for its memory.
    private func flush(_ session: ServerSession, _ messages: inout [ServerMessage]) {
        guard let link = session.link, link.isWritable, !session.isBehind else { return }
        if flushes.workLeft <= 0 || flushes.holdsHeavy, session.needsEncoding {
            return queuePart(of: session)
        }
        if session.hasMessages {
            let start = turns == nil ? nil : host.now
            session.pull(into: &messages)
            let pulled = turns == nil ? nil : host.now
            if !messages.isEmpty { link.write(messages) }
            noteSent(messages.count, of: session, from: start, pulled)
            messages.clear()
            session.wrote()
        }
        if session.hasParts { queuePart(of: session) }
    }

    @inline(__always) private func noteSent(
        _ count: Int, of session: ServerSession, from start: Duration?, _ pulled: Duration?
    ) {
        guard let turns, let start, let pulled else { return }
        turns.sent(
            count, encodedIn: pulled - start, writtenIn: host.now - pulled, for: session.room)
    }

    // MARK: Parts

    private func queuePart(of session: ServerSession) {
        guard !session.isPartQueued else { return }
        session.isPartQueued = true
        if inParts.isEmpty { noteBegin() }
        inParts.append(session)
    }

    /// Sends one part, or a write of first values, to the first whose connection takes it; others
    /// come again when theirs do.
    ///
    /// One for each turn, whosever it is: no message waits for more than one of them, however many
    /// are sent.
    private func sendPart() {
        while !inParts.isEmpty {
            let session = inParts.removeFirst()
            session.isPartQueued = false
            guard let link = session.link, link.isWritable else { continue }
            if session.hasMessages {
                flush(session)
                return
            }
            let start = turns == nil ? nil : host.now
            guard let part = session.nextPart() else { continue }
            let made = turns == nil ? nil : host.now
            link.write([part])
            noteSent(1, of: session, from: start, made)
            if session.hasParts, link.isWritable { queuePart(of: session) }
            return
        }
    }

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

    // MARK: The end

    /// To how many connections goodbye is said at once, and how long it is until the next; about
    /// a twentieth of the loop's time.
    private static let wave = (connections: 200, pause: Duration.milliseconds(50))
    /// How many connections a second should come back.
    private static let returnRate = 1000.0

    /// Says goodbye to everyone, in waves, so that those whose turn comes later are served until
    /// then; `completion` is called when it was said to all. The more there are, the longer the
    /// time over which they are asked to come back.
    package func stop(_ completion: @escaping () -> Void) {
        isStopping = true
        let jitter = max(2, Double(sessions.count) / Self.returnRate)
        // In half of the time that there is.
        let steps = max(1, limits.drainTimeout / 2 / Self.wave.pause)
        let size = max(Self.wave.connections, Int(Double(sessions.count) / steps) + 1)
        sayGoodbye(to: sessions.keys.sorted()[...], size, jitter, completion)
    }

    private func sayGoodbye(
        to ids: ArraySlice<UInt64>, _ size: Int, _ jitter: Double,
        _ completion: @escaping () -> Void
    ) {
        for id in ids.prefix(size) {
            sessions[id]?.close(.goingAway, "The server stops.", after: 0.5, jitter: jitter)
        }
        endTurn()
        let rest = ids.dropFirst(size)
        if rest.isEmpty { return completion() }
        host.schedule(after: Self.wave.pause) { [weak self] in
            self?.sayGoodbye(to: rest, size, jitter, completion)
        }
    }

    /// Has rooms write what makes the next start quick; `completion` is called when they have, or
    /// in a quarter of the time for the end: what isn't written then is reduced again.
    package func prepareRoomsToEnd(_ completion: @escaping () -> Void) {
        prepareToEnd(rooms.keys.sorted(), completion)
    }

    /// As ``prepareRoomsToEnd(_:)``, for one room.
    package func prepareRoomToEnd(_ name: String, _ completion: @escaping () -> Void) {
        prepareToEnd([ExactString(name)], completion)
    }

    private func prepareToEnd(_ names: [ExactString], _ completion: @escaping () -> Void) {
        let rooms = names.compactMap { self.rooms[$0] }
        var (waiting, isOver) = (rooms.count, false)
        let end = {
            guard !isOver else { return }
            isOver = true
            completion()
        }
        host.schedule(after: limits.drainTimeout / 4, end)
        for room in rooms {
            room.prepareToEnd {
                waiting -= 1
                if waiting == 0 { end() }
            }
        }
        if rooms.isEmpty { end() }
    }

    /// The server has ended: whoever waits for what has no outcome yet is told so.
    package func abandonRooms() {
        for room in rooms.values { room.abandon() }
    }
}

/// Many sessions that are sent what others did, and wait for no answer.
///
/// For a moment at a time, between which those are heard who have something to say; and while
/// somebody is there who has, half of the loop's time at most.
struct Audience {
    /// How long a moment is, in seconds.
    static let time = 0.0005

    /// Those that are sent something now, or have been.
    private var present: [ServerSession] = []
    /// How many of them have been.
    private var done = 0
    /// Those that are when these have it.
    private var coming: [ServerSession] = []
    /// How long it took until now, in seconds.
    private var spent = 0.0
    /// When the next may begin; long ago, while some have begun.
    private(set) var begins = -Double.infinity

    var isEmpty: Bool { present.isEmpty && coming.isEmpty }
    var hasBegun: Bool { done < present.count }

    func isDue(at now: Double) -> Bool { hasBegun || !coming.isEmpty && begins <= now }

    /// Takes all of them, and leaves memory for others.
    mutating func take(_ sessions: inout [ServerSession]) {
        if coming.isEmpty { return swap(&coming, &sessions) }
        coming += sessions
        sessions.clear()
    }

    /// The next few that are to be sent something.
    mutating func next(_ count: Int) -> ArraySlice<ServerSession> {
        if present.isEmpty { swap(&present, &coming) }
        let first = done
        done = min(done + count, present.count)
        return present[first..<done]
    }

    /// Some were sent something, which took so long.
    mutating func note(_ time: Double, at now: Double, isShared: Bool) {
        spent += time
        guard !hasBegun else { return }
        present.clear()
        done = 0
        begins = isShared ? now + spent : now
        spent = 0
    }
}

extension Duration {
    var inSeconds: Double {
        self / .seconds(1)
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
