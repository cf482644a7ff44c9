import StorecastMirror
import StorecastSync

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
    func take(_ updates: [UInt64: any Sendable], _ pending: PendingActions?) {
        var moved: [any MirrorReceiver] = []
        for id in addressees(updates, pending) {
            guard let receiver = entries[id]?.receiver else {
                entries[id] = nil
                continue
            }
            receiver.take(updates[id], pending)
            moved.append(receiver)
        }
        for receiver in moved { receiver.announce() }
    }

    /// Whom the mail is for, oldest store first.
    private func addressees(
        _ updates: [UInt64: any Sendable], _ pending: PendingActions?
    ) -> [UInt64] {
        guard pending != nil else { return updates.keys.sorted() }
        return entries.keys.sorted().filter { id in
            updates[id] != nil || entries[id]?.receiver?.isOptimistic == true
        }
    }
}
