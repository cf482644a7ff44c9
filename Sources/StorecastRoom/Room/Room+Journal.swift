import StorecastSync

/// A room's way to its journal, and what comes back from it.
extension Room {
    package func endTurn() {
        catchUpViews()
        defer { goOnLater() }
        // What its visitors leave behind is of no use to it.
        if hasFailed { queue = JournalQueue() }
        if !queue.committing.isEmpty { commitSome() }
        guard !queue.isAppending else { return }
        forgetSurplus()
        guard !queue.batch.isEmpty else { return }
        vouch()
        append(queue.takeBatch())
    }

    package func catchUp() {
        catchUpViews()
        goOnLater()
    }

    private func catchUpViews() {
        guard let turns = context.loop.turns else { return views.catchUp() }
        let start = context.host.now
        views.catchUp()
        turns.selected(in: context.host.now - start, for: self)
    }

    /// Asks for another turn if something is left to do.
    private func goOnLater() {
        if views.areLeaving || !views.areSmallDone || !queue.committing.isEmpty {
            context.loop.scheduleAgain(turnOf: self)
        }
        if views.areBehind { context.loop.scheduleCatchUp(of: self) }
    }

    /// Hands a batch to the journal, until it is known to be there or known not to be.
    ///
    /// - Parameter mayBeKept: an earlier try may have appended it: it can't be refused any more.
    private func append(_ entries: [JournalEntry], mayBeKept: Bool = false) {
        queue.isAppending = true
        observer?.appending()
        if lacksBeginning {
            takeSnapshot { [weak self] in self?.hand(entries, mayBeKept) }
        } else {
            hand(entries, mayBeKept)
        }
    }

    private func hand(_ entries: [JournalEntry], _ mayBeKept: Bool) {
        if let free = context.journal.freeBytes, free < limits.diskReserve {
            context.loop.flushes.counts.reached("disk-reserve")
            let mib = free >> 20
            let full = JournalError.unavailable(
                "The disk has \(mib) MiB left, less than the limit disk-reserve.")
            return appended(entries, .failure(full), mayBeKept)
        }
        let start = context.host.now
        let isHeavy =
            entries.reduce(0) { $0 + $1.size } > JournalQueue.congestion
            && entries.contains(where: isHeavy)
        context.journal.append(entries, to: name) { [weak self] result in
            guard let self else { return }
            let end = context.host.now
            context.host.took(end - start, .append)
            if isHeavy { noteHeavy(until: end, from: start) }
            appended(entries, result, mayBeKept)
        }
    }

    private func appended(
        _ entries: [JournalEntry], _ result: Result<UInt64, JournalError>, _ mayBeKept: Bool
    ) {
        switch result {
        case .success(let offset):
            context.loop.flushes.counts.appended.entries += entries.count
            isRefused = false
            observer?.appended()
            queue.committing = entries[...]
            queue.committedOffset = offset &- UInt64(entries.count)
            return commitSome()
        case .failure(.unfit(let place, let problem)) where entries[place].rejection == nil:
            return append(entombing(place, of: entries, problem), mayBeKept: mayBeKept)
        case .failure(.replaced(let problem)):
            context.loop.flushes.counts.appended.replaced += 1
            return replaced(problem)
        case .failure(let error):
            context.loop.flushes.counts.appended.failures += 1
            isRefused = true
            var isUnknown = mayBeKept
            if case .unknownOutcome = error { isUnknown = true }
            if isUnknown { return appendLater(entries, error) }
            refuse(entries, error)
        }
        endAppending()
    }

    /// Another server goes on with the room: this one may tell nobody anything of it any more. Its
    /// clients connect again, and send again what has no outcome.
    package func leave(_ reason: String, asTold: Bool = false) {
        if phase == .loading { return end(.failed(.replaced(reason))) }
        if phase == .ready { replaced(reason, asTold: asTold) }
    }

