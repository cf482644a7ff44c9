import StorecastMirror
import StorecastSync
import StorecastWire

/// What is looked at after every event: whatever the event had to do with.
struct Checks {
    /// Whether everything has come to its end.
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

    /// Looks at all that the last event has touched.
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
        guard let room = process?.room else { return }
        if let problem = truth.problem(of: room) { violate(.durable, problem) }
        if let excess = truth.excess(of: room, at: time.now) { violate(.bounds, excess) }
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
                "\(session.waitingBytes) bytes of answers wait for connection "
                    + "\(connection.number); there may be \(mostWaitingBytes).")
        }
    }

    /// What may wait for a connection: one answer more than the bound, and what rejects a window of
    /// dispatches.
    var mostWaitingBytes: Int {
        scenario.limits.controlBytes + 1500 + scenario.limits.window * 1500
    }

    // MARK: Clients

    private func check(_ client: SimulatedClient) {
        for follow in client.follows {
            let isMoved = follow.isMoved
            check(follow, of: client)
            if isMoved, follow.view != nil { checkShown(follow, of: client) }
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
