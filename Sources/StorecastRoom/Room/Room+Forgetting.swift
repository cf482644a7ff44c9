import StorecastWire

/// What a room knows besides its log when it decides whom to forget.
struct Forgetting {
    /// The networks of anonymous clients in the ledger, by client id, as far as this process has
    /// seen them connect.
    fileprivate(set) var networks: [String: String] = [:]
    /// Whether every client was connected when it was last tried, and none has left since.
    fileprivate var isFutile = false
    /// The clients that an entry under way forgets.
    fileprivate var underway = ClientMarks()
    fileprivate var waiting: [() -> Void] = []

    mutating func joined(_ session: ServerSession) {
        guard session.identity.id.isEmpty, let network = session.link?.peerNetwork,
            !network.isEmpty
        else { return }
        networks[session.client] = network
    }
}

/// Forgetting is an entry of the log like any other: the room decides, as only it knows who is
/// connected, and whoever reads the log does the same.
extension Room {
    /// Whether there is something to forget.
    var mayForget: Bool {
        guard queue.postponed.isEmpty else { return false }
        return ledger.rejectionCount > limits.rejections
            || ledger.count > limits.clients && !forgetting.isFutile
    }

    /// The client is gone, and nothing of it is under way.
    func left(_ client: String) {
        forgetting.isFutile = false
        if ledger[client: client] == nil, orphans[client] == nil {
            forgetting.networks[client] = nil
        }
    }

    /// Adds to the batch what the log should forget, if that is due: at the batch's end, so that
    /// nothing in it is of a client that is forgotten.
    func forgetSurplus() {
        guard mayForget, phase == .ready else { return }
        let underway = Set(queue.batch.map(\.client))
        let surplus = ledger.surplus(
            limits,
            isNeeded: { [sessions, own] client in
                sessions[client] != nil || underway.contains(client) || client == own.client
            },
            holder: { [forgetting] client, record in
                ExactString(
                    record.identity.isEmpty
                        // Clients of an earlier process have no known network: each is a holder of
                        // its own.
                        ? forgetting.networks[client] ?? client : "as " + record.identity)
            })
        forgetting.isFutile = ledger.count > limits.clients && surplus?.clients.isEmpty != false
        guard let surplus else { return }
        enqueueOwn(.server) { _ in [surplus] }
        forgetting.underway = ClientMarks(surplus.clients)
    }

    /// The journal has answered: it is certain again who is forgotten.
    func endForgetting() {
        guard !forgetting.underway.isEmpty else { return }
        forgetting.underway = ClientMarks()
        let waiting = forgetting.waiting
        forgetting.waiting = []
        for body in waiting { body() }
    }

    /// The log has forgotten clients: their networks aren't needed any more.
    func forgot() {
        forgetting.networks = forgetting.networks.filter { client, _ in
            ledger[client: client] != nil || sessions[client] != nil
        }
    }

    /// Raises the base of entries that can't be from before something was forgotten, so that they
    /// don't count as expired.
    func vouch() {
        guard ledger.horizon > 0 else { return }
        for place in queue.batch.indices {
            let entry = queue.batch[place]
            guard entry.isVouchedFor || entry.client == own.client else { continue }
            let horizon = ledger[client: entry.client]?.horizon ?? ledger.horizon
            if entry.base < horizon { queue.batch[place].base = horizon }
        }
    }

    package func isCertain(of client: String) -> Bool { !forgetting.underway.contains(client) }

    package func whenCertain(of client: String, _ body: @escaping () -> Void) {
        if isCertain(of: client) { body() } else { forgetting.waiting.append(body) }
    }
}
