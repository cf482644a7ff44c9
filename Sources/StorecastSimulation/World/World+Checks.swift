import StorecastMirror
import StorecastSync
import StorecastWire

/// What is to be checked after an event: whatever the event touched.
struct Checks {
    /// Whether everything has come to rest.
    var isAtRest = false
    fileprivate var clients: [SimulatedClient] = []
    fileprivate var connections: [SimulatedConnection] = []
    fileprivate var isServerTouched = false
}

extension World {
    func touch(_ client: SimulatedClient) {
        guard !client.isTouched else { return }
        client.isTouched = true
        checks.clients.append(client)
    }

    func touch(_ connection: SimulatedConnection) {
        guard checks.connections.last !== connection else { return }
        checks.connections.append(connection)
    }

    func touchServer() {
        checks.isServerTouched = true
    }

    /// Checks everything that the last event touched.
    func check() {
        let (clients, connections) = (checks.clients, checks.connections)
        checks.clients.removeAll(keepingCapacity: true)
        checks.connections.removeAll(keepingCapacity: true)
        for client in clients {
            client.isTouched = false
            check(client)
        }
        for connection in connections { check(connection) }
        guard checks.isServerTouched else { return }
        checks.isServerTouched = false
        for server in running {
            guard let room = server.room else { continue }
            if let problem = model.problem(of: room) { violate(.durable, problem) }
            // One that stands still lets go of things late.
            if !server.stoodStill, let excess = model.excess(of: room, at: time.now) {
                violate(.bounds, excess)
            }
        }
    }

    // MARK: Bounds

    private func check(_ connection: SimulatedConnection) {
        guard let session = connection.session else { return }
        let limits = scenario.limits
        if session.waitingFrames > limits.subscriptions {
            violate(.bounds, "\(session.waitingFrames) frames wait for a token to be checked.")
        }
        if session.waitingBytes > mostWaitingBytes {
            violate(
                .bounds,
                "\(session.waitingBytes) bytes of replies wait for connection "
                    + "\(connection.number); there may be \(mostWaitingBytes).")
        }
    }

    /// How many bytes may wait for a connection: one reply more than the limit, and the rejections
    /// of a whole window of dispatches.
    var mostWaitingBytes: Int {
        scenario.limits.controlBytes + 1500 + scenario.limits.window * 1500
    }

    // MARK: Clients

    private func check(_ client: SimulatedClient) {
        checkEpoch(of: client)
        for subscription in client.subscriptions {
            let isChanged = subscription.isChanged
            check(subscription, of: client)
            if isChanged, subscription.view != nil { checkShown(subscription, of: client) }
        }
        if client.session.pendingCount > scenario.outbox.count {
            violate(
                .bounds, "Client \(client.number) keeps \(client.session.pendingCount) dispatches.")
        }
        checkTogether(client)
        for place in client.open { checkOutcome(place, of: client) }
        client.open.removeAll { client.dispatches[$0].isChecked }
    }
}

extension World {
    /// Everything is at rest: now every mirror must show the last state, and every dispatch must be
    /// in the log as its client was told.
    func checkAtRest() {
        checks.isAtRest = true
        note(.step, 0, 1) { "everything is at rest" }
        for outcome in running.flatMap(\.ownDispatches) where outcome.settled == nil {
            violate(.oneOutcome, "A dispatch of the server's own has no outcome.")
        }
        let there = clients.filter(\.isOnline).map { participantID(of: $0.session.client) }
        if let present = model.present, present != Set(there) {
            violate(
                .rest,
                "\(present.count) clients are present by the log; it should be \(there.count).")
        }
        for client in clients where client.wasActive {
            for subscription in client.subscriptions { checkLast(subscription, of: client) }
            for place in client.dispatches.indices { checkLast(place, of: client) }
        }
    }

    private func checkLast(_ subscription: SimulatedSubscription, of client: SimulatedClient) {
        let mirror = subscription.mirror
        if let failure = mirror.failure {
            if failure.code == .forbidden,
                model.refuses(client.identities, subscription.topic)
            {
                return
            }
            if failure.code.description == "too-many-subscriptions" { return }
            return violate(.truth, "\(name(subscription, client)) has failed: \(failure)")
        }
        if mirror.isLive, !model.admits(client.identity, to: subscription.topic) {
            return violate(
                .truth, "\(name(subscription, client)) shows what the client may not see.")
        }
        let end = model.position
        let history = model.histories - 1
        let expected = model.value(
            of: subscription.topic, for: client.identity, at: end.version, in: history)
        guard mirror.value != expected else { return }
        violate(
            .truth,
            "\(name(subscription, client)) shows \(mirror.value.map { "\($0)" } ?? "nothing") "
                + "at the end, where it is \(expected.map { "\($0)" } ?? "nothing").")
    }

    private func checkLast(_ place: Int, of client: SimulatedClient) {
        let (dispatched, seq) = (client.dispatches[place], UInt64(place) + 1)
        let name = "Client \(client.number)'s #\(seq)"
        if dispatched.outcome.isContradicted {
            return violate(.oneOutcome, "\(name) was given two outcomes.")
        }
        if dispatched.isChecked, dispatched.outcome.settled == nil { return }
        guard let outcome = dispatched.outcome.settled else {
            return violate(.oneOutcome, "\(name) has no outcome.")
        }
        let history = model.histories - 1
        let last = model.outcome(of: client.session.client, seq, in: history)
        switch (outcome, last) {
        case (.failure(let rejection), .reduced)
        where rejection.code != .outcomeUnknown
            && !model.wasForgotten(client.session.client, in: history):
            violate(.once, "\(name) was rejected, and is reduced in the log.")
        case (.success(let position), nil)
        where model.history(of: position, in: dispatched.term) == history:
            violate(.once, "\(name) was acked, and isn't in the log.")
        default: break
        }
    }
}
