/// A selection whose members are offered its value only when it has changed: one comparison for all
/// of them.
final class DistinctNode<Root, Value: Equatable>: ValueNode<Root, Value> {
    /// The version of the value before this one.
    private var previousChange: UInt64 = 0

    override func evaluate(_ root: Root, version: UInt64) -> Bool {
        let new = select(root)
        if let reading {
            if reading.value == new { return false }
            // When a subscriber dispatches, those before it have seen a newer value than those
            // behind it. So the older ones are kept until the round is over.
            self.reading = Reading(new, version: version, older: reading)
        } else {
            reading = Reading(new, version: version)
        }
        previousChange = changedAt
        changedAt = version
        return true
    }

    override func hasSeenEqual(_ entry: Entry) -> Bool {
        // The value before this one is known to be different; an older one may be equal.
        guard entry.seen != previousChange, let reading else { return false }
        var next = reading.older
        while let older = next, older.version >= entry.seen {
            if older.version == entry.seen { return older.value == reading.value }
            next = older.older
        }
        return false
    }

    /// Everything it has serves to compare.
    override func releaseState() {}

    override func settle() {
        reading?.forgetOlder()
    }
}
