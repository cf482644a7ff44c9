package import StorecastSync
package import StorecastWire

/// Checks that a room's log leads to the same states whenever it is reduced, and to those of its
/// snapshots; and finds the first action after which a state differs, as far as that can be known.
///
/// Two replays go side by side, as sets and dictionaries have another order in each, clocks go on
/// and dice fall differently; they are compared at every thousandth entry and each snapshot. When
/// they differ, what lies between is reduced twice more and compared after every entry. When both
/// agree and a snapshot doesn't, the reducer of today isn't the one that wrote it: then the suspect
/// is the first action that touched anything that differs. Not Sendable: belongs to whoever made
/// it.
package final class JournalVerification<State: Codable & Sendable> {
    /// A state that was found right, to start again from.
    private struct Mark {
        var snapshot: RoomSnapshot<State>
        var offset: UInt64
    }

    private static var stride: Int { 1000 }
    /// Behind so many entries without a snapshot nothing older is looked into.
    private static var longestTrail: Int { 50_000 }

    package private(set) var divergence: Divergence?
    /// How many entries and snapshots were found right.
    package private(set) var verified = (entries: 0, snapshots: 0)

    private let definition: RoomDefinition<State>
    private let limits: SyncLimits
    private let first: RoomReplay<State>
    private let second: RoomReplay<State>
    /// Where a snapshot was right, or the start; and what came since.
    private var mark: Mark
    private var trail: [(offset: UInt64, record: JournalRecord)] = []
    /// Where the replays were last the same, and how much of the trail lies before.
    private var agreement: Mark
    private var agreed = 0

    package init(_ definition: RoomDefinition<State>, limits: SyncLimits = SyncLimits()) {
        self.definition = definition
        self.limits = limits
        first = RoomReplay(definition, limits: limits)
        second = RoomReplay(definition, limits: limits)
        mark = Mark(snapshot: first.snapshot, offset: 0)
        agreement = mark
    }

    /// The replay whose state is looked at.
    package var replay: RoomReplay<State> { first }

    /// Reduces the next entry. Throws as ``RoomReplay/reduce(_:at:)`` does.
    package func add(_ record: JournalRecord, at offset: UInt64) throws {
        guard divergence == nil else { return }
        trail.append((offset, record))
        try first.reduce(record, at: offset)
        try second.reduce(record, at: offset)
        if trail.count - agreed >= Self.stride { try compare() }
        if trail.count >= Self.longestTrail { move(to: agreement) }
    }

    /// Compares with a snapshot that stands behind the entry that was added last; one before all
    /// entries is where the history begins. Throws if it isn't good.
    package func check(_ kept: JournalSnapshot) throws {
        if first.offset == 0, trail.isEmpty {
            try first.restore(kept)
            try second.restore(kept)
            agreement = Mark(snapshot: first.snapshot, offset: kept.offset)
        } else {
            try compare()
            guard divergence == nil else { return }
            guard try first.agrees(with: kept) else { return divergence = try suspect(kept) }
        }
        verified.snapshots += 1
        move(to: agreement)
    }

    /// All entries were added.
    package func finish() throws { try compare() }

    private func move(to mark: Mark) {
        self.mark = mark
        trail = []
        agreed = 0
    }

    private func compare() throws {
        guard divergence == nil, agreed < trail.count else { return }
        if try isSame(first, second) {
            verified.entries += trail.count - agreed
            agreement = Mark(snapshot: first.snapshot, offset: first.offset)
            agreed = trail.count
        } else {
            divergence = try locate()
        }
    }

    private func isSame(_ left: RoomReplay<State>, _ right: RoomReplay<State>) throws -> Bool {
        try left.version == right.version && RoomReplay.isSame(left.state, right.state)
    }

    private func replay(from mark: Mark) -> RoomReplay<State> {
        let replay = RoomReplay(definition, limits: limits)
        replay.restore(mark.snapshot, at: mark.offset)
        return replay
    }

    /// The first entry after which two replays differ.
    private func locate() throws -> Divergence {
        let (left, right) = (replay(from: agreement), replay(from: agreement))
        for (offset, record) in trail[agreed...] {
            try left.reduce(record, at: offset)
            try right.reduce(record, at: offset)
            guard try !isSame(left, right) else { continue }
            return Divergence(
                .replays, offset: offset, version: left.version,
                types: record.actions.map(\.type), after: agreement.offset, through: first.offset,
                places: JSONDifferences(between: try left.tree(), and: try right.tree()).places)
        }
        // These two agree: it doesn't show every time.
        return Divergence(
            .replays, after: agreement.offset, through: first.offset,
            places: JSONDifferences(between: try first.tree(), and: try second.tree()).places)
    }

    /// The first entry since a good snapshot that touched what differs now.
    private func suspect(_ kept: JournalSnapshot) throws -> Divergence {
        let other = RoomReplay(definition, limits: limits)
        try other.restore(kept)
        let differences = JSONDifferences(between: try other.tree(), and: try first.tree())
        var divergence = Divergence(
            .snapshot, after: mark.offset, through: kept.offset, places: differences.places)
        let replay = replay(from: mark)
        var before = try replay.tree()
        for (offset, record) in trail {
            try replay.reduce(record, at: offset)
            let after = try replay.tree()
            let change = JSONDifferences(between: before, and: after)
            if change.touches(differences) {
                divergence.offset = offset
                divergence.version = replay.version
                divergence.types = record.actions.map(\.type)
                break
            }
            before = after
        }
        return divergence
    }
}

