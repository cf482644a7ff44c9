import StorecastSync
import StorecastWire

/// What the owner says to clients.
extension MirroredRoom {
    func process(_ frame: ServerFrame, for guest: Guest) throws {
        let session = guest.session
        switch frame {
        case .welcome(let welcome):
            reach(welcome.position.version)
            guest.isLive = true
            let told = guest.settled
            guest.settled = welcome.lastSeq
            guard guest.isKnown else {
                guest.isKnown = true
                session.epoch = welcome.position.epoch
                // From now on it has what this server has.
                (guest.hello.seen, guest.hello.term, guest.hello.token) = (nil, nil, nil)
                return session.admitted(
                    .welcome(lastSeq: welcome.lastSeq, rejected: welcome.rejected))
            }
            // It was asked for with what this server has seen, and that is a part of the history:
            // unless the log has lost what its dispatches came to, at no higher version.
            guard welcome.position.epoch.isSameText(as: position.epoch), welcome.lastSeq >= told
            else {
                return session.close(.goingAway, "The room begins anew.")
            }
            session.resume(lastSeq: welcome.lastSeq, rejected: welcome.rejected)
        case .transaction(let version, _, let acked):
            reach(version)
            if let acked {
                guest.settled = acked
                session.settled(through: acked, guest.rejects)
                guest.rejects.removeAll { $0.seq <= acked }
            }
        case .reject(let reject):
            if reject.retryable { return session.refused(reject.seq, Rejection(reject)) }
            let last = guest.rejects.last?.seq ?? 0
            // One that another server took from the client may be told here.
            let window = max(limits.window, Int(clamping: ownerLimits?.window ?? 0))
            guard reject.seq > last, guest.rejects.count < window else {
                throw MirroredGroup.Misfit()
            }
            guest.rejects.append(reject)
        case .subscribed(let subscribed): allowed(subscribed, guest)
        case .lapse(let sub, let code): lapsed(sub, code, guest)
        case .error(let error): refused(error, guest)
        case .bye(let bye):
            guest.isIntroduced = false
            session.close(
                CloseCode(word: bye.code) ?? .internalError, bye.title, after: bye.after,
                jitter: bye.jitter)
        case .snapshot, .patch, .current: throw MirroredGroup.Misfit()
        case .pong, .renew, .term: break
        }
    }

    /// The owner lets a client have what it asked for.
    private func allowed(_ subscribed: ServerFrame.Subscribed, _ guest: Guest) {
        guard let wish = guest.wishes[subscribed.ref] else { return }
        guard let had = wish.group, groups[had.sub] === had else {
            let group = owned[subscribed.sub] ?? found(wish.frame, as: subscribed.sub)
            // The connection may have ended over it.
            guard groups[group.sub] === group else { return }
            guest.wishes[subscribed.ref]?.group = group
            guard let ready = group.group else {
                group.waiting.insert(
                    MirroredGroup.Waiter(guest: guest.session.number, wish: subscribed.ref))
                return
            }
            return guest.session.found(.success(Permitted(byOwner: ready)), for: wish.ref)
        }
        // It was asked anew, on another connection.
        if had.owner == nil, owned[subscribed.sub] == nil {
            return ask(for: had, as: subscribed.sub)
        }
        if had.owner != subscribed.sub { end(wish, of: guest, "renewed") }
    }

    /// A client may not have a selection any more.
    private func lapsed(_ sub: UInt64, _ code: String, _ guest: Guest) {
        for number in guest.wishes.keys.sorted() {
            // Another ref of the same subscription ends with the first.
            guard let wish = guest.wishes[number], wish.group?.owner == sub else { continue }
            end(wish, of: guest, code)
        }
    }

    func end(_ wish: Wish, of guest: Guest, _ code: String) {
        if let subscription = guest.session.subscriptions[wish.ref] {
            return guest.session.lapse(subscription, code)
        }
        released(wish.ref, of: guest.session)
        // The client doesn't know of it yet, and would have to be told to ask again.
        guard code != "renewed" || wish.repetitions >= Self.mostRepetitions else {
            return want(wish.frame, of: guest, repetitions: wish.repetitions + 1)
        }
        let code = code == "renewed" ? Rejection.Code.unavailable : Rejection.Code(code)
        guest.session.found(
            .failure(Rejection(code, "The server ended the subscription.")), for: wish.ref)
    }

    private static let mostRepetitions = 3

    private func refused(_ error: FrameError, _ guest: Guest) {
        guard let number = error.ref else {
            // What this server took for a frame, the owner doesn't: what follows wouldn't fit.
            return guest.session.close(.protocolViolation, error.title)
        }
        // Let go of on both sides at the same time.
        guard error.code != .badReference, let wish = guest.wishes[number] else { return }
        if let subscription = guest.session.subscriptions[wish.ref] {
            guest.session.lapse(subscription, error.code.word)
        } else {
            let rejection = Rejection(
                Rejection.Code(error.code.word), error.title, detail: error.detail)
            guest.session.found(.failure(rejection), for: wish.ref)
        }
        guest.wishes[number] = nil
        noLongerWaits(number, wish, guest)
        if guest.numbers[wish.ref] == number { guest.numbers[wish.ref] = nil }
    }

    func noLongerWaits(_ number: UInt64, _ wish: Wish?, _ guest: Guest) {
        wish?.group?.waiting.remove(
            MirroredGroup.Waiter(guest: guest.session.number, wish: number))
    }
}
