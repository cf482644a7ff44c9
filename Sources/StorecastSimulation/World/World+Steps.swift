import StorecastMirror
import StorecastSync
import StorecastWire

extension World {
    func perform(_ step: Scenario.Step) {
        var random = SeededGenerator(seed: step.seed)
        note(.step, step.deed.client ?? -1, 0) { "\(step.deed)" }
        if let number = step.deed.client {
            let client = clients[number]
            client.touch()
            perform(step.deed, client, &random)
            client.scheduleFlush()
        } else {
            performOnServer(step.deed, &random)
        }
    }

    private func perform(
        _ deed: Deed, _ client: SimulatedClient, _ random: inout SeededGenerator
    ) {
        switch deed {
        case .arrive: client.arrive()
        case .leave: leave(client, &random)
        case .crash: crash(client, &random)
        case .dispatch(_, let count): for _ in 0..<count { dispatch(from: client, &random) }
        case .follow: follow(client, &random)
        case .unfollow: unfollow(client, &random)
        case .renew: renew(client, &random)
        case .reconnect: reconnect(client, &random)
        case .fillDisk:
            client.storage?.failure = Rejection(.outboxUnwritable, "The disk is full.")
        case .emptyDisk: client.storage?.failure = nil
        case .pester: pester(client, &random)
        case .cut: if let connection = client.connection { breakUp(connection, &random) }
        case .stall: client.connection?.stall(for: random.duration(upTo: .seconds(20)))
        case .block: client.connection?.block(for: random.duration(upTo: .seconds(20)))
        default: break
        }
    }

    private func performOnServer(_ deed: Deed, _ random: inout SeededGenerator) {
        touchServer()
        switch deed {
        case .crashServer: process?.crashSoon(after: random.below(12))
        case .restoreServer:
            guard let process else { return }
            process.crash()
            restoreJournal(&random)
        case .stopServer: process?.stop()
        case .dispatchOnServer: process?.dispatch(&random)
        case .journal(let fault): faults.append(fault)
        default: break
        }
    }

    private func crash(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        if let connection = client.connection { breakUp(connection, &random) }
        guard client.wasThere else { return }
        replace(client, &random)
        let new = clients[client.number]
        guard new.storage != nil, scenario.limits.clients < 10, random.happens(oneIn: 2) else {
            return new.arrive()
        }
        // It may have been forgotten by the time that it is back.
        new.wasThere = true
        new.after(random.duration(upTo: .seconds(60))) { new.arrive() }
    }

    private func dispatch(from client: SimulatedClient, _ random: inout SeededGenerator) {
        if hasRarities { dispatchRarity(from: client, random) }
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
            shownAt: client.follows.isEmpty ? nil : random.below(client.follows.count))
    }

    /// At times, and so that those of whom `random` is draw what they did without it.
    private func dispatchRarity(from client: SimulatedClient, _ random: SeededGenerator) {
        var random = random
        random = SeededGenerator(seed: random.next(), for: .rarity)
        guard !room.rareKinds.isEmpty, random.happens(oneIn: 3) else { return }
        let action = random.pick(room.rareKinds).draw(&random, client.identity)
        let payload = encoded { try JSONCoding.encode(action) }
        client.dispatch(
            OutgoingAction(type: type(of: action).wireName, payload: payload, action: action),
            shownAt: nil)
    }

    private func follow(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        guard !room.interests.isEmpty else { return }
        let interest = random.pick(room.interests)
        let parameters = interest.parameters(&random)
        client.follow(topic(interest.selection, parameters), interest.view(parameters))
    }

    private func unfollow(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        guard !client.follows.isEmpty else { return }
        client.unfollow(random.below(client.follows.count))
    }

    private func renew(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        let others = room.people.filter { $0.id.isSameText(as: client.identity.id) }
        client.renew(as: random.pick(others))
        // What is under way while the server looks at the token is of interest.
        if random.happens(oneIn: 2) { dispatch(from: client, &random) }
    }

    /// At times it has other roles when it comes back.
    private func leave(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        client.leave()
        if random.happens(oneIn: 2) { renew(client, &random) }
    }

    /// What it has just dispatched may be reduced by then, and its outcome lost on its way; what it
    /// asks for while it is greeted is answered later than the rest. Between loops it may connect
    /// a few times more before the room has heard of the last connection.
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
                follow(client, &random)
                client.scheduleFlush()
            }
        }
    }

    private func pester(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        guard let connection = client.connection, client.session.phase == .live else { return }
        connection.block(for: random.duration(upTo: .seconds(5)))
        var batch = JSONWriter()
        batch.beginArray()
        for _ in 0..<100 { batch.writePing() }
        batch.endArray()
        // A pong takes some 25 bytes.
        let most = min(mostWaitingBytes / 25 * 2, 2500)
        for _ in 0...random.below(most / 100 + 1) { client.say(batch.bytes, on: connection) }
    }
}
