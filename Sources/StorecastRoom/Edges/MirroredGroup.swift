import StorecastSync
import StorecastWire

/// A selection of a room that another server owns, with its parameters: its value as that server
/// sends it, for all clients here that have it.
final class MirroredGroup: ValueSource {
    /// This server's number for it, by which it is also asked for.
    let sub: UInt64
    let selection: String
    /// As they were in the first `subscribe`; nil if there were none.
    let parameters: JSONView?
    /// The owner's number for it on this connection; nil if it hasn't been asked for.
    private(set) var owner: UInt64?
    /// Whether the owner has answered that. What comes before was on its way to one that was let go of.
    private(set) var isAnswered = false
    /// Nil before the first value.
    private(set) var group: SelectionGroup?
    /// Those who wait for the first value.
    var waiting: Set<Waiter> = []
    /// When its last subscription was gone.
    var idleSince = Duration.zero

    private var value = JSON.null
    private var tag = ""
    /// The version under which the owner knows the value that it has sent last.
    private var version: UInt64 = 0

    init(sub: UInt64, selection: String, parameters: JSONView?) {
        self.sub = sub
        self.selection = selection
        self.parameters = parameters
    }

    func write(to writer: inout JSONWriter) { writer.write(value) }

    /// Where to go on when the owner is there again, of whose history `position` was the last.
    func resumption(at position: Position) -> ResumePoint? {
        guard group != nil else { return nil }
        // Values may have come without the transaction that they belong to.
        let version = max(position.version, version)
        return ResumePoint(position: Position(epoch: position.epoch, version: version), tag: tag)
    }

    /// It is asked for by the owner's number, or isn't any more.
    func isAsked(for owner: UInt64?) {
        self.owner = owner
        isAnswered = false
    }

    /// The owner has answered; false if its tag is another than it was, so that what is known of its
    /// values says nothing of those to come.
    func answered(_ tag: String) -> Bool {
        if group != nil, !self.tag.isSameText(as: tag) { return false }
        isAnswered = true
        self.tag = tag
        return true
    }

    /// Takes the first value, and the patches that led to it.
    func begin(
        _ value: JSON, at version: UInt64, history: JSONView?, _ limits: SyncLimits,
        _ recent: RecentSnapshots
    ) throws -> SelectionGroup {
        self.value = value
        self.version = version
        let key = GroupKey(
            selection: selection, parameters: AnyHashable(parameters?.json ?? .null), viewer: nil)
        let group = try SelectionGroup(
            key: key, sub: sub, tag: tag, source: self, version: version,
            historyBytes: limits.historyBytes, recent: recent)
        group.restore(
            try history?.elements.map { step in
                guard let from = step["from"]?.uint64, let operations = step["ops"] else {
                    throw Misfit()
                }
                return (from, try JSONPatch(reading: operations))
            } ?? [])
        self.group = group
        return group
    }

    /// Takes another value in place of the one at hand.
    func replace(
        by new: JSON, at version: UInt64, known: UInt64, work limit: Int
    ) throws {
        let (patch, _) = JSONPatch.diff(from: value, to: new, work: limit)
        let growth = new.encodedSize - value.encodedSize
        value = new
        try change(by: patch, growth: growth, to: version, known: known)
    }

    /// Takes a patch; throws if it isn't one to the value at hand.
    ///
    /// - Parameter known: the newest version at which the value is known to be the one at hand.
    func apply(_ operations: JSONView, from: UInt64, to version: UInt64, known: UInt64) throws {
        // After a reconnect the owner may name the value by any version that has it.
        guard group != nil, from >= self.version, from <= max(known, self.version) else {
            throw Misfit()
        }
        let patch = try JSONPatch(reading: operations)
        let growth = try patch.applySent(to: &value, isMeasured: true)
        try change(by: patch, growth: growth, to: version, known: known)
    }

    /// The value at hand is that of this version.
    func confirm(_ version: UInt64) throws {
        guard group != nil else { throw Misfit() }
        self.version = version
    }

    private func change(
        by patch: JSONPatch, growth: Int, to version: UInt64, known: UInt64
    ) throws {
        self.version = version
        guard let group else { return }
        guard let change = ValueChange(patch, growth: growth), !patch.isEmpty else {
            // It is what it was; but it may have been something else in between, which somebody who
            // comes from elsewhere has seen.
            if version > max(known, group.version) { throw Interrupted() }
            return
        }
        guard version > group.version else { throw Misfit() }
        // It may have changed more than once since then.
        group.update(change, at: version, known: max(known, group.version))
    }

    /// The number of a client, and that of its wish.
    struct Waiter: Hashable, Comparable {
        let guest: UInt64
        let wish: UInt64

        static func < (left: Waiter, right: Waiter) -> Bool {
            (left.guest, left.wish) < (right.guest, right.wish)
        }
    }

    /// What came isn't for the value at hand.
    struct Misfit: Error, CustomStringConvertible {
        var description: String { "It doesn't belong to what came before." }
    }
    /// What the value was isn't known for all versions since it was known last.
    struct Interrupted: Error {}
}
