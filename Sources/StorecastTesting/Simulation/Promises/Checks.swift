import StorecastSync
import StorecastWire

/// What is looked at after every event: whatever the event had to do with.
struct Checks {
    private(set) var isAtRest = false
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
        // One message more than the bound, and what rejects the window's dispatches.
        let most = limits.controlBytes + 4096 + (limits.window + 1) * 1500
        if session.waitingBytes > most {
            violate(
                .bounds,
                "\(session.waitingBytes) bytes of answers wait for connection "
                    + "\(connection.number); there may be \(most).")
        }
    }

    // MARK: Clients

    private func check(_ client: SimulatedClient) {
        for follow in client.follows {
            let isMoved = follow.isMoved
            check(follow, of: client)
            if isMoved, follow.view != nil { checkShown(follow, of: client) }
        }
        checkTogether(client)
        for place in client.open { checkOutcome(place, of: client) }
        client.open.removeAll { client.dispatches[$0].isChecked }
    }

    /// The mirror shows what its selection was at its version, and has only moved forward.
    private func check(_ follow: Follow, of client: SimulatedClient) {
        guard let position = follow.mirror.position, let value = follow.mirror.value,
            follow.isMoved || follow.position != position
        else { return }
        follow.isMoved = false
        guard let history = truth.history(position.epoch) else {
            return violate(.truth, "\(name(follow, client)) is of epoch \(position.epoch).")
        }
        if let last = follow.position, let before = truth.history(last.epoch),
            before > history || before == history && last.version > position.version
        {
            violate(.forward, "\(name(follow, client)) went back from \(last) to \(position).")
        }
        follow.position = position
        check(value, of: follow, client, at: position.version, in: history)
    }

    private func check(
        _ value: JSON, of follow: Follow, _ client: SimulatedClient, at version: UInt64,
        in history: Int
    ) {
        if isTrue(value, follow, client, at: version, in: history) { return }
        let expected = truth.value(
            of: follow.topic, for: client.identity, at: version, in: history)
        violate(
            .truth,
            "\(name(follow, client)) shows \(value) at version \(version), where "
                + (expected.map { "it was \($0)." } ?? "the log hasn't come to yet."))
    }

    /// Whether the value is that of the selection, for whom the client is or has been.
    private func isTrue(
        _ value: JSON, _ follow: Follow, _ client: SimulatedClient, at version: UInt64,
        in history: Int
    ) -> Bool {
        client.identities.reversed().contains { viewer in
            truth.value(of: follow.topic, for: viewer, at: version, in: history) == value
        }
    }

    /// All mirrors that the server keeps up to date are right for the newest of their versions.
    private func checkTogether(_ client: SimulatedClient) {
        guard client.follows.count > 1 else { return }
        let live = client.follows.filter { $0.mirror.isLive && $0.mirror.value != nil }
        guard let newest = live.compactMap(\.position).max(by: { $0.version < $1.version }),
            let history = truth.history(newest.epoch)
        else { return }
        for follow in live {
            guard let value = follow.mirror.value, follow.position?.epoch == newest.epoch,
                follow.position != newest
            else { continue }
            if isTrue(value, follow, client, at: newest.version, in: history) { continue }
            violate(
                .together,
                "\(name(follow, client)) is behind another that is at \(newest.version).")
        }
    }

    private func name(_ follow: Follow, _ client: SimulatedClient) -> String {
        "Client \(client.number)'s mirror \(follow.topic.name)"
    }

    // MARK: Outcomes

    private func checkOutcome(_ place: Int, of client: SimulatedClient) {
        let dispatched = client.dispatches[place]
        guard let outcome = dispatched.outcome.settled else { return }
        client.dispatches[place].isChecked = true
        let seq = UInt64(place) + 1
        note(.client, client.number, place) { "#\(seq) ends: \(outcome)" }
        switch outcome {
        case .success(let position): checkReduced(seq, of: client, at: position)
        case .failure(let rejection): checkRejected(seq, of: client, rejection)
        }
        // In another history it may have ended otherwise.
        if let told = dispatched.told, told.isSuccess != outcome.isSuccess,
            truth.history(truth.position.epoch) == 0,
            !truth.wasForgotten(client.session.client, in: 0)
        {
            violate(.oneOutcome, "Client \(client.number)'s #\(seq) had ended as \(told) before.")
        }
    }

    private func checkReduced(_ seq: UInt64, of client: SimulatedClient, at position: Position) {
        let name = "Client \(client.number)'s #\(seq)"
        guard let history = truth.history(position.epoch),
            case .reduced(let version)? = truth.outcome(
                of: client.session.client, seq, in: history)
        else { return violate(.once, "\(name) was acked, and isn't in the log.") }
        if version > position.version {
            violate(.durable, "\(name) was acked at \(position.version); it led to \(version).")
        }
        for follow in client.follows where follow.mirror.isLive {
            guard let value = follow.mirror.value, let shown = follow.mirror.position,
                shown.epoch == position.epoch, shown.version < version,
                !isTrue(value, follow, client, at: position.version, in: history)
            else { continue }
            violate(.together, "\(name) was acked before \(self.name(follow, client)) shows it.")
        }
    }

    private func checkRejected(_ seq: UInt64, of client: SimulatedClient, _ rejection: Rejection) {
        let id = client.session.client
        let epochs = 0...(truth.history(truth.position.epoch) ?? 0)
        let isRecorded = epochs.contains { history in
            let outcome = truth.outcome(of: id, seq, in: history)
            switch rejection.code {
            case .outcomeUnknown where truth.wasForgotten(id, in: history): return true
            case .outboxFull: return outcome == nil
            default:
                guard case .rejected(let recorded)? = outcome else { return false }
                return recorded.code == rejection.code
            }
        }
        guard !isRecorded else { return }
        violate(
            .once,
            "Client \(client.number)'s #\(seq) was rejected (\(rejection)), and the log doesn't.")
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}

