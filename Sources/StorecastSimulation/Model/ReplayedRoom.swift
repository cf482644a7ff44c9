import Storecast
import StorecastRoom
import StorecastWire

/// The reference model: reduces every record of the log once, in order, and keeps every state.
///
/// It shares the definition's reducer, checks and selections with the rooms under test, but none of
/// their code that orders, deduplicates, shares, sends or resumes; nor selections that have an
/// ``Oracle``.
final class ReplayedRoom<State: Codable & Sendable>: RoomModel {
    private struct History {
        let epoch: String
        /// Each with the version at which it began.
        var terms: [(id: String, start: UInt64)] = []
        let store: Store<State>
        var ledger: NaiveLedger
        /// By version.
        var states: [State]
        var outcomes: [String: [UInt64: ModelOutcome]] = [:]
        /// The participants present according to the log.
        var present: Set<String> = []
        /// Someone joined who was present already, or left who wasn't.
        var isPresenceBroken = false

        var version: UInt64 { UInt64(states.count - 1) }

        func has(_ version: UInt64, in term: String) -> Bool {
            guard let place = terms.firstIndex(where: { $0.id == term }) else {
                return version == 0
            }
            return version <= (place + 1 < terms.count ? terms[place + 1].start : self.version)
        }
    }

    /// What identifies a value of a selection.
    private struct ValueKey: Hashable {
        let topic: Int
        /// The bytes of the id and of the roles, so that no code under test decides equality.
        let viewer: [[UInt8]]
        let version: UInt64
        let history: Int
    }

    private let definition: RoomDefinition<State>
    private let rules: [RoomRule<State>]
    private let oracles: [ExactString: Oracle<State>]
    private let limits: SyncLimits
    private var records: [JournalRecord] = []
    private var all: [History] = []
    private var values: [ValueKey: JSON] = [:]
    /// What was seen of a room, of which each server may have one.
    private struct Sight {
        /// The last position at which its state was compared.
        var compared: Position?
        /// When groups were first seen without subscribers, by their tickets.
        var groupsLeft: [UInt64: Duration] = [:]
    }

    private var sights: [ObjectIdentifier: Sight] = [:]

    init(
        _ definition: RoomDefinition<State>, rules: [RoomRule<State>],
        oracles: [ExactString: Oracle<State>], _ limits: SyncLimits
    ) {
        self.definition = definition
        self.rules = rules
        self.oracles = oracles
        self.limits = limits
    }

    var position: Position {
        let last = all.count - 1
        return Position(epoch: all[last].epoch, version: lastVersion(in: last))
    }

    var histories: Int { all.count }

    func lastVersion(in history: Int) -> UInt64 { UInt64(all[history].states.count - 1) }

    func history(of position: Position, in term: String?) -> Int? {
        guard let term else { return all.lastIndex { $0.epoch == position.epoch } }
        return all.lastIndex { $0.has(position.version, in: term) }
    }

    // MARK: The log

    func begin(_ epoch: String, keeping count: Int, _ terms: [(id: String, records: Int)]) {
        let store = definition.makeStore()
        all.append(
            History(epoch: epoch, store: store, ledger: NaiveLedger(limits), states: [store.state]))
        let kept = records.prefix(count)
        records = []
        var terms = terms[...]
        for place in 0...kept.count {
            while let term = terms.first, term.records <= place {
                begin(term: term.id)
                terms = terms.dropFirst()
            }
            if place < kept.count { _ = take(kept[place]) }
        }
    }

    func begin(term: String) {
        let last = all.count - 1
        // Whoever came after it is lost.
        if let place = all[last].terms.firstIndex(where: { $0.id == term }) {
            return all[last].terms.removeSubrange((place + 1)...)
        }
        all[last].terms.append((term, all[last].version))
    }

    func take(_ record: JournalRecord) -> String? {
        records.append(record)
        let last = all.count - 1
        switch all[last].ledger.verdict(on: record) {
        case .duplicate: return nil
        case .expired: settle(record, Rejection(.outcomeUnknown, ""))
        case .fresh: settle(record, record.rejection ?? reduce(record))
        }
        let state = all[last].store.state
        if all[last].isPresenceBroken {
            return "only the absent join, only the present leave"
        }
        return rules.first { rule in state.map { !rule.holds($0) } ?? true }?.name
    }

