package import Storecast
package import StorecastSync
import StorecastWire

/// What an entry of a log came to.
package enum EntryOutcome: Equatable, Sendable {
    case reduced
    /// Without effect.
    case rejected(Rejection)
    /// It came a second time, and was passed over.
    case duplicate
}

/// What a room's log has made of it: its state, its version, what is remembered of its clients, and
/// who is there. A function of the entries alone, the same on every machine that reads them.
///
/// The live room, recovery, replay, verification and ``TestStore`` reduce by it and by nothing
/// else. It has no journal, no connections and no time. Not Sendable: belongs to whoever made it.
package final class RoomLog<State: Codable & Sendable> {
    package let definition: RoomDefinition<State>
    package let store: Store<State>
    /// How many dispatches are reduced.
    @exclusivity(unchecked) package private(set) var version: UInt64 = 0
    /// The newest entry that was applied; 0 before the first.
    @exclusivity(unchecked) package private(set) var offset: UInt64 = 0
    @exclusivity(unchecked) package private(set) var ledger: ClientLedger
    /// The users of those who are in the room, by their public ids; empty unless the room asks for
    /// that.
    package private(set) var present: [String: ExactString] = [:]
    /// Who wrote the entries; none if the journal doesn't say it.
    package private(set) var terms = RoomTerms()
    /// What can't be read of the entries that were read back.
    private(set) var unreadable = UnreadableActions()

    /// Told of the state before each action that is reduced; without an action if the state is
    /// about to be replaced. Nil while nobody wants to know.
    var willChange: ((State, (any SyncAction)?) -> Void)?

    let limits: SyncLimits
    let stamp: (JournalEntry, _ index: Int) -> Stamp
    let failed: (any Error) -> Void

    /// A log without entries.
    ///
    /// - Parameters:
    ///   - stamp: what an action of an entry is completed with, by its place in the entry.
    ///   - failed: told of the errors of checks that aren't for clients.
    package init(
        _ definition: RoomDefinition<State>, limits: SyncLimits,
        stamp: @escaping (JournalEntry, _ index: Int) -> Stamp = { $0.stamp(index: $1) },
        failed: @escaping (any Error) -> Void
    ) {
        self.definition = definition
        self.limits = limits
        self.stamp = stamp
        self.failed = failed
        store = definition.makeStore()
        ledger = ClientLedger(window: limits.window)
    }

    // MARK: Entries

    /// Applies the entry at an offset: once, all of it or nothing.
    func apply(_ entry: JournalEntry, at offset: UInt64) -> EntryOutcome {
        self.offset = offset
        let (verdict, place) = ledger.examine(entry)
        switch verdict {
        case .duplicate: return .duplicate
        case .expired: return settle(entry, .forgotten, place)
        case .fresh:
            if entry.isRejected { return settle(entry, entry.rejection, place) }
            if let rejection = reduce(entry) { return settle(entry, rejection, place) }
            version += 1
            if definition.grace != nil { notePresence(entry.actions) }
            ledger.settle(entry, nil, at: version, place)
            return .reduced
        }
    }

    /// Applies what a journal kept.
    ///
    /// After something that can't be read nothing is applied, but the rest is looked through, so
    /// that everything can be told at once; then it answers nil.
    func apply(_ record: JournalRecord, at offset: UInt64) -> EntryOutcome? {
        let entry = entry(record, at: offset)
        if unreadable.isEmpty { return apply(entry, at: offset) }
        self.offset = offset
        return nil
    }

    /// What follows is of another term.
    func begin(_ term: String) { terms.begin(term, at: version) }

    /// The journal says no terms; a snapshot may be from one that does.
    func forgetTerms() { terms = RoomTerms() }

    /// The entry with its actions as they were reduced: typed, and stamped anew from the entry. The
    /// actions of a rejected one aren't looked at.
    func entry(_ record: JournalRecord, at offset: UInt64) -> JournalEntry {
        var entry: JournalEntry = record.with([])
        guard record.rejection == nil else { return entry }
        for (index, recorded) in record.actions.enumerated() {
            do {
                guard let action = try definition.action(recorded, of: record.schema) else {
                    continue
                }
                entry.actions.append(stamped(action, entry, index: index))
            } catch let rejection as Rejection where rejection.code == .unknownAction {
                unreadable.note(recorded.type, at: offset, nil)
            } catch {
                unreadable.note(recorded.type, at: offset, JSONCoding.message(for: error))
            }
        }
        return entry
    }

    /// The action with its stamp, if it has one.
    func stamped(_ action: any SyncAction, _ entry: JournalEntry, index: Int) -> any SyncAction {
        // The cast fails for most actions, and that is what takes it longest.
        guard !definition.actions.hasNoStamp(action), var action = action as? any Stamped
        else { return action }
        action.stamp = stamp(entry, index)
        return action
    }

    private func settle(
        _ entry: JournalEntry, _ rejection: Rejection?, _ place: Int?
    ) -> EntryOutcome {
        let rejection = rejection?.bounded
        ledger.settle(entry, rejection, at: version, place)
        return rejection.map { .rejected($0) } ?? .reduced
    }

    // MARK: Reducing

    /// Validates and reduces; a rejection leaves the state as it was.
    private func reduce(_ entry: JournalEntry) -> Rejection? {
        do {
            guard
                definition.verification != nil
                    || entry.actions.count > 1 && !definition.validators.isEmpty
            else {
                if let action = entry.actions.first { try validate(action, entry.sender) }
                // One by one: the array as it is would be converted, with a cast for each.
                for action in entry.actions { reduce(action) }
                store.announce()
                return nil
            }
            try reduceTogether(entry)
            return nil
        } catch {
            return finalRejection(error)
        }
    }

    /// What stands in the log is final, whatever the check says.
    private func finalRejection(_ error: any Error) -> Rejection {
        var rejection = Rejection(telling: error, failed)
        rejection.retryable = false
        rejection.retryAfter = nil
        return rejection
    }

    /// What the check of an entry's first action says of the state as it is.
    func rejection(of entry: JournalEntry) -> Rejection? {
        do {
            if let action = entry.actions.first { try validate(action, entry.sender) }
            return nil
        } catch {
            return finalRejection(error)
        }
    }

    /// All of what middleware made of a dispatch, or nothing of it: also if it leads to a state
    /// that can't be kept.
    private func reduceTogether(_ entry: JournalEntry) throws {
        guard let before = store.state else { return }
        do {
            for action in entry.actions {
                try validate(action, entry.sender)
                reduce(action)
            }
            if let state = store.state { try definition.verify(state) }
            store.announce()
        } catch {
            announceChange(nil)
            store.replaceState(before)
            throw error
        }
    }

    private func validate(_ action: any SyncAction, _ sender: Identity) throws {
        guard !definition.validators.isEmpty,
            let check = definition.validators[ObjectIdentifier(type(of: action))]
        else { return }
        try validate(action, sender, check)
    }

    // Apart, as is `tellChange`: a function that looks at the state finds the type `State?` whenever
    // it is called.
    @inline(never)
    private func validate(
        _ action: any SyncAction, _ sender: Identity,
        _ check: (State, any SyncAction, Identity) throws -> Void
    ) throws {
        if let state = store.state { try check(state, action, sender) }
    }

    private func reduce(_ action: any SyncAction) {
        if type(of: action) == ForgetClients.self, let forgotten = action as? ForgetClients {
            ledger.forget(forgotten)
        } else if definition.restore == nil || !restore(action) {
            announceChange(action)
            store.reduce(action)
        }
    }

    private func announceChange(_ action: (any SyncAction)?) {
        if let willChange { tellChange(action, willChange) }
    }

    @inline(never)
    private func tellChange(
        _ action: (any SyncAction)?, _ willChange: (State, (any SyncAction)?) -> Void
    ) {
        if let state = store.state { willChange(state, action) }
    }

    /// Puts the state of then in place of the present one; false if the action isn't a revert.
    private func restore(_ action: any SyncAction) -> Bool {
        guard let restore = definition.restore, let then = definition.revert(action)?.state,
            var state = store.state
        else { return false }
        restore(&state, then)
        announceChange(nil)
        store.placeState(state)
        return true
    }

    private func notePresence(_ actions: [any SyncAction]) {
        for action in actions {
            // Comparing types costs less than a cast that fails, as it does for most actions.
            let type = type(of: action)
            if type == ClientJoined.self, let joined = action as? ClientJoined {
                present[joined.participant] = ExactString(joined.user)
            } else if type == ClientLeft.self, let left = action as? ClientLeft {
                present[left.participant] = nil
            }
        }
    }

    // MARK: Snapshots

    /// All that the entries have made; nil if there is no state yet.
    package var snapshot: RoomSnapshot<State>? {
        store.state.map {
            RoomSnapshot(
                state: $0, version: version, ledger: ledger, present: present, terms: terms)
        }
    }

    /// Goes to what a snapshot holds, which was made of the entries up to `offset`.
    package func restore(_ snapshot: RoomSnapshot<State>, at offset: UInt64) {
        store.replaceState(snapshot.state)
        ledger = snapshot.ledger
        present = snapshot.present
        terms = snapshot.terms
        version = snapshot.version
        self.offset = offset
    }

    /// Reads a snapshot. Throws an error that describes itself if it isn't good.
    package func snapshot(from kept: JournalSnapshot) throws -> RoomSnapshot<State> {
        try RoomSnapshot(kept, of: definition, limits: limits)
    }
}

extension Rejection {
    /// What is told of an error that a check threw: a rejection as it is; of any other error
    /// nothing, and `failed` gets it.
    init(telling error: any Error, _ failed: (any Error) -> Void) {
        if let rejection = error as? Rejection {
            self = rejection
        } else {
            failed(error)
            self.init(.internal, "The server failed to handle the action.")
        }
    }
}