/// A ``JournalVerification`` of any state, for tools.
package protocol AnyJournalVerification: AnyObject {
    var divergence: Divergence? { get }
    var verified: (entries: Int, snapshots: Int) { get }

    func add(_ record: JournalRecord, at offset: UInt64) throws
    func check(_ kept: JournalSnapshot) throws
    func finish() throws
}

extension JournalVerification: AnyJournalVerification {}

extension RoomDefinitionProtocol {
    /// A verification of a room with this definition, whatever its state.
    package func verification(_ limits: SyncLimits) -> any AnyJournalVerification {
        JournalVerification(definition, limits: limits)
    }
}

/// Where a log doesn't lead to what it led to before.
package struct Divergence: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Two replays of the same entries differ: the reducer isn't deterministic.
        case replays
        /// Replays agree with each other and not with what the server's room had become.
        case snapshot
    }

    package let kind: Kind
    /// The first entry after which the state differs, or is suspected to; nil if nothing points to
    /// one.
    package var offset: UInt64?
    /// The version behind that entry.
    package var version: UInt64?
    /// The actions of that entry.
    package var types: [String] = []
    /// The states were the same behind this entry …
    package let after: UInt64
    /// … and differ behind this one.
    package let through: UInt64
    /// Where the states differ then; the first hundred places.
    package let places: [JSONPointer]

    init(
        _ kind: Kind, offset: UInt64? = nil, version: UInt64? = nil, types: [String] = [],
        after: UInt64, through: UInt64, places: [JSONPointer]
    ) {
        self.kind = kind
        self.offset = offset
        self.version = version
        self.types = types
        self.after = after
        self.through = through
        self.places = places
    }
}

extension Divergence: CustomStringConvertible {
    /// What differs, since which action, and why that may be.
    package var description: String {
        let range = "between the entries at offsets \(after) and \(through)"
        let place = offset.map { offset in
            let names = types.isEmpty ? "no action" : types.joined(separator: ", ")
            return "offset \(offset), version \(version ?? 0): \(names)"
        }
        let paths = places.prefix(5).map { $0.tokens.isEmpty ? "the whole" : "\($0)" }
            .joined(separator: ", ")
        switch kind {
        case .replays:
            return "Two replays differ \(place.map { "first behind \($0)" } ?? range). The reducer "
                + "or a check depends on more than state and action: time, chance, or the order "
                + "of a set or dictionary. They differ at: \(paths)"
        case .snapshot:
            return "The snapshot at offset \(through) isn't what the log leads to now; "
                + (place.map { "the first action that touched what differs is at \($0)" }
                    ?? "nothing touched what differs \(range)")
                + ". Reducer or checks have changed, or depend on the machine. The replay differs "
                + "from the snapshot at: \(paths)"
        }
    }
}
