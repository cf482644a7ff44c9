/// Everyone who subscribes to one selection, seen without the types of state and value.
///
/// What isn't generic is compiled to plain code. Each array or dictionary of a type that is known
/// at run time only would cost several look-ups of metadata at every dispatch.
class Node {
    /// What it is found by if it can be shared.
    final var key: SelectionKey?
    /// Where it is among the list's nodes.
    final var index = 0
    /// It may have members who haven't got its value yet.
    final var isDirty = false
    /// The version of the state at which the value became what it is.
    final var changedAt: UInt64 = 0
    /// Those who subscribe, in that order; nil where someone has left.
    final var members: [Entry?] = []
    private final var holes = 0

    /// Whether nobody subscribes to it.
    final var isEmpty: Bool { members.count == holes }

    /// Adds an entry, whose `offer` closure is to take the value from here.
    final func join(_ entry: Entry) {
        entry.slot = members.count
        members.append(entry)
    }

    /// Takes an entry out. O(1), amortised.
    final func leave(_ entry: Entry) {
        members[entry.slot] = nil
        holes += 1
        if holes > 16, holes * 2 > members.count {
            closeHoles()
        }
    }

    /// Offers the value to the members that haven't got it and appends those that want it.
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

    private final func closeHoles() {
        members.removeAll { $0 == nil }
        holes = 0
        for (slot, entry) in members.enumerated() {
            entry?.slot = slot
        }
    }

    // MARK: What the subclasses know

    /// Whether the value is equal to the one that the entry has seen last.
    func hasSeenEqual(_ entry: Entry) -> Bool { false }

    /// Lets go of what belongs to a state that is about to be replaced and isn't needed to compare.
    func releaseState() { preconditionFailure("ValueNode overrides this") }

    /// Everyone has been notified.
    func settle() { preconditionFailure("ValueNode overrides this") }
}