    var present: Set<String>? {
        definition.grace == nil ? nil : all[all.count - 1].present
    }

    private func notePresence(_ action: any SyncAction) {
        let last = all.count - 1
        let isRight =
            switch action {
            case let joined as ClientJoined:
                all[last].present.insert(joined.participant).inserted
            case let left as ClientLeft: all[last].present.remove(left.participant) != nil
            default: true
            }
        if !isRight { all[last].isPresenceBroken = true }
    }

    private func settle(_ record: JournalRecord, _ rejection: Rejection?) {
        let last = all.count - 1
        if rejection == nil { all[last].states.append(all[last].store.state) }
        let version = UInt64(all[last].states.count - 1)
        all[last].ledger.settle(record, isReduced: rejection == nil, at: version)
        // A rejected dispatch that is sent again after its client was forgotten is decided anew,
        // and the client is told the new outcome: it hadn't been told one. What was reduced stays
        // so.
        if all[last].outcomes[record.client]?[record.seq]?.isReduced == true { return }
        all[last].outcomes[record.client, default: [:]][record.seq] =
            rejection.map { .rejected($0) } ?? .reduced(version)
    }

    /// Reduces all actions of a record, or none of them.
    private func reduce(_ record: JournalRecord) -> Rejection? {
        let store = all[all.count - 1].store
        guard let before = store.state else { return nil }
        do {
            for (index, recorded) in record.actions.enumerated() {
                let action = try action(recorded, of: record, index)
                if let check = definition.validators[ObjectIdentifier(type(of: action))] {
                    try check(store.state, action, record.sender)
                }
                if let forgotten = action as? ForgetClients {
                    all[all.count - 1].ledger.forget(forgotten)
                } else {
                    store.reduce(action)
                }
                notePresence(action)
            }
            try store.state.map(definition.verify)
            return nil
        } catch {
            store.replaceState(before)
            return error as? Rejection ?? Rejection(.internal, "")
        }
    }

    private func action(
        _ recorded: JournalAction, of record: JournalRecord, _ index: Int
    ) throws -> any SyncAction {
        let action = try definition.actions.action(recorded: recorded.type, recorded.payload)
        guard var stamped = action as? any Stamped else { return action }
        stamped.stamp = Stamp(
            id: stampID(client: record.client, seq: record.seq, index: index),
            sender: record.sender, time: record.time, seed: record.seed &+ UInt64(index))
        return stamped
    }

    // MARK: Queries

    func outcome(of client: String, _ seq: UInt64, in history: Int) -> ModelOutcome? {
        all[history].outcomes[client]?[seq]
    }

    func wasForgotten(_ client: String, in history: Int) -> Bool {
        all[history].ledger.forgotten.contains(client)
    }

    func value(
        of topic: Topic, for viewer: Identity, at version: UInt64, in history: Int
    ) -> JSON? {
        let key = ValueKey(
            topic: topic.number,
            viewer: [Array(viewer.id.utf8)]
                + viewer.roles.map { Array($0.utf8) }.sorted {
                    $0.lexicographicallyPrecedes($1)
                }, version: version, history: history)
        if let value = values[key] { return value }
        guard version < all[history].states.count else { return nil }
        let state = all[history].states[Int(version)]
        let oracle = oracles[ExactString(topic.selection)]
        let value =
            oracle.map { $0(state, topic.parameters, viewer) }
            ?? (try? resolved(topic, viewer)?.value(state))
        values[key] = value
        return value
    }

    func admits(_ viewer: Identity, to topic: Topic) -> Bool {
        all.last?.states.last.map { admits(viewer, to: topic, in: $0) } ?? false
    }

    func refuses(_ viewers: [Identity], _ topic: Topic) -> Bool {
        all.contains { history in
            history.states.contains { state in
                viewers.contains { !admits($0, to: topic, in: state) }
            }
        }
    }

