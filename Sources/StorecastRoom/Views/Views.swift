import Storecast
import StorecastSync
import StorecastWire

/// The selections of a room that have subscriptions: a group for each selection with its parameters
/// (and its viewer, if it depends on that), evaluated once for all of them.
final class Views<State: Codable & Sendable> {
    /// Called when a selection got its first subscription, or lost its last.
    var onChange: () -> Void = {}

    private let log: RoomLog<State>
    private let name: String
    /// Whether who has a selection may lose it by a change of the state.
    private let asksAgain: Bool
    var limits: SyncLimits
    private unowned let host: any RoomHost
    private let isClosed: Bool
    private let unruled: UnruledNames
    private let failed: (any Error) -> Void
    private var groups = SelectionTable<State>()
    private let finders: SelectionFinders<State>
    /// Groups without subscriptions, kept for a while.
    private(set) var lingering = LingeringGroups<State>()
    private var isWatchingLingering = false
    private let recent = RecentSnapshots(limit: 4 << 20)
    /// The state that the groups have, while one of them has a selection that says what it reads.
    private var evaluated: State?
    private var timer = SelectionTimer()
    /// Groups that were told of changes and wait for their update, in the order of that: those with
    /// small values, which come first, and those with large ones.
    private var behind: (small: [Told], large: [Told]) = ([], [])
    private typealias Told = (group: SelectionGroup, source: any ToldSource<State>)
    /// Groups without subscriptions that are still to be let go.
    private(set) var leaving: [SelectionGroup] = []
    /// Whether there are such groups.
    @exclusivity(unchecked) private(set) var areLeaving = false
    /// Whether large values have to wait for their time, as ``HeavyTime`` says.
    var holdsLarge: () -> Bool = { false }
    /// Whether all that are behind have large values.
    @exclusivity(unchecked) private(set) var areSmallDone = true
    /// Whether some groups aren't at the room's version yet.
    ///
    /// Not asked of the list, whose type takes long to find as it depends on `State`.
    @exclusivity(unchecked) private(set) var areBehind = false

    /// - Parameters:
    ///   - name: the room's.
    ///   - isClosed: whether selections that no rule is about are refused.
    ///   - failed: told of the errors of checks that aren't for clients.
    init(
        _ log: RoomLog<State>, name: String, limits: SyncLimits, isClosed: Bool, host: any RoomHost,
        unruled: UnruledNames, failed: @escaping (any Error) -> Void
    ) {
        self.log = log
        self.name = name
        asksAgain = log.definition.selectionRulesReadState
        self.limits = limits
        self.isClosed = isClosed
        self.host = host
        self.unruled = unruled
        self.failed = failed
        finders = SelectionFinders { [weak log] in log?.store.state }
    }

    /// The groups that have subscriptions, in no particular order.
    var live: [SelectionGroup] { groups.groups }

    /// How many there are.
    var liveCount: Int { groups.count }

    /// What the selections of each name that was ever in use cost.
    var costs: [SelectionCost] { groups.costs(of: timer.total) }

    /// The group of a selection, made if need be.
    func group(
        for selection: String, _ params: JSONView?, viewer: Identity
    ) throws(Rejection) -> Permitted<SelectionGroup> {
        let resolved = try log.definition.resolve(selection, params, viewer)
        return try permit(viewer, resolved.key) { try group(of: resolved, params) }
    }

    private func group(
        of resolved: ResolvedSelection<State>, _ params: JSONView?
    ) throws(Rejection) -> SelectionGroup {
        if let group = groups[resolved.key] { return group }
        guard let state = log.store.state else {
            throw Rejection(.internal, "The room has no state yet.")
        }
        do {
            let member = try revived(resolved.key, state) ?? fresh(resolved, params, state)
            try checkSize(of: member.group)
            groups.insert(member, reads: resolved.reads)
            if let source = member.source.told {
                source.group = member.group
                source.attach()
                listen()
            }
            if groups.readers > 0 { evaluated = state }
            onChange()
            return member.group
        } catch {
            throw Rejection(telling: error, failed)
        }
    }

