package import StorecastSync
import StorecastWire

/// Whose the connection is: the answers to its tokens, how long they hold, and what they allow.
extension ServerSession {
    /// The answer to the token of `hello` or `authenticate`.
    package func authenticated(_ result: Result<Identity, Rejection>) {
        switch (phase, result) {
        case (.awaitingHello, _), (.closed, _): break
        case (.live, .failure(let rejection)) where rejection.retryable:
            // What it had before still holds, until it expires.
            revocations = []
            checkNext()
        case (_, .failure(let rejection)) where rejection.retryable:
            let after = (rejection.retryAfter ?? .zero) / .seconds(1)
            close(.busy, rejection.description, after: after, jitter: 5)
        case (_, .failure(let rejection)):
            close(
                rejection.code == .forbidden ? .forbidden : .unauthenticated,
                rejection.description)
        case (_, .success(let identity)) where isOver(identity):
            close(.unauthenticated, "The token has expired.")
        case (.authenticating, .success(let identity)):
            if room.phase != .loading { return loaded(room.phase, identity) }
            // Only if it has to wait: to count references to an object that was once referred to
            // weakly takes twice as long.
            room.whenLoaded { [weak self] in self?.loaded($0, identity) }
        case (.live, .success(let new)):
            renew(new)
            if phase == .live { checkNext() }
        }
    }

    private func checkNext() {
        if let token = renewal.end() { loop.authenticate(self, token: token) }
    }

    /// Whether the token is longer than any may be; closes the connection then.
    func isTooLong(_ token: String?) -> Bool {
        guard let token, token.utf8.count > room.limits.tokenBytes else { return false }
        flushes.counts.reached("token-bytes")
        close(.unauthenticated, "A token may have \(room.limits.tokenBytes) bytes.")
        return true
    }

    /// Whether the identity has expired.
    func isOver(_ identity: Identity) -> Bool {
        guard let end = identity.expires else { return false }
        return !(loop.timeOfDay < end)
    }

    /// Whether the identity was revoked while the token that stands for it was being checked;
    /// closes the connection then.
    func isRevoked(_ identity: Identity) -> Bool {
        defer { revocations = [] }
        guard revocations.contains(where: { $0(identity) }) else { return false }
        closeRevoked()
        return true
    }

    func noteExpiry(of identity: Identity) {
        let margin = room.limits.renewalMargin
        let now = loop.timeOfDay
        term = IdentityTerm(of: identity, at: now, margin: margin, after: term)
        loop.watch(self, at: term?.next)
    }

    /// Asks the client for a newer token, or ends the connection, if it is time for that.
    package func checkExpiry() {
        guard phase == .live, let step = term?.step(at: loop.timeOfDay) else { return }
        switch step {
        case .wait: break
        case .ask(let seconds): reply(.renew(within: seconds))
        case .end: return close(.expired, "The token has expired.", jitter: 1)
        }
        loop.watch(self, at: term?.next)
    }

    /// Ends the connection if its identity is one of those, or turns out to be in a check that is
    /// under way; true if it ended.
    package func revoke(where isRevoked: @escaping @Sendable (Identity) -> Bool) -> Bool {
        // An edge is nobody; its clients are asked about.
        guard clients == nil else { return false }
        switch phase {
        case .awaitingHello, .closed: break
        case .live where isRevoked(identity):
            closeRevoked()
            return true
        case .live where !renewal.isChecking: break
        case .authenticating, .live: revocations.append(isRevoked)
        }
        return false
    }

    private func closeRevoked() {
        close(.revoked, "The server has revoked this identity.", after: 1, jitter: 2)
    }

    func renew(_ new: Identity) {
        guard !isRevoked(new) else { return }
        guard new.id.isSameText(as: identity.id) else {
            return violate("The token is another identity's.")
        }
        if let refusal = room.refusal(ofEntryTo: new) {
            return close(.forbidden, refusal.description)
        }
        noteExpiry(of: new)
        let isSame = new == identity
        if !isSame {
            origin = DispatchOrigin(client: client, sender: new)
            room.renewed(self)
        }
        askRulesOfSubscriptions(viewerChanged: !isSame)
    }

    /// Ends what its rules don't allow any more: the connection, or single subscriptions. For rules
    /// that have changed.
    package func askRulesAgain() {
        guard phase == .live, clients == nil else { return }
        if let refusal = room.refusal(ofEntryTo: identity) {
            return close(.forbidden, refusal.description)
        }
        askRulesOfSubscriptions(viewerChanged: false)
    }

    private func askRulesOfSubscriptions(viewerChanged: Bool) {
        for subscription in subscriptions.values.sorted(by: { $0.group.sub < $1.group.sub })
        where !subscription.isDropped {
            let key = subscription.group.key
            if viewerChanged && key.viewer != nil {
                lapse(subscription, "renewed")
            } else if !room.admits(identity, to: key) {
                lapse(subscription, Rejection.Code.forbidden.description)
            }
        }
    }
}
