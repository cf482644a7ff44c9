import StorecastMirror
import StorecastRoom
import StorecastWire

extension World {
    /// The outcome that a client was told is that of the log.
    func checkOutcome(_ place: Int, of client: SimulatedClient) {
        let dispatched = client.dispatches[place]
        guard let outcome = dispatched.outcome.settled else { return }
        client.dispatches[place].isChecked = true
        client.dispatches[place].term = client.session.term
        let seq = UInt64(place) + 1
        note(.client, client.number, place) { "#\(seq) ends: \(outcome)" }
        switch outcome {
        case .success(let position): checkReduced(seq, of: client, at: position)
        case .failure(let rejection): checkRejected(seq, of: client, rejection)
        }
        // A client of an edge stays there while the room goes to a server that doesn't know it.
        if case .failure(let rejection) = outcome, rejection.code == .outcomeUnknown,
            cluster == nil,
            let connection = dispatched.connection, connection == client.connection?.number
        {
            violate(
                .once,
                "Client \(client.number) was connected, and #\(seq) was said to be forgotten.")
        }
        // In another history it may have another outcome.
        if let told = dispatched.told, told.isSuccess != outcome.isSuccess,
            model.histories == 1,
            !model.wasForgotten(client.session.client, in: 0)
        {
            violate(
                .oneOutcome, "Client \(client.number)'s #\(seq) had the outcome \(told) before.")
        }
    }

    private func checkReduced(_ seq: UInt64, of client: SimulatedClient, at position: Position) {
        let name = "Client \(client.number)'s #\(seq)"
        guard let history = history(of: position, for: client),
            case .reduced(let version)? = model.outcome(
                of: client.session.client, seq, in: history)
        else { return violate(.once, "\(name) was acked, and isn't in the log.") }
        if version > position.version {
            violate(.durable, "\(name) was acked at \(position.version); it led to \(version).")
        }
        for subscription in client.subscriptions where subscription.mirror.isLive {
            guard let value = subscription.mirror.value, let shown = subscription.mirror.position,
                shown.epoch == position.epoch, shown.version < version,
                // Or that of later: a value that changes and changes back isn't sent.
                !versions(from: position, in: history).contains(where: {
                    isTrue(value, subscription, client, at: $0, in: history)
                })
            else { continue }
            violate(
                .together, "\(name) was acked before \(self.name(subscription, client)) shows it.")
        }
    }

    private func checkRejected(_ seq: UInt64, of client: SimulatedClient, _ rejection: Rejection) {
        let id = client.session.client
        let isRecorded = (0..<model.histories).contains { history in
            let outcome = model.outcome(of: id, seq, in: history)
            switch rejection.code {
            case .outcomeUnknown where model.wasForgotten(id, in: history): return true
            case .outboxFull: return outcome == nil
            default:
                guard case .rejected(let recorded)? = outcome else { return false }
                return recorded.code == rejection.code
            }
        }
        guard !isRecorded else { return }
        violate(
            .once,
            "Client \(client.number)'s #\(seq) was rejected (\(rejection)), but not in the log.")
    }

    /// No client that is connected is forgotten.
    private func checkForgotten(_ forgotten: ForgetClients, by server: ServerProcess?) {
        for session in server?.connections.compactMap(\.session) ?? []
        where session.phase == .live && server?.front == nil {
            let mark = ClientLedger.mark(of: session.client)
            guard forgotten.clients.contains(mark) else { continue }
            violate(.once, "The room forgets client \(session.client), which is connected.")
        }
    }

    /// A record in the log has the actions that its client dispatched under that number.
    func check(_ record: JournalRecord, keptBy server: ServerProcess?) {
        for action in record.actions where action.type == ForgetClients.wireName {
            checkForgotten(
                decoded { try JSONCoding.decode(from: JSONDocument(action.payload).root) },
                by: server)
        }
        guard let client = self.client(withID: record.client), record.rejection == nil else {
            return
        }
        let place = Int(record.seq) - 1
        guard place < client.dispatches.count else {
            return violate(
                .once, "The log has #\(record.seq), which client \(client.number) never sent.")
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
