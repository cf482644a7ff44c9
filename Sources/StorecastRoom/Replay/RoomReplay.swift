public import StorecastSync
package import StorecastWire

/// A room's history, reduced again entry by entry, without a server, clients or side effects.
///
/// It is reduced as the server does it; middleware and `onOpen` have no part in it. Not Sendable:
/// belongs to whoever made it.
///
/// ```swift
/// let replay = RoomReplay(Board.room)
/// try replay.read(archive)  // as `storecast journal export` wrote it
/// #expect(replay.state.columns.count == 3)
/// ```
public final class RoomReplay<State: Codable & Sendable> {
    private static var keptReports: Int { 100 }

    package let log: RoomLog<State>
    private let problems: Problems

    /// What the room's checks said that isn't for clients.
    private final class Problems {
        var texts: [String] = []

        func note(_ error: any Error) {
            if texts.count == RoomReplay.keptReports { texts.removeFirst() }
            texts.append("A check failed: \(JSONCoding.message(for: error))")
        }
    }

    /// A replay that stands before the first entry.
    ///
    /// - Parameters:
    ///   - definition: the room's, as it is now.
    ///   - limits: those of the server that wrote the journal: how many dispatches of a client may
    ///     be without an outcome decides what is remembered of it.
    public convenience init(_ definition: RoomDefinition<State>, limits: SyncLimits = SyncLimits())
    {
        self.init(definition, limits) { $0.stamp(index: $1) }
    }

    /// A replay of what another log has, with its stamps.
    package convenience init(of log: RoomLog<State>) {
        self.init(log.definition, log.limits, log.stamp)
    }

    private init(
        _ definition: RoomDefinition<State>, _ limits: SyncLimits,
        _ stamp: @escaping (JournalEntry, _ index: Int) -> Stamp
    ) {
        let problems = Problems()
        self.problems = problems
        log = RoomLog(definition, limits: limits, stamp: stamp) { problems.note($0) }
    }

    /// The state at ``version``.
    public var state: State { log.store.state }

    /// How many dispatches are reduced.
    public var version: UInt64 { log.version }

    /// The newest entry in the state; 0 before the first.
    package var offset: UInt64 { log.offset }

    /// What the room's checks said that isn't for clients, the newest at the end.
    package var reports: [String] { problems.texts }

    /// Reduces the next entry.
    ///
    /// Throws ``JournalError/damaged(_:)`` if an action of it, or of one before, can't be read; the
    /// entry isn't reduced then, and the error names all that were given so far.
    @discardableResult
    package func reduce(
        _ record: JournalRecord, at offset: UInt64
    ) throws(JournalError) -> ReplayedEntry {
        guard let outcome = log.apply(record, at: offset) else {
            throw .damaged("\(log.unreadable)")
        }
        return ReplayedEntry(offset: offset, version: version, outcome: outcome)
    }

    /// The entry's actions as the reducer gets them: of their types, and stamped; those that can't
    /// be read are left out.
    package func actions(of record: JournalRecord, at offset: UInt64) -> [any SyncAction] {
        log.entry(record, at: offset).actions
    }

    /// Goes to what a snapshot holds. Throws an error that describes itself if it isn't good.
    package func restore(_ kept: JournalSnapshot) throws {
        restore(try log.snapshot(from: kept), at: kept.offset)
    }

    package func restore(_ snapshot: RoomSnapshot<State>, at offset: UInt64) {
        log.restore(snapshot, at: offset)
    }

    /// What the room has become, to go on from in another replay, or to be kept.
    ///
    /// Without the terms in which the log was written: a replay is given entries, and isn't told
    /// which terms began among them. With a list that lacks the newest, a server would take for a
    /// part of the history what was lost; without one, a client gets everything anew.
    package var snapshot: RoomSnapshot<State> {
        RoomSnapshot(
            state: state, version: version, ledger: log.ledger, present: log.present)
    }

    /// The state as JSON. O(state).
    package func tree() throws -> JSON { try JSONCoding.encodeTree(state) }

    /// What a viewer sees who subscribes to a selection. Throws a ``Rejection`` if there is no such
    /// selection, or it can't have these parameters.
    package func value(
        of selection: String, _ parameters: JSON?, viewer: Identity
    ) throws -> JSON {
        let parameters = try parameters.map { try JSONDocument("\($0)").root }
        return try log.definition.resolve(selection, parameters, viewer).value(state)
    }
}

extension RoomReplay {
    /// Whether the snapshot holds what the replay has come to: the same version and state.
    ///
    /// Throws an error that describes itself if the snapshot isn't good.
    package func agrees(with kept: JournalSnapshot) throws -> Bool {
        let snapshot = try log.snapshot(from: kept)
        return try snapshot.version == version && Self.isSame(snapshot.state, state)
    }

    /// Whether two states are the same: their canonical texts, or else, as sets have no order in
    /// which they are written, the states themselves if they can be compared.
    static func isSame(_ left: State, _ right: State) throws -> Bool {
        if let left = left as? any Equatable, left.isEqual(to: right) { return true }
        let texts = try (JSONCoding.encodeTree(left), JSONCoding.encodeTree(right))
        return texts.0 == texts.1
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool {
        (other as? Self).map { $0 == self } ?? false
    }
}

/// What became of a journal's entry when it was reduced again.
package struct ReplayedEntry: Equatable, Sendable {
    package var offset: UInt64
    /// The room's version behind it.
    package var version: UInt64
    package var outcome: EntryOutcome
}

/// A ``RoomReplay`` of any state, for tools.
package protocol AnyRoomReplay: AnyObject {
    var version: UInt64 { get }
    var offset: UInt64 { get }

    @discardableResult
    func reduce(
        _ record: JournalRecord, at offset: UInt64
    ) throws(JournalError) -> ReplayedEntry
    func restore(_ kept: JournalSnapshot) throws
    func agrees(with kept: JournalSnapshot) throws -> Bool
    func tree() throws -> JSON
    func value(of selection: String, _ parameters: JSON?, viewer: Identity) throws -> JSON
}

extension RoomReplay: AnyRoomReplay {}

extension RoomDefinitionProtocol {
    /// A replay of a room with this definition, whatever its state.
    package func replay(_ limits: SyncLimits) -> any AnyRoomReplay {
        RoomReplay(definition, limits: limits)
    }
}
