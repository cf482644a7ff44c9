import StorecastSync
import StorecastWire

/// What the owner says, and when it takes effect: at once, or with all that belongs together.
extension MirroredRoom {
    /// What the owner has said, to this server or to a client.
    enum Message {
        case own(ServerFrame, history: JSONView?)
        case guest(ServerFrame, UInt64)
    }

    /// Changes that take effect together.
    struct Transaction {
        let version: UInt64
        var left: UInt64
        /// Which of the transactions it is, and when it began.
        let number: UInt64
        let begun: Duration
        var parts: [Message] = []
    }

    /// - Parameter following: how many messages to clients belong to a transaction, behind its
    ///   values.
    func take(_ message: Message, before following: UInt64 = 0) throws {
        if resumption != nil { return try hold(message, before: following) }
        if transaction != nil {
            transaction?.parts.append(message)
            transaction?.left -= 1
            return try finishTransaction()
        }
        guard case .own(.transaction(let version, let count, _), _) = message else {
            return try process(message, known: position.version)
        }
        transactions += 1
        transaction = Transaction(
            version: version, left: count &+ following, number: transactions,
            begun: loop.host.now)
        try finishTransaction()
        watchTransaction()
    }

    /// Has the owner asked anew if it doesn't send all of a transaction.
    private func watchTransaction() {
        guard !isWatchingTransaction, let watched = transaction else { return }
        isWatchingTransaction = true
        let end = watched.begun + Self.longestResumption
        loop.schedule(after: max(.zero, end - loop.host.now)) { [weak self] in
            guard let self else { return }
            isWatchingTransaction = false
            guard transaction?.number == watched.number else { return watchTransaction() }
            giveUpTransaction()
        }
    }

    func giveUpTransaction() {
        loop.host.report(
            "Room '\(name)': the upstream hasn't sent all that belongs together for "
                + "\(Self.longestResumption), and is asked anew.")
        restart()
    }

    private func finishTransaction() throws {
        guard let transaction, transaction.left == 0 else { return }
        self.transaction = nil
        try takeEffect(transaction.parts, at: transaction.version)
    }

    /// Everything that came together: first all values, so that what is said to clients finds them
    /// at one version.
    func takeEffect(_ messages: [Message], at version: UInt64) throws {
        isTakingEffect = true
        defer {
            isTakingEffect = false
            if restartsThen {
                restartsThen = false
                restart(after: byeThen.take())
            }
        }
        let known = position.version
        // What makes no sense keeps none of the others from taking effect.
        var problem: (any Error)?
        for case .own(let frame, let history) in messages {
            guard isConnected else { return }
            do { try process(frame, history, known: known) } catch { problem = problem ?? error }
        }
        reach(version)
        for case .guest(let frame, let number) in messages {
            guard isConnected else { return }
            do { try process(.guest(frame, number), known: known) } catch {
                problem = problem ?? error
            }
        }
        if let problem { throw problem }
    }

    /// - Parameter known: the version up to which values are known to be those at hand.
    func process(_ message: Message, known: UInt64) throws {
        switch message {
        case .own(let frame, let history): try process(frame, history, known: known)
        case .guest(let frame, let number):
            // It may have gone meanwhile.
            if let guest = guests[number] { try process(frame, for: guest) }
        }
    }

    private func process(
        _ frame: ServerFrame, _ history: JSONView?, known: UInt64
    ) throws {
        switch frame {
        case .welcome(let welcome): welcomed(welcome)
        case .subscribed(let subscribed):
            guard let group = groups[subscribed.ref] else { break }
            if !group.answered(subscribed.tag) { end(group, "renewed") }
        // Of what was held.
        case .transaction: break
        case .snapshot(let sub, let version, _), .patch(let sub, _, let version, _),
            .current(let sub, let version):
            // Nobody may want it any more.
            if let group = answered(sub) { apply(frame, history, to: group, known: known) }
            reach(version)
        case .lapse(let sub, let code): if let group = owned[sub] { end(group, code) }
        case .error(let error):
            guard let ref = error.ref else { throw error }
            // Whoever it was asked for has gone meanwhile; others may still have it.
            let code =
                error.code == .badReference ? "renewed" : Rejection.Code.internal.description
            if let group = groups[ref] { end(group, code) }
        case .bye(let bye): leave(bye)
        case .pong: heardSign()
        case .term(let id):
            term = id
            for session in sessionsInOrder { session.tellTerm() }
        case .reject, .renew: break
        }
    }

    func reach(_ version: UInt64) {
        if isConnected { position.version = max(position.version, version) }
    }
}
