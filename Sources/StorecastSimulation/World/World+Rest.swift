import StorecastMirror
import StorecastSync
import StorecastWire

extension World {
    /// Everything has come to an end: now every mirror shows the state as it is, and every dispatch
    /// is in the log as its client was told.
    func rest() {
        checks.isAtRest = true
        note(.step, 0, 1) { "everything is at rest" }
        for outcome in process?.ownDispatches ?? [] where outcome.settled == nil {
            violate(.oneOutcome, "A dispatch of the server's own has no outcome.")
        }
        let there = clients.filter(\.isOnline).map { participantID(of: $0.session.client) }
        if let present = truth.present, present != Set(there) {
            violate(
                .rest, "\(present.count) clients are there by the log; it should be \(there.count)."
            )
        }
        for client in clients {
            for follow in client.follows { checkLast(follow, of: client) }
            for place in client.dispatches.indices { checkLast(place, of: client) }
        }
    }

    private func checkLast(_ follow: Follow, of client: SimulatedClient) {
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
        guard let history = truth.history(truth.position.epoch) else { return }
        let last = truth.outcome(of: client.session.client, seq, in: history)
        switch (outcome, last) {
        case (.failure(let rejection), .reduced)
        where rejection.code != .outcomeUnknown
            && !truth.wasForgotten(client.session.client, in: history):
            violate(.once, "\(name) was rejected, and is reduced in the log.")
        case (.success(let position), nil) where position.epoch == truth.position.epoch:
            violate(.once, "\(name) was acked, and isn't in the log.")
        default: break
        }
    }
}
