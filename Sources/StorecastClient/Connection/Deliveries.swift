import StorecastMirror
import StorecastSync
import Synchronization

/// Carries the updates of mirrors from the connection's executor to the actor that owns the stores;
/// mirrors that moved together are updated in one job.
///
/// Only a store's newest update is kept: when its owner is busy, it skips states.
final class Deliveries: Sendable {
    private struct Mailbox {
        var updates: [UInt64: any Sendable] = [:]
        var pending: PendingActions?
        var isScheduled = false
    }

    private let mailbox = Mutex(Mailbox())
    private let receivers: OwnedReceivers

    init(owner: any Actor) {
        receivers = OwnedReceivers(owner: owner)
    }

    /// The actor that owns the stores, or nil if it is gone.
    var owner: (any Actor)? { receivers.owner }

    /// Keeps the newest update of a store until it is delivered; from any thread.
    func post(_ update: any Sendable, for id: UInt64) {
        mailbox.withLock { $0.updates[id] = update }
    }

    /// Keeps the list of pending actions. It must be posted after the updates that contain the
    /// effects of the actions that it no longer lists.
    func post(_ pending: PendingActions) {
        mailbox.withLock { $0.pending = pending }
    }

    /// Has the owner take the mailbox's contents, unless that is scheduled already.
    func deliver() {
        let isNeeded = mailbox.withLock { mailbox in
            let isEmpty = mailbox.updates.isEmpty && mailbox.pending == nil
            guard !isEmpty, !mailbox.isScheduled else { return false }
            mailbox.isScheduled = true
            return true
        }
        guard isNeeded, let owner else { return }
        startNow { await self.empty(on: owner) }
    }

    /// Returns when the owner has taken everything that was posted before.
    func settle() async {
        if let owner { await empty(on: owner) }
    }

    /// Adds a store, which is held weakly; only on its owner.
    func add(_ receiver: any MirrorReceiver, _ id: UInt64, on owner: any Actor) {
        owner.preconditionIsolated()
        receivers.add(receiver, id)
    }

    /// Delivers the mailbox's contents to the stores.
    func empty(on owner: isolated any Actor) {
        let mail = mailbox.withLock { mailbox in
            defer { mailbox = Mailbox() }
            return mailbox
        }
        receivers.take(mail.updates, mail.pending)
    }
}

/// Starts on this thread where it can, which saves a hop. The priority is high, as the user waits
/// for the result.
private func startNow(_ work: @escaping @Sendable () async -> Void) {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate(priority: .high) { await work() }
    } else {
        Task(priority: .high) { await work() }
    }
}

/// The deliveries of a connection, one for each actor that owns stores on it.
final class DeliveryRegistry: Sendable {
    fileprivate struct State {
        var deliveries: [ObjectIdentifier: Deliveries] = [:]
        var lastID: UInt64 = 0
        var wantsPending = false
    }

    fileprivate let state = Mutex(State())

    /// The id of a new store.
    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Whether there has been an optimistic store.
    var wantsPending: Bool {
        get { state.withLock(\.wantsPending) }
        set { state.withLock { $0.wantsPending = newValue } }
    }

    /// Carries updates to `owner`.
    func deliveries(to owner: any Actor) -> Deliveries {
        state.withLock { state in
            let key = ObjectIdentifier(owner)
            // A new actor may have the address of one that is gone.
            if let known = state.deliveries[key], known.owner != nil { return known }
            state.deliveries = state.deliveries.filter { $0.value.owner != nil }
            let new = Deliveries(owner: owner)
            state.deliveries[key] = new
            return new
        }
    }

    /// Has every owner take its mailbox's contents.
    func deliver() {
        for deliveries in state.withLock({ Array($0.deliveries.values) }) {
            deliveries.deliver()
        }
    }

    /// Sends the list of pending actions to every owner, together with waiting updates.
    func deliver(_ pending: PendingActions) {
        for deliveries in state.withLock({ Array($0.deliveries.values) }) {
            deliveries.post(pending)
            deliveries.deliver()
        }
    }

    /// Returns when every owner has taken everything that was posted before.
    func settle() async {
        for deliveries in state.withLock({ Array($0.deliveries.values) }) {
            await deliveries.settle()
        }
    }
}

/// An outcome is settled after the updates that show it were posted. Awaiting one first takes these
/// updates, so that the caller's stores are up to date even if its actor was busy.
extension DeliveryRegistry: OutcomeStores {
    func update(on owner: isolated any Actor) {
        let deliveries = state.withLock { $0.deliveries[ObjectIdentifier(owner)] }
        if let deliveries, deliveries.owner === owner { deliveries.empty(on: owner) }
    }
}

/// The stores of one owner by id, held weakly.
///
/// Unchecked: it is made, added to and taken from by ``Deliveries`` only, on the owner, as the
/// compiler or a precondition makes sure; `owner` alone is read elsewhere and never changes.
final class OwnedReceivers: @unchecked Sendable {
    private struct Entry {
        weak var receiver: (any MirrorReceiver)?
    }

    weak let owner: (any Actor)?
    private var entries: [UInt64: Entry] = [:]
    /// The number of entries at which those of deallocated stores are removed.
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

    /// Delivers updates: every store has its new state before any subscriber is called.
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

    /// The ids of the stores that are updated, oldest first.
    private func addressees(
        _ updates: [UInt64: any Sendable], _ pending: PendingActions?
    ) -> [UInt64] {
        guard pending != nil else { return updates.keys.sorted() }
        return entries.keys.sorted().filter { id in
            updates[id] != nil || entries[id]?.receiver?.isOptimistic == true
        }
    }
}

/// A remote store of any state, as the receiver of updates; isolated to the store's owner.
protocol MirrorReceiver: AnyObject {
    /// Whether it shows pending actions.
    var isOptimistic: Bool { get }
    /// Takes the update and the pending actions that are new; calls no subscriber yet.
    func take(_ update: (any Sendable)?, _ pending: PendingActions?)
    /// Tells subscribers and observers of what was taken.
    func announce()
}
