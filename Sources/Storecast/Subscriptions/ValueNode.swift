/// A selection whose members are offered its value after every change.
class ValueNode<Root, Value>: SelectionNode<Root> {
    final let select: (Root) -> Value
    /// The last evaluation. Kept between rounds only by the subclass that compares.
    final var reading: Reading<Value>?

    init(_ select: @escaping (Root) -> Value) {
        self.select = select
    }

    /// Adds an entry and has `stage` called when the value is offered to it.
    final func join(_ entry: Entry, stage: @escaping (Reading<Value>) -> Void) {
        // Unowned: it is this node that holds the entry, and nobody else calls the closure.
        entry.offer = { [unowned self] in
            if let reading { stage(reading) }
        }
        join(entry)
    }

    override func evaluate(_ root: Root, version: UInt64) -> Bool {
        reading = Reading(select(root), version: version)
        changedAt = version
        return true
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
