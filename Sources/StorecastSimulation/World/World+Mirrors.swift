import StorecastMirror
import StorecastSync
import StorecastWire

extension World {
    /// The mirror shows what its selection was at its version, and has only moved forward.
    func check(_ follow: Follow, of client: SimulatedClient) {
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
    func isTrue(
        _ value: JSON, _ follow: Follow, _ client: SimulatedClient, at version: UInt64,
        in history: Int
    ) -> Bool {
        client.identities.reversed().contains { viewer in
            truth.value(of: follow.topic, for: viewer, at: version, in: history) == value
        }
    }

    /// All mirrors that the server keeps up to date are right for the newest of their versions.
    func checkTogether(_ client: SimulatedClient) {
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

    func name(_ follow: Follow, _ client: SimulatedClient) -> String {
        "Client \(client.number)'s mirror \(follow.topic.name)"
    }
}
