import StorecastSync

extension ConnectionCore: ClientSessionDelegate {
    func welcomed() {
        liveSince = now
        lostSince = nil
        monitor.set(.live)
        lastHeard = now
        watch(attempt)
    }

    /// Pings after a heartbeat of silence; if nothing has come a heartbeat after that, takes the
    /// connection for lost.
    private func watch(
        _ attempt: Int, after delay: Duration? = nil, pinged: Duration? = nil
    ) {
        let heartbeat = Duration.seconds(session.heartbeat)
        owner?.perform(after: delay ?? heartbeat) { core in
            guard attempt == core.attempt, core.session.phase == .live else { return }
            if let pinged, core.lastHeard < pinged {
                return core.abandon("The server is silent.")
            }
            let now = core.now
            let silence = now - core.lastHeard
            guard silence >= heartbeat else {
                return core.watch(attempt, after: heartbeat - silence)
            }
            core.session.ping()
            core.flush()
            core.watch(attempt, after: heartbeat, pinged: now)
        }
    }

    func mirrorsMoved() {
        deliveries.deliver()
    }

    func pendingChanged() {
        monitor.pendingChanged()
        guard deliveries.wantsPending else { return }
        deliveries.deliver(session.outbox.withLock { $0.pendingActions })
    }

    func storageChanged(_ problem: Rejection?) {
        monitor.set(outboxProblem: problem)
        if problem != nil { retryStorage() }
    }

    private func retryStorage() {
        owner?.perform(after: .seconds(1)) { core in
            guard core.session.phase != .closed, core.session.storageProblem != nil else { return }
            core.session.store()
            core.scheduleFlush()
            if core.session.storageProblem != nil { core.retryStorage() }
        }
    }

    func held(for time: Duration) {
        let attempt = attempt
        owner?.perform(after: time) { core in
            guard attempt == core.attempt else { return }
            core.session.release()
            core.scheduleFlush()
        }
    }

    func bye(_ bye: ServerFrame.Bye) {
        self.bye = bye
    }

    func trouble(_ message: String) {
        onTrouble(message)
    }
}