    package var failure: Admission.Refusal {
        guard case .failed(.replaced) = phase else { return .trouble }
        return Admission.Refusal(.goingAway, "Another server has the room.")
    }

    private func replaced(_ problem: String, asTold: Bool = false) {
        // What was on its way to the journal may tell it once more.
        if phase == .ready { context.loop.flushes.counts.left += 1 }
        let line = "The room '\(name)' is left to another server: \(problem)"
        if asTold { context.host.notice(line) } else { context.host.report(line) }
        phase = .failed(.replaced(problem))
        queue = JournalQueue()
        context.loop.goOnWaiting()
        context.loop.close(
            connectionsTo: self, .goingAway, "Another server goes on with the room.")
        abandon()
    }

    /// Asks the journal whether another server writes the room; once a second at most, as anybody
    /// may say so.
    package func doubt() {
        if !isDoubted { askWhetherAlone { _ in } }
    }

    package func askWhetherAlone(_ completion: @escaping (Bool?) -> Void) {
        doubters.append(completion)
        askForDoubters()
    }

    /// Asks for all who wait for it: what is known already may be from before they came.
    private func askForDoubters() {
        guard phase == .ready else { return answerDoubters() }
        guard !isDoubted, !doubters.isEmpty else { return }
        isDoubted = true
        let asking = doubters
        doubters = []
        context.host.schedule(after: .seconds(1)) { [weak self] in
            self?.isDoubted = false
            self?.askForDoubters()
        }
        context.journal.isAlone(in: name) { [weak self] result in
            let isAlone = self?.phase == .ready ? try? result.get() : nil
            if isAlone == false { self?.replaced("A client has seen more of it.") }
            for completion in asking { completion(isAlone) }
        }
    }

    /// Nobody can say it any more.
    func answerDoubters() {
        let asking = doubters
        doubters = []
        for completion in asking { completion(nil) }
    }

    private func endAppending() {
        queue.isAppending = false
        context.loop.goOnWaiting()
        endForgetting()
        if !queue.batch.isEmpty { context.loop.schedule(turnOf: self) }
    }

    private func appendLater(_ entries: [JournalEntry], _ error: JournalError) {
        context.host.report(
            "The journal of room '\(name)' may have taken a batch; it is appended again: \(error)")
        context.host.schedule(after: .seconds(1)) { [weak self] in
            self?.append(entries, mayBeKept: true)
        }
    }

    /// The batch with a final rejection in place of an entry that the journal can't keep.
    private func entombing(
        _ place: Int, of entries: [JournalEntry], _ problem: String
    ) -> [JournalEntry] {
        context.host.report("The journal of room '\(name)' can't keep an action: \(problem)")
        var entries = entries
        entries[place].refused = entries[place].actions.first.map { RefusedAction($0) }
        entries[place].actions = []
        entries[place].rejection = Rejection(.invalid, "The action can't be kept.")
        return entries
    }

    // MARK: Committing

    /// Reduces entries in the journal's order, as many as a turn has time for, and brings the
    /// selections up to date; the others follow in the next turns.
    private func commitSome() {
        let before = log.version
        let journal = context.journal
        let host = context.host
        let start = host.now
        var now = start
        var (count, bytes) = (0, 0)
        let most = limits.turnActions
        while count < most, now - start < turnTime,
            let entry = queue.committing.popFirst()
        {
            count += 1
            bytes += entry.size
            queue.committedOffset &+= 1
            queue.bytes -= entry.size
            journal.reducing(queue.committedOffset, of: context.name, isNew: true)
            let outcome = log.apply(entry, at: queue.committedOffset)
            switch outcome {
            case .duplicate: break
            case .reduced: settled(entry, nil)
            case .rejected(let rejection): settled(entry, rejection)
            }
            let end = host.now
            if isWatched { note(entry, outcome, end - now) }
            if end - now > heavyTime, isHeavy(entry) { noteHeavy(until: end, from: now) }
            if end - now > longTime { reportLong(entry, end - now) }
            now = end
        }
        journal.reduced()
        if log.version != before {
            askEntryAgain()
            views.evaluate()
            let end = host.now
            let time = end - now
            context.loop.turns?.selected(in: time, for: self)
            if time > heavyTime, context.loop.flushes.isHeavy { noteHeavy(until: end, from: now) }
            if time > longTime { reportLongSelections(time) }
        }
        noteGrowth(by: count, bytes: bytes)
        guard queue.committing.isEmpty else { return goOnLater() }
        // An empty slice still holds them all.
        queue.committing = []
        observer?.committed()
        goOnLater()
        if mayForget { context.loop.schedule(turnOf: self) }
        endAppending()
    }

