import StorecastSync
import StorecastWire

/// From hello to welcome: how a client, or an edge, is let in.
extension ServerSession {
    func begin(_ hello: ClientFrame.Hello) {
        guard hello.proto == UInt64(ProtocolVersion.number) else {
            return close(
                .unsupportedVersion, "This server speaks version \(ProtocolVersion.number).")
        }
        guard !isTooLong(hello.token) else { return }
        spend(Self.helloWork)
        var hello = hello
        // None of ours is so long; an edge would keep it.
        if let seen = hello.seen, seen.epoch.utf8.count > 128 { hello.seen = nil }
        if let term = hello.term, term.utf8.count > 64 { hello.term = "" }
        self.hello = hello
        origin = DispatchOrigin(client: hello.client, sender: .anonymous)
        connection = hello.connection
        takesParts = (hello.parts ?? 0) >= SnapshotPart.form
        phase = .authenticating
        if isPassedOn {
            guard let identity = hello.identity else {
                return violate("An edge says whose hello it is.")
            }
            return authenticated(loop.admitted(Identity(vouched: identity)))
        }
        if hello.edge != nil {
            guard hello.edge == EdgeClients.form else {
                return close(
                    .unsupportedVersion, "This server knows edges of form \(EdgeClients.form).")
            }
            guard loop.admitsEdge(hello.token, to: room.name) else {
                return close(.unauthenticated, "No edge with this key is let in.")
            }
            return authenticated(.success(.server))
        }
        loop.authenticate(self, token: hello.token)
    }

    func loaded(_ room: RoomPhase, _ identity: Identity) {
        guard phase == .authenticating else { return }
        guard room == .ready, let hello else { return refuse(self.room.failure) }
        if let standing = self.room.standing(of: hello) { return placed(standing, identity) }
        // Whoever may not come in asks for nothing.
        guard hello.edge != nil || self.room.refusal(ofEntryTo: identity) == nil else {
            return placed(.epoch(self.room.position.epoch), identity)
        }
        self.room.askWhetherAlone { [weak self] isAlone in
            guard let self, phase == .authenticating else { return }
            placed(isAlone == true ? .epoch(self.room.renamedEpoch()) : .ahead, identity)
        }
    }

    private func placed(_ standing: Standing, _ identity: Identity) {
        guard case .epoch(let epoch) = standing else {
            room.doubt()
            return close(.behind, "This server hasn't reached what the client has seen yet.")
        }
        self.epoch = epoch
        if room.isCertain(of: client) { return welcome(identity) }
        room.whenCertain(of: client) { [weak self] in
            if let self, phase == .authenticating { welcome(identity) }
        }
    }

    /// Its client hears of another term from now on.
    func tellTerm() {
        if phase == .live, let term = room.term { reply(.term(term)) }
    }

    private func welcome(_ identity: Identity) {
        guard let hello, !isRevoked(identity) else { return }
        // The room may have taken long to open.
        guard !isOver(identity) else {
            return close(.expired, "The token has expired.", jitter: 1)
        }
        if hello.edge != nil, !isPassedOn { return welcomeEdge() }
        // Also of one that isn't let in: whoever hears of that wants to know who it was.
        origin = DispatchOrigin(client: client, sender: identity)
        coming = identity
        let admission = room.admit(self, hello)
        if case .later = admission { return }
        admitted(admission)
    }

    private func refuse(_ refusal: Admission.Refusal) {
        close(refusal.code, refusal.title, after: refusal.after, jitter: refusal.jitter)
    }

    /// The room lets the client in, or doesn't.
    func admitted(_ admission: Admission) {
        guard phase == .authenticating, let hello, let coming else { return }
        self.coming = nil
        switch admission {
        case .later: self.coming = coming
        case .refused(let refusal): refuse(refusal)
        case .welcome(let lastSeq, let rejected):
            // It may have waited long.
            guard !isRevoked(coming) else { return }
            guard !isOver(coming) else {
                return close(.expired, "The token has expired.", jitter: 1)
            }
            phase = .live
            // The client's last connection doesn't count any more.
            guard
                identity.id.isEmpty || isBoundElsewhere
                    || enter(.identity(ExactString(identity.id)))
            else {
                flushes.counts.reached("connections-per-identity")
                return close(
                    .full, "The identity has as many connections as it may.", after: 10,
                    jitter: 10)
            }
            noteExpiry(of: coming)
            dispatches = DispatchWindow(known: max(lastSeq, hello.settled ?? 0))
            begin(lastSeq, rejected)
        }
    }

    /// An edge is let in, whose clients are to come.
    private func welcomeEdge() {
        phase = .live
        takesParts = false
        for sender in senders { loop.senders.leave(sender, at: loop.seconds) }
        senders = []
        accounts = [SenderAccounts.unbounded()]
        clients = EdgeClients(of: self, on: loop)
        begin(0, [])
    }

    private func begin(_ lastSeq: UInt64, _ rejected: [ServerFrame.Reject]) {
        reply(
            .welcome(
                ServerFrame.Welcome(
                    position: Position(epoch: epoch, version: room.position.version),
                    term: room.term, lastSeq: lastSeq, rejected: rejected,
                    heartbeat: UInt64(room.limits.heartbeat), limits: room.limits.frame,
                    server: Software.nameAndVersion,
                    // An edge tells its clients itself.
                    identity: isBoundElsewhere ? nil : identity.vouched,
                    parts: takesParts ? SnapshotPart.form : nil)))
        self.hello = nil
        link?.note(.entered)
        inbox.putBack(held, bytes: heldBytes)
        (held, heldBytes) = ([], 0)
        takeFrames()
    }
}
