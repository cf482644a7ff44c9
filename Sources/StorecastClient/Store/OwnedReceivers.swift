/// The stores of one owner, by number, held weakly.
///
/// Unchecked: it is made, added to and taken from by ``Deliveries`` only, in functions that are
/// isolated to the owner; `owner` alone is read elsewhere and never changes.
final class OwnedReceivers: @unchecked Sendable {
    private struct Entry {
        weak var receiver: (any MirrorReceiver)?
    }

    weak let owner: (any Actor)?
    private var entries: [UInt64: Entry] = [:]
    /// How many there may be before those that are gone are looked for.
    private var roomFor = 16

    init(owner: any Actor) {
        self.owner = owner
    }

    func add(_ receiver: any MirrorReceiver, _ id: UInt64) {
        if entries.count >= roomFor {
            entries = entries.filter { $0.value.receiver != nil }
            roomFor = max(16, entries.count * 2)
        }
        entries[id] = Entry(receiver: receiver)
    }

    /// Hands out updates: every store has its new state before anyone is told of one.
    func take(_ updates: [UInt64: any Sendable]) {
        var moved: [any MirrorReceiver] = []
        for (id, update) in updates.sorted(by: { $0.key < $1.key }) {
            guard let receiver = entries[id]?.receiver else {
                entries[id] = nil
                continue
            }
            receiver.take(update)
            moved.append(receiver)
        }
        for receiver in moved { receiver.announce() }
    }
}
