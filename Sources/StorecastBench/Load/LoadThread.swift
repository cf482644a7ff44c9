import StorecastWebSocket

/// A thread with its share of the connections, and an event loop of its own. Threads share nothing:
/// what each has counted is taken from it now and then.
actor LoadThread {
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var crew: LoadCrew?

    init(name: String) throws(EventLoopError) {
        loop = try EventLoop(name: name)
    }

    /// Connects, subscribes, and returns when every subscription has its first value.
    func open(_ plan: LoadPlan, connections: [Int], mirrors: [Int]) async throws(LoadError) {
        let crew = LoadCrew(plan, on: loop)
        self.crew = crew
        let problem = await withCheckedContinuation { continuation in
            crew.open(connections: connections, mirrors: mirrors) {
                continuation.resume(returning: $0)
            }
        }
        if let problem { throw problem }
    }

    func begin(_ pace: Pace) { crew?.begin(pace) }

    /// Ends the step that is under way before its time.
    func cut(at now: Int64) { crew?.cut(at: now) }

    /// Waits for no outcomes any more.
    func giveUp(at now: Int64) { crew?.giveUp(at: now) }

    /// What was counted since this was last called.
    func take() -> Tally { crew?.take() ?? Tally() }

    func close() async {
        crew?.close()
        await loop.shutDown()
    }
}

/// The connections of a thread, and what they share. Belongs to its thread.
final class LoadCrew {
    let plan: LoadPlan
    let loop: EventLoop
    var tally = Tally()
    var hearing = Hearing()
    private(set) var pace: Pace?

    private var connections: [LoadConnection] = []
    /// By their numbers.
    private var mirrors: [Int: LoadConnection] = [:]
    private var alarm: LoopAlarm?
    /// The action that is due next: its connection's place here, and its index on that.
    private var next = (place: 0, index: 0)
    private var isSending = false

    /// The version that all mirrors have reached, and how many are exactly there.
    private var floor: UInt64 = 0
    private var atFloor = 0

    private var toOpen: [LoadConnection] = []
    private var unready = 0
    private var opened: ((LoadError?) -> Void)?
    private var patience: LoopTimer?

    /// How many connections are opened at the same time.
    private static let openingAtOnce = 64
    /// Actions that are due within so many nanoseconds are sent together.
    private static let grain: Int64 = 50_000

    init(_ plan: LoadPlan, on loop: EventLoop) {
        self.plan = plan
        self.loop = loop
    }

    // MARK: Opening

    /// - Parameter done: is called when all are ready, or with the first problem.
    func open(connections: [Int], mirrors: [Int], _ done: @escaping (LoadError?) -> Void) {
        opened = done
        do throws(EventLoopError) {
            alarm = try LoopAlarm(on: loop) { [unowned self] in sendDue() }
        } catch {
            return fail(error.description)
        }
        self.connections = connections.map { LoadConnection($0, isMirror: false, in: self) }
        let all = mirrors.map { LoadConnection($0, isMirror: true, in: self) }
        self.mirrors = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })
        atFloor = mirrors.count
        toOpen = (self.connections + all).reversed()
        unready = toOpen.count
        guard unready > 0 else { return finishOpening(nil) }
        awaitProgress()
        for _ in 0..<Self.openingAtOnce { toOpen.popLast()?.connect(on: loop) }
    }

    func ready() {
        unready -= 1
        if unready == 0 { return finishOpening(nil) }
        awaitProgress()
        toOpen.popLast()?.connect(on: loop)
    }

    func fail(_ sentence: String) { finishOpening(LoadError(sentence)) }

    func lost(
        _ connection: LoadConnection, _ sentence: String, wasReady: Bool, problem: String?
    ) {
        guard opened == nil else {
            let text = wasReady ? sentence : problem.map { "Can't connect: \($0)" } ?? sentence
            return fail(text)
        }
        tally.lose(sentence)
        guard connection.isMirror, mirrors.removeValue(forKey: connection.number) != nil
        else { return }
        mirrorMoved(from: connection.reached)
    }

    private func awaitProgress() {
        patience?.cancel()
        patience = loop.schedule(after: plan.patience) { [weak self] in
            guard let self else { return }
            fail("\(unready) connections aren't ready, and the server has fallen silent.")
        }
    }

    private func finishOpening(_ problem: LoadError?) {
        patience?.cancel()
        toOpen = []
        let done = opened
        opened = nil
        done?(problem)
    }

    // MARK: A step

    func begin(_ pace: Pace) {
        self.pace = pace
        for connection in connections { connection.beginStep() }
        next = (0, 0)
        isSending = !connections.isEmpty
        sendDue()
    }

    func cut(at now: Int64) {
        guard let end = pace?.end, now < end else { return }
        pace?.end = now
        sendDue()
    }

    func giveUp(at now: Int64) {
        stopSending(at: now)
        for connection in connections { connection.giveUp(at: now) }
    }

    /// Dispatches what is due by now, and comes back for the rest.
    private func sendDue() {
        guard isSending, let pace else { return }
        let now = Clock.now
        var lateness: Int64?
        while true {
            let connection = connections[next.place]
            let moment = pace.moment(of: next.index, on: connection.number)
            guard moment < pace.end else {
                alarm?.set(at: .nanoseconds(pace.end))
                break
            }
            guard moment <= now else {
                alarm?.set(at: .nanoseconds(max(moment, now + Self.grain)))
                break
            }
            lateness = lateness ?? now - moment
            connection.addDue()
            next.place += 1
            if next.place == connections.count { next = (0, next.index + 1) }
        }
        if let lateness, now >= pace.measuredFrom { tally.lateness.record(lateness) }
        if now >= pace.end { stopSending(at: now) }
    }

    private func stopSending(at now: Int64) {
        guard isSending else { return }
        isSending = false
        for connection in connections { connection.stopSending(at: now) }
    }

    func ack(_ index: Int, on connection: Int, version: UInt64, at now: Int64) {
        guard let pace else { return }
        if now >= pace.measuredFrom && now < pace.end { tally.ackedInTime += 1 }
        let moment = pace.moment(of: index, on: connection)
        guard pace.isMeasured(moment) else { return }
        tally.acks.record(now - moment)
        if plan.mirrors > 0 { tally.acked.append((moment, version)) }
    }

    /// A mirror has moved on from a version.
    func mirrorMoved(from version: UInt64) {
        guard version == floor else { return }
        atFloor -= 1
        if atFloor == 0 { raiseFloor() }
    }

    private func raiseFloor() {
        guard let lowest = mirrors.values.map(\.reached).min() else { return }
        atFloor = mirrors.values.count { $0.reached == lowest }
        guard lowest > floor else { return }
        floor = lowest
        tally.floors.append((lowest, Clock.now))
    }

    func take() -> Tally {
        var taken = tally
        tally = Tally()
        // A thread that is late may have none open and yet more to send.
        taken.open = connections.reduce(isSending ? 1 : 0) { $0 + $1.open }
        return taken
    }

    func close() {
        alarm?.cancel()
        opened = nil
        for connection in connections + Array(mirrors.values) { connection.close() }
    }
}
