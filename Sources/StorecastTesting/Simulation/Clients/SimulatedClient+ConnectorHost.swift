import StorecastSync
import StorecastWire

extension SimulatedClient: ClientSessionDelegate {
    func welcomed() {
        liveSince = world.time.now
        authenticate()
    }

    func mirrorsMoved() {
        for follow in follows { follow.deliver(nil) }
    }

    func pendingChanged() {
        guard follows.contains(where: { $0.view != nil }) else { return }
        let pending = session.outbox.withLock(\.pendingActions)
        for follow in follows { follow.deliver(pending) }
    }

    func storageChanged(_ problem: Rejection?) {
        world.note(.client, number, problem == nil ? 5 : 6) {
            problem.map { "can't store: \($0)" } ?? "can store again"
        }
        guard problem != nil else { return }
        world.time.after(.seconds(1)) { [self] in retryStorage() }
    }

    private func retryStorage() {
        guard !isEnded, session.storageProblem != nil else { return }
        session.store()
        touch()
        scheduleFlush()
        if session.storageProblem != nil {
            world.time.after(.seconds(1)) { [self] in retryStorage() }
        }
    }

    func held(for time: Duration) {
        later(time) { [self] in
            session.release()
            scheduleFlush()
        }
    }

    func bye(_ bye: ServerFrame.Bye) {
        self.bye = bye
    }

    func trouble(_ message: String) {
        world.violate(.protocol, "Client \(number): \(message)")
    }
}
