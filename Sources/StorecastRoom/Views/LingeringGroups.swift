/// The groups of a room that lost their last subscription, in the order in which they did.
///
/// They aren't evaluated: a client that comes back gets the patches that there were, and one more
/// that leads to the present value. So such a group costs memory, which is bounded, and no time per
/// turn. Every operation is O(1), amortised.
struct LingeringGroups<State> {
    typealias Member = SelectionTable<State>.Member

    /// By ticket: the lower, the longer ago.
    private var members: [UInt64: Member] = [:]
    private var tickets: [GroupKey: UInt64] = [:]
    private var oldest: UInt64 = 0
    private var next: UInt64 = 0
    /// Tickets below this one were given out before the last call of ``removeElders()``.
    private var elders: UInt64 = 0
    /// What all of them cost, about, in bytes.
    private(set) var bytes = 0

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }
    /// The one that was left first comes first. O(n log n).
    var groups: [(ticket: UInt64, group: SelectionGroup)] {
        members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.group) }
    }

    mutating func append(_ member: Member) {
        members[next] = member
        tickets[member.group.key] = next
        bytes += member.group.idleSize
        next += 1
    }

    /// Takes out the group of a key, if it is there.
    mutating func remove(_ key: GroupKey) -> Member? {
        guard let ticket = tickets.removeValue(forKey: key),
            let member = members.removeValue(forKey: ticket)
        else { return nil }
        bytes -= member.group.idleSize
        return member
    }

    mutating func removeOldest() {
        while oldest < next {
            defer { oldest += 1 }
            guard let member = members[oldest] else { continue }
            _ = remove(member.group.key)
            return
        }
    }

    mutating func removeAll() {
        while !isEmpty { removeOldest() }
    }

    /// Takes out what was there at the last call already.
    mutating func removeElders() {
        while oldest < elders {
            if let member = members[oldest] { _ = remove(member.group.key) }
            oldest += 1
        }
        elders = next
    }
}
