import StorecastWire

/// An owner that is there again: what it says is held until it has said everything.
extension MirroredRoom {
    /// The owner is there again, and hasn't said everything that it was asked for: nothing takes
    /// effect until it has, and then everything does at once, as in a transaction.
    struct Resumption {
        enum Answer: Hashable {
            /// The first value of a group.
            case value(UInt64)
            /// Whether a client is still let in.
            case welcome(UInt64)
            /// Whether a client may still have something.
            case permission(UInt64, UInt64)
        }

        /// The version that it had when it let this server in.
        let version: UInt64
        var awaited: Set<Answer>
        var held: [Message] = []
        /// How many messages of a transaction are to come.
        var left: UInt64 = 0
    }

    func hold(_ message: Message, before following: UInt64) throws {
        var passes = false
        switch message {
        case .own(.transaction(_, let count, _), _): resumption?.left = count &+ following
        case .own(.snapshot(let sub, _, _), _), .own(.patch(let sub, _, _, _), _),
            .own(.current(let sub, _), _):
            if let group = answered(sub) { resumption?.awaited.remove(.value(group.sub)) }
            noteHeld()
        case .own: return try process(message, known: position.version)
        case .guest(let frame, let number):
            let wishes = guests[number]?.wishes
            switch frame {
            case .welcome: resumption?.awaited.remove(.welcome(number))
            case .bye: passes = true
            case .subscribed(let subscribed):
                resumption?.awaited.remove(.permission(number, subscribed.ref))
                // It is what the value is asked for by.
                passes = wishes?[subscribed.ref]?.group != nil
            case .error(let error):
                if let ref = error.ref { resumption?.awaited.remove(.permission(number, ref)) }
                passes = error.ref.flatMap { wishes?[$0]?.group } != nil
            default: break
            }
            noteHeld()
        }
        if passes {
            try process(message, known: position.version)
        } else {
            resumption?.held.append(message)
        }
        try endResumption()
    }

    private func noteHeld() {
        if let left = resumption?.left, left > 0 { resumption?.left = left - 1 }
    }

    /// Lets everything take effect if nothing is awaited any more.
    private func endResumption() throws {
        guard let done = resumption, done.awaited.isEmpty, done.left == 0 else { return }
        resumption = nil
        try takeEffect(done.held, at: done.version)
    }

    /// How long everybody waits until the owner has said everything, when it is there again, or of
    /// what belongs together.
    static let longestResumption = Duration.seconds(10)

    /// Those go on without whom everything has come.
    func giveUpAwaited() {
        guard let awaited = resumption?.awaited else { return }
        resumption?.awaited = []
        for answer in awaited {
            switch answer {
            case .value(let sub): if let group = groups[sub] { end(group, "renewed") }
            case .permission(let number, let wish):
                if let guest = guests[number], let wish = guest.wishes[wish] {
                    end(wish, of: guest, "renewed")
                }
            case .welcome(let number):
                guests[number]?.session.close(
                    .goingAway, "The server that has the room takes long.", after: 1, jitter: 5)
            }
        }
        do { try endResumption() } catch { restart() }
        // A transaction has begun that isn't over.
        guard resumption != nil else { return }
        let connection = connections
        loop.schedule(after: Self.longestResumption) { [weak self] in
            if let self, connections == connection, resumption != nil { giveUpTransaction() }
        }
    }

    /// Something that is awaited won't come.
    func isNotAwaited(_ answer: Resumption.Answer) {
        guard resumption?.awaited.remove(answer) != nil else { return }
        // Not in the middle of what a client says.
        loop.schedule(after: .zero) { [weak self] in
            do { try self?.endResumption() } catch { self?.restart() }
        }
    }
}
