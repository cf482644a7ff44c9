import StorecastMirror
import StorecastSync
import StorecastWire

extension World {
    /// An optimistic mirror shows each of its client's actions exactly once, however far the log,
    /// the acknowledgements and the mirror have come.
    func checkShown(_ follow: Follow, of client: SimulatedClient) {
        // Of a value that the server has stopped to keep up to date nothing is promised.
        guard follow.mirror.failure == nil,
            let view = follow.view, let value = follow.mirror.value,
            let position = follow.mirror.position,
            let history = truth.history(position.epoch),
            // Of a client that was forgotten nobody can tell what is in a value.
            !truth.wasForgotten(client.session.client, in: history)
        else { return }
        let expected = expected(follow, of: client, on: position.version, in: history, value)
        guard view.shown != expected else { return }
        // A value that came late may be that of a later version than the one that it has by name.
        if let heard = client.session.position, heard.epoch == position.epoch,
            truth.value(of: follow.topic, for: client.identity, at: heard.version, in: history)
                == value,
            view.shown
                == self.expected(follow, of: client, on: heard.version, in: history, value)
        {
            return
        }
        violate(
            .optimism,
            "Client \(client.number)'s mirror \(follow.topic.name) shows "
                + "\(view.shown.map { "\($0)" } ?? "nothing") on version \(position.version), "
                + "where its pending actions make it \(expected.map { "\($0)" } ?? "nothing").")
    }

    /// What the mirror should show on a value that holds everything up to a version.
    private func expected(
        _ follow: Follow, of client: SimulatedClient, on version: UInt64, in history: Int,
        _ value: JSON
    ) -> JSON? {
        let position = Position(epoch: truth.epoch(of: history), version: version)
        let shown = client.dispatches.indices.filter {
            isShown($0, of: client, on: position, in: history)
        }
        return follow.view?.truth(value, with: shown.compactMap { client.dispatches[$0].action })
    }

    /// Whether the dispatch's effect comes on top of the log as of `position`.
    private func isShown(
        _ place: Int, of client: SimulatedClient, on position: Position, in history: Int
    ) -> Bool {
        let seq = UInt64(place) + 1
        let outcome = truth.outcome(of: client.session.client, seq, in: history)
        let isInLog =
            if case .reduced(let version)? = outcome { version <= position.version } else { false }
        switch client.dispatches[place].outcome.settled {
        case nil where client.isLost(place): return false
        case nil:
            // A rejection that isn't told yet, as it isn't stored yet, is shown already.
            if client.storage != nil, !client.session.isPending(seq) { return false }
            return !isInLog
        case .failure: return false
        case .success(let acked): return acked.epoch == position.epoch && !isInLog
        }
    }
}
