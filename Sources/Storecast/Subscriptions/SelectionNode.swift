/// One selection with all its subscribers, without the types of state and value.
///
/// Code that isn't generic is compiled to plain code. Each use of an array or dictionary whose type
/// is only known at run time would cost several metadata lookups per dispatch.
class Node {
    /// What it is found by if it can be shared.
    final var key: SelectionKey?
    /// Its index among the list's nodes.
    final var index = 0
    /// Whether there may be members that haven't received its value.
    final var isDirty = false
    /// The version of the state at which the value last changed.
    final var changedAt: UInt64 = 0
    /// The subscribers in the order of subscription; nil where one has left.
    final var members: [Entry?] = []
    private final var holes = 0

    /// Whether it has no subscribers.
    final var isEmpty: Bool { members.count == holes }

    /// The node to remove from the list when this one's last member has left; nil if there is none.
    var vacated: Node? { self }

    /// Adds an entry, whose `offer` closure is to take the value from here.
    final func join(_ entry: Entry) {
        entry.slot = members.count
        members.append(entry)
    }

    /// Removes an entry. O(1), amortised.
    final func leave(_ entry: Entry) {
        members[entry.slot] = nil
        holes += 1
        if holes > 16, holes * 2 > members.count {
            closeHoles()
        }
    }

    private final func closeHoles() {
        members.removeAll { $0 == nil }
        holes = 0
        for (slot, entry) in members.enumerated() {
            entry?.slot = slot
        }
    }

    /// Offers the value to the members that haven't received it, and appends those that take it.
    func collect(into due: inout [Entry]) {
        for case let entry? in members where entry.seen != changedAt {
            entry.dropPending()
            if hasSeenEqual(entry) {
                entry.seen = changedAt
            } else {
                entry.offered = changedAt
                entry.offer()
                if entry.isPending { due.append(entry) }
            }
        }
    }

    /// Whether the value equals the last one that the entry received.
    func hasSeenEqual(_ entry: Entry) -> Bool { false }

    /// Releases the parts of a state that is about to be changed, except what is needed to compare.
    func releaseState() { preconditionFailure("Every subclass overrides this.") }

    /// Called when all subscribers have been notified.
    func settle() { preconditionFailure("Every subclass overrides this.") }
}

/// One selection of the root state with all its subscribers, evaluated once for all of them. Only
/// the subclasses know the value's type.
class SelectionNode<Root>: Node {
    /// Evaluates the selection; returns whether there may be members to notify.
    func evaluate(_ root: Root, version: UInt64) -> Bool {
        preconditionFailure("Every subclass overrides this.")
    }

    /// Offers the value for `root` to an entry that has just joined.
    func start(_ entry: Entry, root: Root, version: UInt64) {
        preconditionFailure("ValueNode overrides this.")
    }
}

/// A selection whose members are offered its value after every change of the state.
class ValueNode<Root, Value>: SelectionNode<Root> {
    final let select: (Root) -> Value
    /// The last evaluation. Only the subclass that compares keeps it between rounds.
    final var reading: Reading<Value>?

    init(_ select: @escaping (Root) -> Value) {
        self.select = select
    }

    /// Adds an entry, and has `stage` called when the value is offered to it.
    final func join(_ entry: Entry, stage: @escaping (Reading<Value>) -> Void) {
        // Unowned: this node holds the entry, and is the only caller of the closure.
        entry.offer = { [unowned self] in
            if let reading { stage(reading) }
        }
        join(entry)
    }

    override func evaluate(_ root: Root, version: UInt64) -> Bool {
        take(select(root), version: version)
        return true
    }

    /// Has a value offered to the members.
    final func take(_ value: Value, version: UInt64) {
        reading = Reading(value, version: version)
        changedAt = version
    }

    override func start(_ entry: Entry, root: Root, version: UInt64) {
        let isIdle = reading == nil
        if isIdle {
            _ = evaluate(root, version: version)
        }
        entry.offered = changedAt
        entry.seen = changedAt
        entry.offer()
        if isIdle, !isDirty { settle() }
    }

    override func releaseState() {
        reading = nil
        for case let entry? in members {
            entry.dropPending()
        }
    }

    override func settle() {
        reading = nil
    }
}

/// A selection whose members are offered its value only when it has changed: one comparison for all
/// of them.
final class DistinctNode<Root, Value: Equatable>: ValueNode<Root, Value> {
    /// The version of the value before this one.
    private var previousChange: UInt64 = 0

    override func evaluate(_ root: Root, version: UInt64) -> Bool {
        let new = select(root)
        if let reading {
            if reading.value == new { return false }
            // If a subscriber dispatches, those notified before it have seen a newer value than
            // those after it. So the older values are kept until the round is over.
            self.reading = Reading(new, version: version, older: reading)
        } else {
            reading = Reading(new, version: version)
        }
        previousChange = changedAt
        changedAt = version
        return true
    }

    override func hasSeenEqual(_ entry: Entry) -> Bool {
        // The value before this one is known to differ; an older one may be equal.
        guard entry.seen != previousChange, let reading else { return false }
        var next = reading.older
        while let older = next, older.version >= entry.seen {
            if older.version == entry.seen { return older.value == reading.value }
            next = older.older
        }
        return false
    }

    /// Keeps everything, since all of it serves to compare.
    override func releaseState() {}

    override func settle() {
        reading?.forgetOlder()
    }
}