    func mayShow(
        _ value: JSON, of topic: Topic, to viewers: [Identity], in history: Int
    ) -> Bool {
        let name = ExactString(topic.selection)
        guard definition.rule(for: name, isClosed: definition.hasRules).readsState else {
            return true
        }
        let states = all[history].states
        return states.indices.reversed().contains { version in
            viewers.contains { viewer in
                admits(viewer, to: topic, in: states[version])
                    && self.value(of: topic, for: viewer, at: UInt64(version), in: history) == value
            }
        }
    }

    private func admits(_ viewer: Identity, to topic: Topic, in state: State) -> Bool {
        guard let key = try? resolved(topic, viewer)?.key else { return false }
        let rule = definition.rule(for: key.name, isClosed: definition.hasRules)
        return (try? Permitted(to: viewer, by: rule, key.parameters, in: state) {}) != nil
    }

    private func resolved(_ topic: Topic, _ viewer: Identity) throws -> ResolvedSelection<State>? {
        let parameters = try topic.parameters.map { try JSONDocument($0.bytes) }
        return try definition.selections[ExactString(topic.selection)]?.resolve(
            parameters?.root, viewer)
    }

    // MARK: Rooms

    func roomOpened() {
        sights = [:]
    }

    func problem(of room: any AnyRoom) -> String? {
        guard let room = room as? Room<State>, room.isReady else { return nil }
        let id = ObjectIdentifier(room)
        guard sights[id]?.compared != room.position else { return nil }
        sights[id, default: Sight()].compared = room.position
        return problem(of: room.store.state, at: room.position, in: room.term)
    }

    func excess(of room: any AnyRoom, at time: Duration) -> String? {
        guard let room = room as? Room<State>, room.isReady else { return nil }
        let leaving = Set(room.leavingGroups.map { ObjectIdentifier($0) })
        if let group = room.liveGroups.first(where: {
            $0.isUnused && !leaving.contains(ObjectIdentifier($0))
        }) {
            return "The group of '\(group.key.selection)' has no subscriber and is kept up to date."
        }
        if room.lingeringCount > limits.lingeringGroups
            || room.lingeringBytes > limits.lingeringBytes
        {
            return
                "\(room.lingeringCount) groups without subscribers keep "
                + "\(room.lingeringBytes) bytes."
        }
        if let group = overstayer(in: room, at: time) {
            return "The group of '\(group.key.selection)' is kept without subscribers for too long."
        }
        // One entry is always taken, and the server's own are counted larger than they are.
        if room.waitingBytes > limits.waitingBytes + 4096 {
            return "\(room.waitingBytes) bytes wait for the journal."
        }
        return nil
    }

    /// A group that has been kept without subscribers for longer than allowed.
    private func overstayer(in room: Room<State>, at time: Duration) -> SelectionGroup? {
        let groups = room.groupsLeft
        let seen = sights[ObjectIdentifier(room)]?.groupsLeft ?? [:]
        var groupsLeft: [UInt64: Duration] = [:]
        for (ticket, _) in groups { groupsLeft[ticket] = seen[ticket] ?? time }
        sights[ObjectIdentifier(room), default: Sight()].groupsLeft = groupsLeft
        return groups.first { ticket, _ in
            groupsLeft[ticket].map { time - $0 > limits.lingerTime * 2 } ?? false
        }?.group
    }

    private func problem(
        of state: State?, at position: Position, in term: String?
    ) -> String? {
        // A room whose end the log has lost goes on until it writes.
        let place = term == nil ? all.count - 1 : history(of: position, in: term) ?? all.count - 1
        let history = all[place]
        guard position.epoch == history.epoch else { return "The room has another epoch." }
        guard position.version < history.states.count else {
            return "The room is at version \(position.version), which isn't durable: "
                + "the log ends at \(history.states.count - 1)."
        }
        let expected = history.states[Int(position.version)]
        guard let state, !Self.isEqual(state, expected) else { return nil }
        return "The room's state at version \(position.version) isn't that of its log: "
            + "\(state) instead of \(expected)."
    }

    private static func isEqual(_ left: State, _ right: State) -> Bool {
        if let left = left as? any Equatable { return equals(left, right) }
        return encoded { try JSONCoding.encodeTree(left) == JSONCoding.encodeTree(right) }
    }

    private static func equals<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
        left == right as? Value
    }
}
