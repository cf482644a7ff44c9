import StorecastMirror
import StorecastSync
import StorecastWire

extension World {
    func perform(_ step: Scenario.Step) {
        var random = SeededGenerator(seed: step.seed)
        note(.step, step.operation.client ?? -1, 0) { "\(step.operation)" }
        if let number = step.operation.client {
            let client = clients[number]
            client.touch()
            perform(step.operation, client, &random)
            client.scheduleFlush()
        } else {
            performOnServer(step.operation, &random)
        }
    }

    private func perform(
        _ operation: Operation, _ client: SimulatedClient, _ random: inout SeededGenerator
    ) {
        switch operation {
        case .arrive: client.arrive()
        case .leave: leave(client, &random)
        case .crash: crash(client, &random)
        case .dispatch(_, let count): for _ in 0..<count { dispatch(from: client, &random) }
        case .subscribe: subscribe(client, &random)
        case .unsubscribe: unsubscribe(client, &random)
        case .renew: renew(client, &random)
        case .reconnect: reconnect(client, &random)
        case .fillDisk:
            client.storage?.failure = Rejection(.outboxUnwritable, "The disk is full.")
        case .emptyDisk: client.storage?.failure = nil
        case .flood: flood(client, &random)
        case .cut: if let connection = client.connection { breakUp(connection, &random) }
        case .stall: client.connection?.stall(for: random.duration(upTo: .seconds(20)))
        case .block: client.connection?.block(for: random.duration(upTo: .seconds(20)))
        default: break
        }
    }

    private func performOnServer(_ operation: Operation, _ random: inout SeededGenerator) {
        touchServer()
        let server = cluster == nil ? process : running.isEmpty ? nil : random.pick(running)
        switch operation {
        case .crashServer: server?.crashSoon(after: random.below(12))
        case .restoreServer:
            guard let server else { return }
            server.crash()
            restoreJournal(&random)
        case .stopServer: server?.stop()
        case .dispatchOnServer: server?.dispatch(&random)
        // A log that servers share fails in its own ways.
        case .journal(let fault): if cluster == nil { faults.append(fault) }
        case .stand: server?.stand(for: random.duration(upTo: .seconds(20)))
        case .giveRoom: server?.member?.giveRoom {}
        case .part:
            if let server {
                part(server, random.pick(running), for: random.duration(upTo: .seconds(20)))
            }
        case .cutOff:
            if let server { cluster?.cutOff(server, for: random.duration(upTo: .seconds(20))) }
        default: break
        }
    }

    private func crash(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        if let connection = client.connection { breakUp(connection, &random) }
        guard client.wasActive else { return }
        replace(client, &random)
        let new = clients[client.number]
        guard new.storage != nil, scenario.limits.clients < 10, random.happens(oneIn: 2) else {
            return new.arrive()
        }
        // The room may have forgotten it when it comes back.
        new.wasActive = true
        new.after(random.duration(upTo: .seconds(60))) { new.arrive() }
    }

    private func dispatch(from client: SimulatedClient, _ random: inout SeededGenerator) {
        if hasRareActions { dispatchRareAction(from: client, random) }
        guard !room.kinds.isEmpty else { return }
        let kind = room.kinds[random.place(in: room.kinds.map(\.weight))]
        let action = kind.draw(&random, client.identity)
        let type = type(of: action).wireName
        let payload = encoded { try JSONCoding.encode(action) }
        let isUnknown = random.happens(oneIn: 40)
        client.dispatch(
            OutgoingAction(
                type: isUnknown ? "no-such-action" : type, payload: payload,
                action: isUnknown ? nil : action),
            shownAt: client.subscriptions.isEmpty ? nil : random.below(client.subscriptions.count))
    }

    /// Draws from a copy of `random`, so that all other draws are what they were without it.
    private func dispatchRareAction(from client: SimulatedClient, _ random: SeededGenerator) {
        var random = random
        random = SeededGenerator(seed: random.next(), for: .rareActions)
        guard !room.rareKinds.isEmpty, random.happens(oneIn: 3) else { return }
        let action = random.pick(room.rareKinds).draw(&random, client.identity)
        let payload = encoded { try JSONCoding.encode(action) }
        client.dispatch(
            OutgoingAction(type: type(of: action).wireName, payload: payload, action: action),
            shownAt: nil)
    }

    private func subscribe(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        guard !room.mirroredSelections.isEmpty else { return }
        let selection = random.pick(room.mirroredSelections)
        let parameters = selection.parameters(&random)
        client.subscribe(topic(selection.selection, parameters), selection.view(parameters))
    }

    private func unsubscribe(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        guard !client.subscriptions.isEmpty else { return }
        client.unsubscribe(random.below(client.subscriptions.count))
    }

    private func renew(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        let others = room.people.filter { $0.id.isSameText(as: client.identity.id) }
        client.renew(as: random.pick(others))
        // So that dispatches are under way while the server authenticates.
        if random.happens(oneIn: 2) { dispatch(from: client, &random) }
    }

    /// It may have other roles when it comes back.
    private func leave(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        client.leave()
        if random.happens(oneIn: 2) { renew(client, &random) }
    }

    /// Dispatches first, so that the outcome may be lost with the old connection, and subscribes
    /// during the new handshake. With several loops it may connect a few times more before the
    /// room's loop knows of the last connection.
    private func reconnect(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        dispatch(from: client, &random)
        let seed = random.next()
        var random = SeededGenerator(seed: seed)
        client.later(random.duration(upTo: .milliseconds(500))) { [self] in
            client.reconnect()
            var again = SeededGenerator(seed: seed, for: .loops)
            if scenario.loops > 1 {
                for _ in 0..<again.below(4) {
                    client.after(again.duration(upTo: .milliseconds(200))) { client.reconnect() }
                }
            }
            client.later(random.duration(upTo: .milliseconds(300))) { [self] in
                subscribe(client, &random)
                client.scheduleFlush()
            }
        }
    }

    private func flood(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        guard let connection = client.connection, client.session.phase == .live else { return }
        connection.block(for: random.duration(upTo: .seconds(5)))
        var batch = JSONWriter()
        batch.beginArray()
        for _ in 0..<100 { batch.writePing() }
        batch.endArray()
        // A pong takes about 25 bytes.
        let most = min(mostWaitingBytes / 25 * 2, 2500)
        for _ in 0...random.below(most / 100 + 1) { client.send(batch.bytes, on: connection) }
    }
}
