import StorecastWire

/// A room's history, reduced again entry by entry, without a server, clients or side effects.
///
/// It is the room's own code that reduces, as when a server opens the room; middleware and `onOpen`
/// have no part in it. Not Sendable: belongs to whoever made it.
///
/// ```swift
/// let replay = RoomReplay(Board.room)
/// try replay.read(archive)  // as `storecast journal export` wrote it
/// #expect(replay.state.columns.count == 3)
/// ```
public final class RoomReplay<State: Codable & Sendable> {
    private let host = ReplayHost()
    private let journal = ReplayJournal()
    let room: Room<State>

    /// A replay that stands before the first entry.
    ///
    /// - Parameters:
    ///   - definition: the room's, as it is now.
    ///   - limits: those of the server that wrote the journal: how many clients it remembers may
    ///     decide whether an old action counts.
    public init(_ definition: RoomDefinition<State>, limits: SyncLimits = SyncLimits()) {
        room = Room(
            definition,
            RoomContext(
                name: "replay", journal: journal, limits: limits, loop: host.loop,
                now: { Timestamp(secondsSince1970: 0) }, random: SeededGenerator(seed: 0)))
    }

    /// A replay of what another room reduces, with its stamps.
    package convenience init(of room: Room<State>) {
        self.init(room.definition, limits: room.limits)
        self.room.context.stamp = room.context.stamp
    }

    /// The state at ``version``.
    public var state: State { room.store.state }

    /// How many dispatches are reduced.
    public var version: UInt64 { room.position.version }

    /// The newest entry in the state; 0 before the first.
    package var offset: UInt64 { room.offset }

    /// What the room's checks said that isn't for clients, the newest at the end.
    package var reports: [String] { host.reports }

    /// Reduces the next entry.
    ///
    /// Throws ``JournalError/damaged(_:)`` if an action of it, or of one before, can't be read; the
    /// entry isn't reduced then, and the error names all that were given so far.
    @discardableResult
    package func reduce(
        _ record: JournalRecord, at offset: UInt64
    ) throws(JournalError) -> ReplayedEntry {
        let isDuplicate = record.seq <= room.ledger[client: record.client]?.lastSeq ?? 0
        let before = version
        room.replay(record, at: offset)
        guard room.unreadable.isEmpty else { throw .damaged("\(room.unreadable)") }
        if isDuplicate { return ReplayedEntry(offset: offset, version: version, .duplicate) }
        if version > before { return ReplayedEntry(offset: offset, version: version, .reduced) }
        // What is rejected is remembered, as long as its client may ask.
        let rejection = room.ledger[client: record.client]?.rejections.last?.rejection
        return ReplayedEntry(offset: offset, version: version, .rejected(rejection))
    }

    /// The entry's actions as the reducer gets them: of their types, and stamped; those that can't be
    /// read are left out.
    package func actions(of record: JournalRecord, at offset: UInt64) -> [any SyncAction] {
        room.entry(record, offset).actions
    }

    /// Goes to what a snapshot holds. Throws an error that describes itself if it isn't good.
    package func restore(_ kept: JournalSnapshot) throws {
        let snapshot = try RoomSnapshot(kept, of: room.definition, limits: room.limits)
        restore(snapshot, at: kept.offset)
    }

    package func restore(_ snapshot: RoomSnapshot<State>, at offset: UInt64) {
        room.restore(snapshot, at: offset)
    }

    /// What the room has become, to go on from in another replay, or to be kept.
    package var snapshot: RoomSnapshot<State> {
        RoomSnapshot(
            state: state, version: version, ledger: room.ledger, present: room.attendance.present)
    }

    /// The snapshot that a journal would be given now.
    package func keptSnapshot() throws -> JournalSnapshot {
        JournalSnapshot(
            offset: offset, version: version,
            content: try snapshot.encoded(schema: room.definition.schema.version))
    }

    /// The state as JSON. O(state).
    package func tree() throws -> JSON { try JSONCoding.encodeTree(state) }

    /// What a viewer sees who subscribes to a selection. Throws a ``Rejection`` if there is no such
    /// selection, or it can't have these parameters.
    package func value(
        of selection: String, _ parameters: JSON?, viewer: Identity
    ) throws -> JSON {
        let parameters = try parameters.map { try JSONDocument("\($0)").root }
        return try room.definition.resolve(selection, parameters, viewer).evaluation(state)
            .encoded()
    }
}