    /// Whether somebody wants to know how long dispatches take.
    private var isWatched: Bool { observer != nil || context.loop.turns != nil }

    private func note(_ entry: JournalEntry, _ outcome: EntryOutcome, _ time: Duration) {
        guard outcome != .duplicate else { return }
        let isOwn = entry.client == own.client
        observer?.took(
            time, entry, bytes: isOwn ? 0 : max(0, entry.size - JournalQueue.entryOverhead),
            isRejected: outcome != .reduced)
        context.loop.turns?.reduced(entry, in: time, for: self)
    }

    /// Whether it is of a client that makes much work.
    private func isHeavy(_ entry: JournalEntry) -> Bool {
        sessions[entry.client]?.isLight == false
    }

    private func noteHeavy(until end: Duration, from start: Duration) {
        context.loop.flushes.noteHeavy(until: end.inSeconds, from: start.inSeconds)
    }

    private func reportLong(_ entry: JournalEntry, _ time: Duration) {
        let type = entry.actions.first.map { Swift.type(of: $0).wireName } ?? "nothing"
        reportLong("an action of type '\(type)' took \(Int(time / .milliseconds(1))) ms")
    }

    private func reportLongSelections(_ time: Duration) {
        let costliest = views.costs.max { $0.share < $1.share }
        let name = costliest.map { ", most of it for '\($0.name.string)'" } ?? ""
        reportLong("its selections took \(Int(time / .milliseconds(1))) ms\(name)")
    }

    /// Tells the server's owner what held the loop up, at most once a minute.
    private func reportLong(_ what: String) {
        let now = context.host.now
        if let last = longReport, now - last < .seconds(60) { return }
        longReport = now
        context.host.report("Room '\(name)' held up everybody on its loop: \(what).")
    }

    /// The log has an entry's outcome: tells whoever waits for it.
    private func settled(_ entry: JournalEntry, _ rejection: Rejection?) {
        observer?.settled(entry, rejection, at: log.version)
        count(entry, rejection)
        context.audit?(entry, rejection, sessions[entry.client], log.version)
        if !orphans.isEmpty, let orphan = orphans[entry.client], entry.seq >= orphan.lastSeq {
            orphans[entry.client] = nil
            left(entry.client)
        }
        guard entry.client == own.client else {
            sessions[entry.client]?.settled(entry.seq, rejection)
            return
        }
        if entry.actions.first is ForgetClients { forgot() }
        own.outcomes.removeValue(forKey: entry.seq)?
            .settle(rejection.map { .failure($0) } ?? .success(position))
        settledAnnouncement(entry.seq)
    }

    private func count(_ entry: JournalEntry, _ rejection: Rejection?) {
        let counts = context.loop.flushes.counts
        guard let rejection else { return counts.took(entry.actions) }
        let name = entry.actions.first.map { type(of: $0).wireName } ?? entry.refused?.type
        counts.rejected(name.flatMap { definition.actions.contains($0) ? $0 : nil }, rejection.code)
    }

    // MARK: Refusing