extension Checks {
    /// A record in the log is what its client dispatched under that number.
    func check(_ record: JournalRecord, _ client: SimulatedClient?, _ world: World) {
        guard let client, record.rejection == nil else { return }
        let place = Int(record.seq) - 1
        guard place < client.dispatches.count else {
            return world.violate(
                .once, "The log has #\(record.seq) of client \(client.number), who has no such.")
        }
        let recorded = client.dispatches[place].recorded
        let alike = record.actions.filter { $0.type == recorded.type }
        guard !alike.isEmpty, !alike.contains(recorded) else { return }
        world.violate(.once, "The log has another #\(record.seq) of client \(client.number).")
    }

    /// Everything has come to an end: now every mirror shows the state as it is, and every dispatch
    /// is in the log as its client was told.
    mutating func rest(_ world: World) {
        isAtRest = true
        world.note(.step, 0, 1) { "everything is at rest" }
        for outcome in world.process?.ownDispatches ?? [] where outcome.settled == nil {
            world.violate(.oneOutcome, "A dispatch of the server's own has no outcome.")
        }
        let there = world.clients.filter(\.isPresent).map { participantID(of: $0.session.client) }
        // A room that remembers fewer clients than it has may not know what it said itself.
        let remembersAll = world.scenario.limits.clients > world.scenario.clients
        if remembersAll, let present = world.truth.present, present != Set(there) {
            world.violate(
                .rest, "\(present.count) clients are there by the log; it should be \(there.count).")
        }
        for client in world.clients {
            for follow in client.follows { world.checkLast(follow, of: client) }
            for place in client.dispatches.indices { world.checkLast(place, of: client) }
        }
    }
}

extension World {
    fileprivate func checkLast(_ follow: Follow, of client: SimulatedClient) {
        let mirror = follow.mirror
        if let failure = mirror.failure {
            if failure.code == .forbidden,
                client.identities.contains(where: { !truth.admits($0, to: follow.topic) })
            {
                return
            }
            if failure.code.description == "too-many-subscriptions" { return }
            return violate(.truth, "\(name(follow, client)) has failed: \(failure)")
        }
        if mirror.isLive, !truth.admits(client.identity, to: follow.topic) {
            return violate(.truth, "\(name(follow, client)) shows what the client may not see.")
        }
        let end = truth.position
        guard let history = truth.history(end.epoch) else { return }
        let expected = truth.value(
            of: follow.topic, for: client.identity, at: end.version, in: history)
        guard mirror.value != expected else { return }
        violate(
            .truth,
            "\(name(follow, client)) shows \(mirror.value.map { "\($0)" } ?? "nothing") at the "
                + "end, where it is \(expected.map { "\($0)" } ?? "nothing").")
    }

    fileprivate func checkLast(_ place: Int, of client: SimulatedClient) {
        let (dispatched, seq) = (client.dispatches[place], UInt64(place) + 1)
        let name = "Client \(client.number)'s #\(seq)"
        if dispatched.outcome.isContradicted {
            return violate(.oneOutcome, "\(name) was given two outcomes.")
        }
        if dispatched.isChecked, dispatched.outcome.settled == nil { return }
        guard let outcome = dispatched.outcome.settled else {
            return violate(.oneOutcome, "\(name) has no outcome.")
        }
        guard let history = truth.history(truth.position.epoch) else { return }
        let last = truth.outcome(of: client.session.client, seq, in: history)
        switch (outcome, last) {
        case (.failure(let rejection), .reduced) where rejection.code != .outcomeUnknown:
            violate(.once, "\(name) was rejected, and is reduced in the log.")
        case (.success(let position), nil) where position.epoch == truth.position.epoch:
            violate(.once, "\(name) was acked, and isn't in the log.")
        default: break
        }
    }
}