    private func fresh(
        _ resolved: ResolvedSelection<State>, _ params: JSONView?, _ state: State
    ) throws -> LingeringGroups<State>.Member {
        let source = try resolved.source(state, finders)
        let group = try SelectionGroup(
            key: resolved.key, sub: groups.nextSub(), tag: tag(of: resolved.key, params),
            source: source, version: log.version, historyBytes: limits.historyBytes,
            recent: recent)
        return (group, source)
    }

    /// A group that was left, brought to the room's version: one patch from what it was then.
    private func revived(
        _ key: GroupKey, _ state: State
    ) throws -> LingeringGroups<State>.Member? {
        guard let member = lingering.remove(key) else { return nil }
        if let change = try member.source.update(state) {
            member.group.update(change, at: log.version)
        }
        if member.group.version < log.version { member.group.resume() }
        return member
    }

    /// The group's last subscription is gone; it is kept for a while, as clients reconnect. Beyond
    /// a turn's work that is done in later turns.
    ///
    /// - Returns: whether a turn has to be asked for, as it is the first that waits.
    func release(_ group: SelectionGroup) -> Bool {
        guard areLeaving || finders.work >= limits.turnWork else {
            rest(group)
            return false
        }
        leaving.append(group)
        defer { areLeaving = true }
        return !areLeaving
    }

    private func releaseLeaving() {
        guard areLeaving else { return }
        var done = 0
        while done < leaving.count, finders.work < catchUpWork {
            // Somebody may have come for it meanwhile.
            if leaving[done].isUnused { rest(leaving[done]) }
            done += 1
        }
        leaving.removeFirst(done)
        areLeaving = !leaving.isEmpty
    }

    private func rest(_ group: SelectionGroup) {
        guard let source = groups.remove(group) else { return }
        finders.work += Self.releaseWork + (source.told?.way == .rows ? 4 * group.size : 0)
        if groups.readers == 0 { evaluated = nil }
        detach(source)
        onChange()
        // What it is now was never found out.
        if group.isBehind {
            group.isBehind = false
            return
        }
        group.rest()
        lingering.append((group, source))
        while lingering.count > limits.lingeringGroups || lingering.bytes > limits.lingeringBytes {
            lingering.removeOldest()
        }
        watchLingering()
    }

    /// What it takes to let a group go, in bytes compared.
    private static var releaseWork: Int { 2048 }

    /// Lets go of what only saves work later.
    func forgetLingering() {
        lingering.removeAll()
        finders.forgetIdle()
    }

    private func detach(_ source: (any SelectionSource<State>)?) {
        guard let source = source?.told else { return }
        source.detach()
        listen()
    }

    /// Has the log tell of actions as long as somebody wants to know.
    private func listen() {
        guard finders.areListening != (log.willChange != nil) else { return }
        log.willChange =
            log.willChange == nil ? { [finders] in finders.note($1, on: $0) } : nil
    }

    /// One timer at a time, as long as there is something to forget.
    private func watchLingering() {
        guard !isWatchingLingering, !lingering.isEmpty else { return }
        isWatchingLingering = true
        host.schedule(after: limits.lingerTime) { [weak self] in
            guard let self else { return }
            isWatchingLingering = false
            lingering.removeElders()
            watchLingering()
        }
    }

    /// Whether the viewer may still have the group's selection.
    func admits(_ viewer: Identity, to key: GroupKey) -> Bool {
        do {
            _ = try permit(viewer, key) {}
            return true
        } catch {
            return false
        }
    }

    /// What its rule lets the viewer have, as the state is; the rule is asked before it is made.
    private func permit<Value>(
        _ viewer: Identity, _ key: GroupKey, _ make: () throws -> Value
    ) throws(Rejection) -> Permitted<Value> {
        let rule = log.definition.rule(for: key.name, isClosed: isClosed)
        do {
            return try Permitted(to: viewer, by: rule, key.parameters, in: log.store.state, make)
        } catch let error as NoRule {
            throw unruled.rejection(of: error)
        } catch {
            throw Rejection(telling: error, failed)
        }
    }