    /// Nothing was appended: each client's first dispatch may come again, and all behind it. The
    /// server's own are kept, in their order.
    private func refuse(_ entries: [JournalEntry], _ error: JournalError) {
        reportRefusal(error)
        let rejection = Rejection(
            .unavailable, "The server can't take actions now.", retryAfter: .seconds(1))
        var refused: Set<String> = []
        // What an earlier connection had sent already may be settled by now.
        for entry in entries
        where entry.client != own.client && ledger.verdict(on: entry) != .duplicate {
            guard refused.insert(entry.client).inserted else { continue }
            sessions[entry.client]?.refused(entry.seq, rejection)
            if orphans.removeValue(forKey: entry.client) != nil { left(entry.client) }
        }
        let waiting = entries + queue.batch
        queue.batch = queue.batch.filter {
            $0.client != own.client && !refused.contains($0.client)
        }
        // Whom to forget is decided anew.
        postpone(
            waiting.filter { $0.client == own.client && !($0.actions.first is ForgetClients) })
        queue.bytes = (queue.batch + queue.postponed).reduce(0) { $0 + $1.size }
    }

    /// Tells the server's owner; of the same error at most once a minute.
    private func reportRefusal(_ error: JournalError) {
        let now = context.host.now
        if let last = refusal, last.error == error, now - last.at < .seconds(60) { return }
        refusal = (error, now)
        context.host.report("The journal of room '\(name)' took nothing: \(error)")
    }

    /// Keeps the server's own entries, which the journal didn't take, and those behind them.
    private func postpone(_ entries: some Sequence<JournalEntry>) {
        let isFirst = queue.postponed.isEmpty
        queue.postponed += entries
        guard isFirst, !queue.postponed.isEmpty else { return }
        context.host.schedule(after: .seconds(1)) { [weak self] in self?.appendPostponed() }
    }

    private func appendPostponed() {
        // They weren't appended: as good as made now.
        for place in queue.postponed.indices { queue.postponed[place].base = log.version }
        if queue.batch.isEmpty { context.loop.schedule(turnOf: self) }
        queue.batch.insert(contentsOf: queue.postponed, at: 0)
        queue.postponed = []
    }
}

/// How long entries are reduced in one turn, beyond the last one.
private let turnTime = Duration.milliseconds(2)
/// What an action may take before it counts as much work, like a slice of it.
private let heavyTime = Duration.microseconds(250)
/// What the server's owner is told of, as nobody is heard meanwhile.
private let longTime = Duration.milliseconds(20)

/// What waits for a room's journal, or is on its way to it.
struct JournalQueue {
    /// What came since the last batch was handed to the journal.
    var batch: [JournalEntry] = []
    /// What the journal has, and isn't reduced yet.
    var committing: ArraySlice<JournalEntry> = []
    /// The offset of the last entry that is reduced, while some aren't.
    var committedOffset: UInt64 = 0
    /// What the journal refused of the server's own dispatches, until they are tried again.
    var postponed: [JournalEntry] = []
    /// All of it, about, in bytes.
    var bytes = 0
    /// Whether a batch is on its way.
    var isAppending = false

    var isEmpty: Bool { batch.isEmpty && postponed.isEmpty && !isAppending }

    /// What an entry takes beside its payload, or without one, about; in bytes.
    static var entryOverhead: Int { 256 }
    /// What an action of the server's own counts as, whatever is in it.
    static var ownSize: Int { 1024 }

    /// How many bytes wait at least while it is congested: some 100 small actions.
    static var congestion: Int { 32 << 10 }

    /// Whether an entry more may wait; one always may.
    func hasPlace(for size: Int, _ limits: SyncLimits) -> Bool {
        bytes == 0 || bytes + size <= limits.waitingBytes
    }

    /// Takes out what is to be appended now.
    mutating func takeBatch() -> [JournalEntry] {
        defer { batch = [] }
        return batch
    }
}

/// The dispatches of the server's own code, under a client id of this process's own, so that its
/// numbers never meet those of a process before.
struct OwnDispatches {
    let client: String
    var lastSeq: UInt64 = 0
    /// The outcomes that are waited for, by the dispatches' numbers.
    var outcomes: [UInt64: DispatchOutcome] = [:]
}
