import StorecastMirror
import StorecastSync
import StorecastWire

/// The app around the connector: its tokens, its timers, its stores.
extension SimulatedClient: ConnectorHost {
    var now: Duration { world.time.now }

    func schedule(_ timer: Connector.Timer, after delay: Duration) {
        after(delay) { [self] in connector.fire(timer) }
    }

    func requestToken(for attempt: Int) {
        let token = token
        let delay = random.happens(oneIn: 4) ? random.duration(upTo: .milliseconds(100)) : .zero
        let fails = !world.isHealing && random.happens(oneIn: 50)
        after(delay) { [self] in
            if fails {
                connector.tokenFailed("There is no token.", for: attempt)
            } else {
                connector.provide(token: token, for: attempt)
            }
        }
    }

    func openConnection(for attempt: Int) -> any TransportConnection {
        let socket = SimulatedSocket(self, attempt)
        self.socket = socket
        after(random.duration(upTo: .milliseconds(50))) { socket.open() }
        return socket
    }

    func statusChanged(_ status: Connector.Status) {
        if status == .live {
            liveSince = now
        } else if let start = liveSince.take(), now - start >= .seconds(5) {
            isRetrySoon = true
        }
        switch status {
        case .connecting, .live: break
        case .offline(let delay, let reason):
            world.note(.client, number, 3) { "offline: \(reason)" }
            if isRetrySoon, connector.bye == nil, delay > .milliseconds(250) {
                world.violate(.retry, "Client \(number) waits for \(delay).")
            }
            isRetrySoon = false
        case .closed(let rejection):
            world.violate(
                .protocol,
                "Client \(number) keeps to the protocol and was told to stop: "
                    + "\(rejection.map { "\($0)" } ?? "")")
        }
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
    }

    func report(_ message: String) {
        world.violate(.protocol, "Client \(number): \(message)")
    }
}
