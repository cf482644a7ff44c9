package import StorecastSync
package import StorecastWire

/// The clients of this server in the room, and what they say, which is passed on to the owner.
extension MirroredRoom {
    /// A client, and what the owner knows of it.
    final class Guest {
        let session: ServerSession
        var hello: ClientFrame.Hello
        /// What it has asked for, by numbers that are used once: a ref of a client may be used
        /// again before the owner has answered.
        var wishes: [UInt64: Wish] = [:]
        /// The numbers of its wishes, by its refs.
        var numbers: [UInt64: UInt64] = [:]
        var lastWish: UInt64 = 0
        /// Whether it was ever let in.
        var isKnown = false
        /// Whether the owner has been told of it on this connection.
        var isIntroduced = false
        /// Whether the owner has let it in on this connection.
        var isLive = false
        /// Up to where the owner has settled its dispatches, as it has told.
        var settled: UInt64 = 0
        /// What the owner has rejected, until it says at which version that, and what came before,
        /// is settled.
        var rejects: [ServerFrame.Reject] = []

        init(_ session: ServerSession, _ hello: ClientFrame.Hello) {
            self.session = session
            self.hello = hello
        }
    }

    /// What a client wants to have.
    struct Wish {
        let ref: UInt64
        let frame: ClientFrame.Subscribe
        /// Nil until the owner has said that the client may have it.
        var group: MirroredGroup?
        /// How often it was asked for because what came of it before ended at once.
        var repetitions = 0
    }

    /// The owner says that, with its welcome.
    package func standing(of hello: ClientFrame.Hello) -> Standing? { .epoch(position.epoch) }

    package func numberVisitor() -> UInt64 {
        visitors += 1
        return visitors
    }

    package func admit(_ session: ServerSession, _ hello: ClientFrame.Hello) -> Admission {
        if !isStarted {
            isStarted = true
            silentSince = loop.host.now
            uplink?.connect()
        }
        session.takeLimits()
        let guest = Guest(session, hello)
        guests[session.number] = guest
        introduce(guest)
        return .later
    }

    /// Introduces clients as long as the connection takes it quickly, and then others.
    func introduceSome() {
        while isConnected, uplink?.isQuick == true, let number = introductions.popFirst() {
            if let guest = guests[number], !guest.isIntroduced { introduce(guest) }
        }
        guard !introductions.isEmpty, !isIntroducing else { return }
        isIntroducing = true
        loop.schedule(after: .milliseconds(2)) { [weak self] in
            self?.isIntroducing = false
            self?.introduceSome()
        }
    }

    /// Says to the owner who a client is, and what it has asked for.
    private func introduce(_ guest: Guest) {
        var hello = guest.hello
        hello.token = nil
        hello.identity = guest.session.identity.vouched
        hello.parts = nil
        if guest.isKnown {
            hello.settled = guest.session.dispatches.settled
            (hello.seen, hello.term) = (position, term)
        }
        // What is more than the owner takes would end the connection of all.
        var writer = JSONWriter(reserving: 256)
        writer.write(hello)
        guard writer.bytes.count <= limits.messageBytes else {
            return guest.session.close(
                .tooBig, "A message may have \(limits.messageBytes) bytes.")
        }
        guest.isIntroduced = isConnected
        tell(of: guest) { $0.raw(writer.bytes) }
        for (number, wish) in guest.wishes.sorted(by: { $0.key < $1.key }) {
            guard let text = question(for: wish.frame, number) else {
                end(wish, of: guest, Rejection.Code.invalidParameters.description)
                continue
            }
            tell(of: guest) { $0.raw(text) }
        }
    }

    /// Asks the owner for what a client wants; nil if that takes more than the owner takes.
    private func question(for frame: ClientFrame.Subscribe, _ number: UInt64) -> [UInt8]? {
        var writer = JSONWriter(reserving: 256)
        writer.writeSubscribe(
            ref: number, select: frame.select, params: frame.params?.json, at: nil)
        return writer.bytes.count <= limits.messageBytes ? writer.bytes : nil
    }

