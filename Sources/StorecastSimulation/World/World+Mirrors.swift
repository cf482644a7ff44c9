import StorecastMirror
import StorecastSync
import StorecastWire

extension World {
    /// The mirror shows its selection's value at its version, and has only moved forward.
    func check(_ subscription: SimulatedSubscription, of client: SimulatedClient) {
        guard let position = subscription.mirror.position, let value = subscription.mirror.value,
            subscription.isChanged || subscription.position != position
        else { return }
        subscription.isChanged = false
        let term = term(of: position, subscription, client)
        guard let history = model.history(of: position, in: term) else {
            return violate(.truth, "\(name(subscription, client)) is at \(position), nowhere.")
        }
        if let last = subscription.position, last.epoch == position.epoch,
            last.version > position.version
        {
            violate(
                .forward, "\(name(subscription, client)) went back from \(last) to \(position).")
        }
        (subscription.position, subscription.term) = (position, term)
        check(value, of: subscription, client, at: position.version, in: history)
    }

    /// In which term a mirror has reached a position: what was before a welcome is as it was until
    /// the server answers.
    private func term(
        of position: Position, _ subscription: SimulatedSubscription, _ client: SimulatedClient
    ) -> String? {
        let isOfNow = position.epoch == client.session.position?.epoch
        return isOfNow ? client.session.term : subscription.term
    }

    /// A client hears of another epoch only if what it has seen is lost.
    func checkEpoch(of client: SimulatedClient) {
        let (before, term) = client.seen
        client.seen = (client.session.position, client.session.term)
        guard let before, let now = client.session.position, before.epoch != now.epoch,
            model.history(of: before, in: term) == model.histories - 1
        else { return }
        violate(.forward, "Client \(client.number) had seen \(before), and begins anew at \(now).")
    }

    private func check(
        _ value: JSON, of subscription: SimulatedSubscription, _ client: SimulatedClient,
        at version: UInt64,
        in history: Int
    ) {
        if isTrue(value, subscription, client, at: version, in: history) {
            let viewers = client.identities
            if model.mayShow(value, of: subscription.topic, to: viewers, in: history) { return }
            return violate(
                .truth, "\(name(subscription, client)) shows \(value), which it might never have.")
        }
        let expected = model.value(
            of: subscription.topic, for: client.identity, at: version, in: history)
        violate(
            .truth,
            "\(name(subscription, client)) shows \(value) at version \(version), where "
                + (expected.map { "it was \($0)." } ?? "the log hasn't come to yet."))
    }

    /// Whether the value is that of the selection, for any identity that the client has had.
    func isTrue(
        _ value: JSON, _ subscription: SimulatedSubscription, _ client: SimulatedClient,
        at version: UInt64,
        in history: Int
    ) -> Bool {
        client.identities.reversed().contains { viewer in
            model.value(of: subscription.topic, for: viewer, at: version, in: history) == value
        }
    }

    /// All live mirrors of a client show the values at one version: the newest of theirs, or a later
    /// one, as a value that changes and changes back isn't sent.
    func checkTogether(_ client: SimulatedClient) {
        guard client.subscriptions.count > 1 else { return }
        let live = client.subscriptions.filter { $0.mirror.isLive && $0.mirror.value != nil }
        guard let newest = live.compactMap(\.position).max(by: { $0.version < $1.version }),
            let history = history(of: newest, for: client)
        else { return }
        func late(at version: UInt64) -> SimulatedSubscription? {
            live.first { subscription in
                guard let value = subscription.mirror.value,
                    let position = subscription.position, position.epoch == newest.epoch,
                    position.version != version
                else { return false }
                return !isTrue(value, subscription, client, at: version, in: history)
            }
        }
        guard versions(from: newest, in: history).allSatisfy({ late(at: $0) != nil }),
            let late = late(at: newest.version)
        else { return }
        violate(
            .together,
            "\(name(late, client)) is behind another that is at \(newest.version).")
    }

    /// A position's version, and all that came later in its history, though it be lost by now.
    func versions(from position: Position, in history: Int) -> ClosedRange<UInt64> {
        position.version...max(position.version, model.lastVersion(in: history))
    }

    func name(_ subscription: SimulatedSubscription, _ client: SimulatedClient) -> String {
        "Client \(client.number)'s mirror \(subscription.topic.name)"
    }
}

extension World {
    /// An optimistic mirror shows each of its client's actions exactly once, in whatever order the
    /// log, the acknowledgements and the mirror move.
    func checkShown(_ subscription: SimulatedSubscription, of client: SimulatedClient) {
        // Nothing is promised of a value that the server no longer updates.
        guard subscription.mirror.failure == nil,
            let view = subscription.view, let value = subscription.mirror.value,
            let position = subscription.mirror.position,
            let history = model.history(
                of: position, in: term(of: position, subscription, client)),
            // When a client was forgotten, it is unknown which of its actions are in a value.
            !model.wasForgotten(client.session.client, in: history)
        else { return }
        let expected = expected(subscription, of: client, on: position.version, in: history, value)
        guard view.shown != expected else { return }
        // A resumed value may be newer than the version that it is labelled with.
        if let heard = client.session.position, heard.epoch == position.epoch,
            model.value(
                of: subscription.topic, for: client.identity, at: heard.version, in: history)
                == value,
            view.shown
                == self.expected(subscription, of: client, on: heard.version, in: history, value)
        {
            return
        }
        violate(
            .optimism,
            "Client \(client.number)'s mirror \(subscription.topic.name) shows "
                + "\(view.shown.map { "\($0)" } ?? "nothing") on version \(position.version), "
                + "where its pending actions make it \(expected.map { "\($0)" } ?? "nothing").")
    }

    /// What the mirror should show on a value that contains everything up to a version.
    private func expected(
        _ subscription: SimulatedSubscription, of client: SimulatedClient, on version: UInt64,
        in history: Int,
        _ value: JSON
    ) -> JSON? {
        let epoch = subscription.mirror.position?.epoch ?? ""
        let position = Position(epoch: epoch, version: version)
        let shown = client.dispatches.indices.filter {
            isShown($0, of: client, on: position, in: history)
        }
        return subscription.view?.expected(
            on: value, with: shown.compactMap { client.dispatches[$0].action })
    }

    /// Whether the dispatch is shown on top of the log as of `position`.
    private func isShown(
        _ place: Int, of client: SimulatedClient, on position: Position, in history: Int
    ) -> Bool {
        let seq = UInt64(place) + 1
        let outcome = model.outcome(of: client.session.client, seq, in: history)
        let isInLog =
            if case .reduced(let version)? = outcome { version <= position.version } else { false }
        switch client.dispatches[place].outcome.settled {
        case nil where client.isLost(place): return false
        case nil:
            // A rejection takes effect in the mirror before it is stored and told.
            if client.storage != nil, !client.session.isPending(seq) { return false }
            return !isInLog
        case .failure: return false
        case .success(let acked):
            // What is lost since isn't shown any more.
            let term = client.dispatches[place].term
            return acked.epoch == position.epoch && !isInLog
                && model.history(of: acked, in: term) == history
        }
    }
}
