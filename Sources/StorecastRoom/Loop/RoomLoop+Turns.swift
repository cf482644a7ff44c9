import StorecastWire

/// Turns: what came goes to the journals, and what there is to send to those who take it.
extension RoomLoop {
    /// Calls the room's `endTurn` when everything that came in this turn was taken.
    func schedule(turnOf room: any AnyRoom) {
        noteBegin()
        dueRooms.append(room)
    }

    /// Calls the room's `endTurn` in the next turn, which follows.
    func scheduleAgain(turnOf room: any AnyRoom) {
        if laterRooms.append(room) { noteBegin() }
    }

    /// Calls the room's `catchUp` when there is time for large values.
    func scheduleCatchUp(of room: any AnyRoom) {
        if roomsBehind.append(room) { noteBegin() }
    }

    package func noteBegin() {
        if dueRooms.isEmpty, flushes.due.isEmpty, !isEndingTurn { host.turnBegan() }
    }

    /// Hands what came to the journal, then lets every connection that can take it have its share.
    package func endTurn() {
        guard !isEndingTurn else { return }
        isEndingTurn = true
        defer { isEndingTurn = false }
        if !laterRooms.isEmpty { dueRooms += laterRooms.takeAll() }
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
        for room in roomsBehind.takeAll() { room.catchUp() }
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

/// Rooms that wait for a turn, each once, in the order in which they came.
struct RoomQueue {
    private var rooms: [any AnyRoom] = []
    private var ids: Set<ObjectIdentifier> = []

    var isEmpty: Bool { rooms.isEmpty }

    /// False if the room waits already. O(1).
    mutating func append(_ room: any AnyRoom) -> Bool {
        guard ids.insert(ObjectIdentifier(room)).inserted else { return false }
        rooms.append(room)
        return true
    }

    mutating func takeAll() -> [any AnyRoom] {
        defer { self = RoomQueue() }
        return rooms
    }
}