    package func renewed(_ session: ServerSession) {
        guard let guest = guests[session.number], guest.isIntroduced else { return }
        tell(of: guest) { $0.write(session.identity.vouched) }
    }

    package func leave(_ session: ServerSession) {
        guard let guest = guests.removeValue(forKey: session.number) else { return }
        for (number, wish) in guest.wishes {
            noLongerWaits(number, wish, guest)
            isNotAwaited(.permission(session.number, number))
        }
        isNotAwaited(.welcome(session.number))
        if guest.isIntroduced { tell(of: guest, nil) }
    }

    package func group(
        for frame: ClientFrame.Subscribe, of session: ServerSession
    ) throws(Rejection) -> Permitted<SelectionGroup>? {
        guard let guest = guests[session.number] else {
            throw Rejection(.unavailable, "The client isn't in the room.")
        }
        guard !guest.isIntroduced || uplink?.hasRoom == true else {
            session.close(
                .busy, "The server that has the room takes nothing more now.", after: 5, jitter: 10)
            throw Rejection(.busy, "The server that has the room takes nothing more now.")
        }
        var frame = frame
        // The rest of its message isn't kept for it.
        frame.params = frame.params?.alone
        guard question(for: frame, guest.lastWish + 1) != nil else {
            throw Rejection(.invalidParameters, "The selection's parameters are too large.")
        }
        want(frame, of: guest)
        return nil
    }

    func want(
        _ frame: ClientFrame.Subscribe, of guest: Guest, repetitions: Int = 0
    ) {
        guest.lastWish += 1
        let wish = Wish(ref: frame.ref, frame: frame, repetitions: repetitions)
        guest.wishes[guest.lastWish] = wish
        guest.numbers[frame.ref] = guest.lastWish
        if guest.isIntroduced, let text = question(for: frame, guest.lastWish) {
            tell(of: guest) { $0.raw(text) }
        }
    }

    package func released(_ ref: UInt64, of session: ServerSession) {
        guard let guest = guests[session.number],
            let number = guest.numbers.removeValue(forKey: ref)
        else { return }
        let wish = guest.wishes.removeValue(forKey: number)
        noLongerWaits(number, wish, guest)
        isNotAwaited(.permission(session.number, number))
        if guest.isIntroduced { tell(of: guest) { $0.writeUnsubscribe(ref: number) } }
    }

    package func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession) {
        guard let guest = guests[session.number], guest.isLive, uplink?.isQuick == true else {
            return session.refused(dispatch.seq, Self.away)
        }
        // The owner said so, and the client didn't know yet.
        guard dispatch.seq > guest.settled else {
            session.trace?.ended(dispatch.seq, nil)
            return
        }
        let payload = dispatch.payload?.withBytes { Array($0) } ?? []
        // One that is almost too long names what its client does, if anything.
        let isShort = payload.count + dispatch.type.utf8.count + 1024 <= limits.messageBytes
        let own = isShort ? session.trace?.traceparent(of: dispatch.seq) : nil
        var writer = JSONWriter(reserving: payload.count + 128)
        writer.writeDispatch(
            seq: dispatch.seq, base: dispatch.base, settled: dispatch.settled ?? 0,
            type: dispatch.type, payload: payload, traceparent: own ?? dispatch.traceparent)
        // Written anew, it may be longer than it came: then the owner would end the connection.
        guard writer.bytes.count <= limits.messageBytes else {
            return session.close(.tooBig, "A message may have \(limits.messageBytes) bytes.")
        }
        if !say(for: guest, { $0.raw(writer.bytes) }) { session.refused(dispatch.seq, Self.away) }
    }

    private static var away: Rejection {
        Rejection(
            .unavailable, "The server that has the room can't be reached.",
            retryAfter: .seconds(1))
    }
}
