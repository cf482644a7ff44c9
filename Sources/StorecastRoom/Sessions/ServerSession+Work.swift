/// How much a connection sends and has the server do, and when it has to wait for that.
extension ServerSession {
    /// Notes messages that came; reads nothing more for as long as they are more than may come.
    func pay(for size: Int, messages: Int = 1) {
        let now = loop.seconds
        var (wait, limit) = (0.0, "")
        for account in accounts {
            let own = account.note(messages: messages, of: size, at: now)
            if own > wait { (wait, limit) = (own, account.name) }
        }
        guard wait > 0, !isThrottled else { return }
        isThrottled = true
        flushes.counts.reached(limit)
        loop.schedule(after: .seconds(wait)) { [weak self] in
            self?.isThrottled = false
            self?.takeFrames()
        }
    }

    /// For how many seconds a dispatch has to wait; 0, and it counts, if it may come.
    func waitForAction() -> Double {
        let now = loop.seconds
        var (wait, limit) = (0.0, "")
        for index in accounts.indices {
            let own = accounts[index].waitForAction(at: now)
            if own > wait { (wait, limit) = (own, accounts[index].name) }
        }
        guard wait == 0 else {
            flushes.counts.reached(limit)
            overruns += 1
            return wait
        }
        overruns = 0
        for index in accounts.indices { accounts[index].takeAction(at: now) }
        return 0
    }

    /// Whether it doesn't wait as it was asked to.
    var isOverrunning: Bool { overruns > room.limits.overruns }

    /// Counts it among the connections of a sender; false if that has as many as it may.
    func enter(_ sender: SenderAccounts.Sender) -> Bool {
        guard let account = loop.senders.enter(sender, at: loop.seconds) else { return false }
        accounts.append(account)
        senders.append(sender)
        return true
    }

    /// What a message that waits takes beyond its bytes, which counts where any number of them may:
    /// from a client that comes through an edge, whose connection others use too, reading goes on.
    static let waitingCost = 128
    /// What a frame costs beyond its bytes and those of the value that it asks for.
    static let frameWork = 256
    /// What an action costs beyond that, until it is acknowledged; as many microseconds as other
    /// work of this size takes.
    static let actionWork = 2048
    /// What it costs to find out who it is and to take it in, until it has left.
    static let helloWork = 16 << 10
    /// What it costs to begin to watch something that nobody watches.
    static let groupWork = 8 << 10

    /// Notes that a message made so much work, in bytes that were read, compared or written.
    func spend(_ amount: Int) {
        if workTurn != flushes.turn { beginWork() }
        work += amount
        flushes.spend(amount)
    }

    /// In a quarter of a second as much is forgiven as it may make in a turn.
    private func beginWork() {
        for account in accounts.dropFirst() { account.note(work: work, at: flushes.seconds) }
        let forgiven = Double(4 * limits.turnWork) * (flushes.seconds - workSeconds)
        debt = max(0, debt + Double(work) - forgiven)
        (work, workTurn, workSeconds) = (0, flushes.turn, flushes.seconds)
    }

    /// Whether it has made little work lately, and its identity and address no more than theirs: then
    /// it doesn't wait for those that have made much.
    var isLight: Bool { isLight(with: 0) }

    private func isLight(with size: Int) -> Bool {
        load + Double(size) <= Double(limits.turnWork / 4)
            && accounts.dropFirst().allSatisfy { $0.isLight(at: flushes.seconds) }
    }

    /// How much work it has made lately, and will by what waits to be read.
    var load: Double {
        if workTurn != flushes.turn { beginWork() }
        return debt + Double(work + inbox.unreadBytes)
    }

    var mustWait: Bool { mustWait(with: 0) }

    /// - Parameter size: the bytes of a message that is to be read.
    func mustWait(with size: Int) -> Bool {
        if flushes.holdsHeavy, !isLight(with: size) { return true }
        if work >= limits.turnWork, workTurn == flushes.turn, flushes.isContended { return true }
        return !mayWork || isHeldUp
    }

    /// Whether its room has much to do before it, which it wouldn't wait for if it had made less.
    var isHeldUp: Bool { room.isCongested && !isLight }

    /// Whether something may be made for it in this turn.
    private var mayWork: Bool {
        if flushes.holdsHeavy, !isLight { return false }
        return hasWorkLeft
    }

    private var hasWorkLeft: Bool {
        flushes.workLeft > 0 || flushes.spareWork > 0 && isLight
    }

    /// Whether a first value may be made: a small one goes with the answers that wait for it.
    func mayWrite(firstOf group: SelectionGroup) -> Bool {
        group.isLarge ? mayWork : hasWorkLeft
    }
}
