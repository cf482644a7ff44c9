import Storecast
import StorecastSync
import StorecastWire

/// The selections of a room that have subscriptions: a group for each selection with its parameters
/// (and its viewer, if it depends on that), evaluated once for all of them.
final class Views<State: Codable & Sendable> {
    /// Called when a selection got its first subscription, or lost its last.
    var onChange: () -> Void = {}

    let log: RoomLog<State>
    private let name: String
    /// Whether who has a selection may lose it by a change of the state.
    let asksAgain: Bool
    var limits: SyncLimits
    unowned let host: any RoomHost
    let isClosed: Bool
    private let unruled: UnruledNames
    private let failed: (any Error) -> Void
    var groups = SelectionTable<State>()
    let finders: SelectionFinders<State>
    /// Groups without subscriptions, kept for a while.
    var lingering = LingeringGroups<State>()
    var isWatchingLingering = false
    private let recent = RecentSnapshots(limit: 4 << 20)
    /// The state that the groups have, while one of them has a selection that says what it reads.
    var evaluated: State?
    var timer = SelectionTimer()
    /// Groups that were told of changes and wait for their update, in the order of that: those with
    /// small values, which come first, and those with large ones.
    var behind: (small: [Told], large: [Told]) = ([], [])
    typealias Told = (group: SelectionGroup, source: any ToldSource<State>)
    /// Groups without subscriptions that are still to be let go.
    var leaving: [SelectionGroup] = []
    /// Whether there are such groups.
    @exclusivity(unchecked) var areLeaving = false
    /// Whether large values have to wait for their time, as ``HeavyTime`` says.
    var holdsLarge: () -> Bool = { false }
    /// Whether all that are behind have large values.
    @exclusivity(unchecked) var areSmallDone = true
    /// Whether some groups aren't at the room's version yet.
    ///
    /// Not asked of the list, whose type takes long to find as it depends on `State`.
    @exclusivity(unchecked) var areBehind = false

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

    /// Tells the server's owner why the value of a group can't be sent.
    func report(_ error: any Error, of group: SelectionGroup) {
        host.report(
            "Selection '\(group.key.selection)' of room '\(name)' can't be sent: "
                + JSONCoding.message(for: error))
    }

    /// Throws if the group's value is larger than clients take.
    func checkSize(of group: SelectionGroup) throws {
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