    /// Ends the subscriptions that a rule that looks at the state doesn't allow any more.
    private func askAgain() {
        var refused: [ServerSubscription] = []
        for kind in groups.kinds {
            guard let key = kind.members.first?.group.key,
                log.definition.rule(for: key.name, isClosed: isClosed).readsState
            else { continue }
            func ask(_ subscription: ServerSubscription) {
                if !admits(subscription.subscriber.identity, to: subscription.group.key) {
                    refused.append(subscription)
                }
            }
            for (group, _) in kind.members {
                for subscription in group.subscriptions where !subscription.isMirror {
                    ask(subscription)
                }
                for subscription in group.passedOn { ask(subscription) }
            }
        }
        for subscription in refused {
            subscription.subscriber.lapse(subscription, Rejection.Code.forbidden.description)
        }
    }

    /// Brings every group to the room's version; one whose value can't be encoded ends.
    ///
    /// Of values that are told of changes, some may be left behind for later turns.
    func evaluate() {
        guard let state = log.store.state else { return }
        // Before anything that they would be sent.
        if asksAgain { askAgain() }
        var failed: [SelectionGroup] = []
        let wereBehind = areBehind
        func update(_ group: SelectionGroup, _ source: any SelectionSource<State>) {
            if !self.update(group, source, to: state) { failed.append(group) }
        }
        timer.begin(at: host.now)
        for kind in groups.kinds where !kind.members.isEmpty && !kind.isTold {
            if let reads = kind.reads, let evaluated, !reads(evaluated, state) { continue }
            kind.meter.evaluated(kind.members.count)
            for (group, source) in kind.members { update(group, source) }
            timer.note(kind.members.count, of: kind.meter, at: host.now)
        }
        finders.work = 0
        finders.advance(to: state) { source in
            guard let group = source.group, let meter = group.meter else { return }
            if source.way == .path || areBehind || finders.work >= catchUpWork {
                if group.isBehind { return }
                if group.isLarge {
                    behind.large.append((group, source))
                } else {
                    behind.small.append((group, source))
                    areSmallDone = false
                }
                group.isBehind = true
                areBehind = true
                return
            }
            timer.skip(to: host.now)
            meter.evaluated(1)
            update(group, source)
            spend(on: group, source)
            timer.note(1, of: meter, at: host.now)
        }
        let done = catchUp(to: state, &failed)
        timer.end(at: host.now)
        // Whoever was to be sent something meanwhile was passed over.
        if wereBehind { tellSubscribers(of: done) }
        if evaluated != nil { evaluated = state }
        end(failed)
    }

    /// Brings groups that were left behind to the room's version, as far as a turn's work goes.
    func catchUp() {
        finders.work = 0
        defer { releaseLeaving() }
        guard areBehind, let state = log.store.state else { return }
        var failed: [SelectionGroup] = []
        timer.begin(at: host.now)
        let done = catchUp(to: state, &failed)
        timer.end(at: host.now)
        tellSubscribers(of: done)
        end(failed)
    }

    private func tellSubscribers(of groups: [SelectionGroup]) {
        for group in groups {
            for subscription in group.subscriptions { subscription.subscriber.caughtUp() }
        }
    }

    /// How much work is made at a time to bring groups up to date: little of what others wait for.
    private var catchUpWork: Int {
        // Some in any case: a turn that does nothing is followed by another.
        holdsLarge() ? max(1, limits.turnWork / 16) : limits.turnWork
    }

