import StorecastMirror
import StorecastRoom
import StorecastWire

extension World {
    func checkOutcome(_ place: Int, of client: SimulatedClient) {
        let dispatched = client.dispatches[place]
        guard let outcome = dispatched.outcome.settled else { return }
        client.dispatches[place].isChecked = true
        let seq = UInt64(place) + 1
        note(.client, client.number, place) { "#\(seq) ends: \(outcome)" }
        switch outcome {
        case .success(let position): checkReduced(seq, of: client, at: position)
        case .failure(let rejection): checkRejected(seq, of: client, rejection)
        }
        if case .failure(let rejection) = outcome, rejection.code == .outcomeUnknown,
            let connection = dispatched.connection, connection == client.connection?.number
        {
            violate(
                .once,
                "Client \(client.number)'s #\(seq) is said to be forgotten, and it was connected.")
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

    /// Whoever is connected isn't forgotten.
    private func checkForgotten(_ forgotten: ForgetClients) {
        for session in process?.connections.compactMap(\.session) ?? [] where session.phase == .live
        {
            let mark = ClientLedger.mark(of: session.client)
            guard forgotten.clients.contains(mark) else { continue }
            violate(.once, "The room forgets client \(session.client), which is connected.")
        }
    }

    /// A record in the log is what its client dispatched under that number.
    func check(_ record: JournalRecord) {
        for action in record.actions where action.type == ForgetClients.wireName {
            checkForgotten(
                decoded { try JSONCoding.decode(from: JSONDocument(action.payload).root) })
        }
        guard let client = owner(of: record.client), record.rejection == nil else { return }
        let place = Int(record.seq) - 1
        guard place < client.dispatches.count else {
            return violate(
                .once, "The log has #\(record.seq) of client \(client.number), who has no such.")
        }
        let recorded = client.dispatches[place].recorded
        let alike = record.actions.filter { $0.type == recorded.type }
        guard !alike.isEmpty, !alike.contains(recorded) else { return }
        violate(.once, "The log has another #\(record.seq) of client \(client.number).")
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
