package import StorecastSync
import StorecastWire

extension ClientSession {
    /// Numbers an action, and sends it when it may be sent.
    package func dispatch(_ action: OutgoingAction, _ outcome: DispatchOutcome) {
        do throws(Rejection) {
            let (_, opensAdmission) = try outbox.withLock { outbox throws(Rejection) in
                try outbox.append(action, outcome)
            }
            if opensAdmission { admit() }
        } catch {
            outcome.settle(.failure(error))
        }
    }

    /// Takes the dispatches of the oldest admission that was asked for.
    package func admit() {
        let base = position?.version ?? 0
        outbox.withLock { $0.admit(base: base) }
        announce(settled: outbox.withLock { $0.takeOwed() })
    }

    /// Whether there is something to store, and it seems possible.
    package var isStoreDue: Bool {
        guard let recorder, storageProblem == nil, !isSuspended else { return false }
        return recorder.isDue || outbox.withLock { $0.hasUnstored }
    }

    /// Stores what was dispatched, if the outbox is stored: all of it with one wait for the disk.
    ///
    /// Nothing is sent that isn't stored: ``nextMessage()`` stores by itself. Without a connection
    /// the owner calls this.
    package func store() {
        guard let recorder, phase != .closed, !isSuspended else { return }
        var problem: Rejection?
        do throws(Rejection) { try recorder.store(outbox) } catch { problem = error }
        if problem != storageProblem {
            storageProblem = problem
            outbox.withLock { $0.refusal = problem }
            delegate?.storageChanged(problem)
        }
        if problem == nil { announce(settled: outbox.withLock { $0.takeOwed() }) }
    }

    /// The answer to a dispatch on a connection that is closed for good.
    package static var closed: Rejection {
        Rejection(.closed, "The connection is closed.")
    }

    /// Whether the owner should connect anew at once: there is a gap before the next dispatch,
    /// which only another `hello` can jump, by saying that everything up to it is settled.
    package var needsNewConnection: Bool {
        mayDispatch && outbox.withLock { $0.isBehindGap }
    }

    func writeDispatches(_ writer: inout JSONWriter, _ bytes: Int, _ isEmpty: Bool) -> Int {
        outbox.withLock { outbox in outbox.write(to: &writer, bytes: bytes, isEmpty: isEmpty) }
    }

    /// The outcomes of what the server has settled, if every mirror shows it.
    func takeSettled() -> Settlements {
        outbox.withLock { outbox in
            guard phase == .live, let acknowledged, !mirrors.all.contains(where: \.isAwaited) else {
                return outbox.takeOwed()
            }
            return outbox.settle(through: acknowledged.seq, at: acknowledged.position)
        }
    }
}