    /// As far as a turn's work goes, but at least one of those with large values.
    ///
    /// - Returns: those that it has brought to the room's version.
    private func catchUp(to state: State, _ failed: inout [SelectionGroup]) -> [SelectionGroup] {
        guard areBehind else { return [] }
        var updated: [SelectionGroup] = []
        let most = catchUpWork
        func take(_ told: inout [Told], atLeast least: Int) {
            var done = 0
            while done < told.count, finders.work < most || done < least {
                let (group, source) = told[done]
                done += 1
                guard group.isBehind else { continue }
                group.isBehind = false
                updated.append(group)
                catchUp(group, source, to: state, &failed)
            }
            told.removeFirst(done)
        }
        take(&behind.small, atLeast: 0)
        if !holdsLarge() { take(&behind.large, atLeast: 1) }
        areSmallDone = behind.small.isEmpty
        areBehind = !areSmallDone || !behind.large.isEmpty
        return updated
    }

    private func catchUp(
        _ group: SelectionGroup, _ source: any ToldSource<State>, to state: State,
        _ failed: inout [SelectionGroup]
    ) {
        timer.skip(to: host.now)
        group.meter?.evaluated(1)
        if !update(group, source, to: state) { failed.append(group) }
        if group.version != log.version {
            for subscription in group.subscriptions {
                subscription.subscriber.skipped(to: log.version)
            }
        }
        spend(on: group, source)
        if let meter = group.meter { timer.note(1, of: meter, at: host.now) }
    }

    /// Counts what an update took; a source that is found by a path counts it itself.
    private func spend(on group: SelectionGroup, _ source: any ToldSource<State>) {
        switch source.way {
        case .path: break
        case .rows: finders.work += 256 + 4 * group.size
        default: finders.work += 256
        }
    }

    /// False if the value can't be encoded.
    private func update(
        _ group: SelectionGroup, _ source: any SelectionSource<State>, to state: State
    ) -> Bool {
        do {
            guard let change = try source.update(state) else { return true }
            group.meter?.changed()
            group.update(change, at: log.version)
            try checkSize(of: group)
            return true
        } catch {
            report(error, of: group)
            return false
        }
    }

    private func end(_ failed: [SelectionGroup]) {
        for group in failed {
            detach(groups.remove(group))
            for subscription in group.subscriptions + group.passedOn {
                subscription.subscriber.lapse(subscription, Rejection.Code.internal.description)
            }
        }
    }

    /// Tells the server's owner why the value of a group can't be sent.
    func report(_ error: any Error, of group: SelectionGroup) {
        host.report(
            "Selection '\(group.key.selection)' of room '\(name)' can't be sent: "
                + JSONCoding.message(for: error))
    }

    /// Throws if the group's value is larger than clients take.
    private func checkSize(of group: SelectionGroup) throws {
        guard group.size > limits.valueBytes else { return }
        throw EncodingError.invalidValue(
            group.size,
            EncodingError.Context(
                codingPath: [],
                debugDescription: "\(group.size) bytes, of at most \(limits.valueBytes)"))
    }

    /// The same in every process for the same selection, parameters and viewer, as long as the
    /// definition stays what it is.
    private func tag(of key: GroupKey, _ params: JSONView?) -> String {
        var hash = FNV1a()
        // Another number when values get another shape: since 2, `Data`, `URL` and `Decimal` are
        // text.
        hash.add(2 as UInt64)
        let params = params.map { String(decoding: $0.json.canonicalBytes, as: UTF8.self) }
        let schema = String(log.definition.schema.version)
        var parts = [log.definition.revision, schema, key.selection, params ?? ""]
        if let viewer = key.viewer { parts += [viewer.id] + viewer.roles.sortedExactly() }
        for part in parts { hash.add(part) }
        return String(hash.value, radix: 36)
    }
}

extension RoomDefinition {
    /// A selection with parameters; throws what a client is told whose subscription makes no sense.
    func resolve(
        _ selection: String, _ params: JSONView?, _ viewer: Identity
    ) throws(Rejection) -> ResolvedSelection<State> {
        guard let known = selections[ExactString(selection)] else {
            throw Rejection(
                .unknownSelection, "The room has no such selection.",
                detail: knownSelections.lack(of: selection))
        }
        return try known.resolve(params, viewer)
    }
}
