import StorecastMirror
import StorecastSync
import Synchronization

/// Takes what became of mirrors from the connection's executor to the actor that owns the stores,
/// all that moved together in one job.
///
/// A store that its owner has no time for skips states: the newest update of each store waits.
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

    /// Puts down the newest update of a store; from any thread.
    func post(_ update: any Sendable, for id: UInt64) {
        mailbox.withLock { $0.updates[id] = update }
    }

    /// Puts down what is dispatched and has no outcome. It has to come behind the updates that hold
    /// what it doesn't list any more.
    func post(_ pending: PendingActions) {
        mailbox.withLock { $0.pending = pending }
    }

    /// Sends the owner to its mailbox, if there is something in it and it isn't on its way.
    func deliver() {
        let isNeeded = mailbox.withLock { mailbox in
            let isEmpty = mailbox.updates.isEmpty && mailbox.pending == nil
            guard !isEmpty, !mailbox.isScheduled else { return false }
            mailbox.isScheduled = true
            return true
        }
        guard isNeeded, let owner else { return }
        // Started at once, so that the job is in the owner's queue before anything that this
        // thread does next, such as ending a dispatch that somebody on the owner waits for.
        DeliveriesUnderway.count.add(1, ordering: .acquiringAndReleasing)
        startNow {
            await self.empty(on: owner)
            DeliveriesUnderway.count.subtract(1, ordering: .acquiringAndReleasing)
        }
    }

    /// Returns when the owner has taken all that was posted before: takes what is left there.
    func settle() async {
        if let owner { await empty(on: owner) }
    }

    /// Adds a store, which is held weakly.
    func add(_ receiver: any MirrorReceiver, _ id: UInt64, on owner: isolated any Actor) {
        receivers.add(receiver, id)
    }

    private func empty(on owner: isolated any Actor) async {
        let mail = mailbox.withLock { mailbox in
            defer { mailbox = Mailbox() }
            return mailbox
        }
        receivers.take(mail.updates, mail.pending)
    }
}

/// At a high priority, as an actor takes the jobs of higher priority first: whoever waits for an
/// outcome on the owner must find the update there.
private func startNow(_ work: @escaping @Sendable () async -> Void) {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate(priority: .high) { await work() }
    } else {
        Task(priority: .high) { await work() }
    }
}
