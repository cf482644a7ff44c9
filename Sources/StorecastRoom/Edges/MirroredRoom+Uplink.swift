import StorecastSync
package import StorecastWire

/// An edge's connection to the server that owns a room, which is made again whenever it ends.
package protocol EdgeUplink: AnyObject {
    /// Makes it, if there is none.
    func connect()
    /// Sends a message; false if there is no connection, or it takes no more.
    func send(_ message: [UInt8]) -> Bool
    /// Whether little waits to be sent.
    var isQuick: Bool { get }
    /// Whether it takes much more.
    var hasRoom: Bool { get }
    /// Ends the connection, and makes another: not before the owner has asked for that.
    func restart(after bye: ServerFrame.Bye?)
    /// Ends it, and makes no other.
    func stop()
    /// The owner says that it has no such room, and this server knows that there is one: has it given
    /// to this server. False if there is no other owner than the one that was asked.
    func reclaim() -> Bool
    /// How the owner is called, if there are several.
    var owner: String? { get }
}

extension EdgeUplink {
    package func reclaim() -> Bool { false }
    package var owner: String? { nil }
}

/// A room's connection to its owner: made, spoken on, and ended.
extension MirroredRoom {
    /// There is a connection.
    package func connected() {
        backOff.opened(at: loop.host.now)
        greetings += 1
        let seen = position.epoch.isEmpty ? nil : position
        send { writer in
            writer.write(
                ClientFrame.Hello(
                    client: credentials.client, connection: greetings, seen: seen, term: term,
                    token: credentials.key, edge: EdgeClients.form))
        }
    }

    /// It has ended. What clients dispatch from now on may come again.
    package func disconnected() {
        isConnected = false
        backOff.closed(at: loop.host.now)
        silentSince = silentSince ?? loop.host.now
        transaction = nil
        resumption = nil
        introductions = []
        owned = [:]
        for group in groups.values {
            group.isAsked(for: nil)
            if group.group == nil { forget(group) }
        }
        for guest in guests.values {
            guest.isIntroduced = false
            guest.isLive = false
            guest.rejects = []
            for (number, wish) in guest.wishes where wish.group?.group == nil {
                guest.wishes[number]?.group = nil
            }
        }
    }

    /// A message of the owner.
    package func receive(_ message: UnsafeRawBufferPointer) {
        do {
            guard let first = message.first, (0x30...0x39).contains(first) else {
                let root = try JSONDocument(scanning: message, limits: Self.incoming).root
                let frame = try ServerFrame(reading: root)
                return try take(
                    .own(frame, history: root["history"]), before: root["following"]?.uint64 ?? 0)
            }
            guard let passed = PassedMessage(reading: message), let frame = passed.frame else {
                throw MirroredGroup.Misfit()
            }
            try take(.guest(try ServerFrame(reading: frame, limits: Self.incoming), passed.number))
        } catch {
            loop.host.report(
                "Room '\(name)': what the upstream sent makes no sense, and is asked for anew: "
                    + "\(error)")
            restart()
        }
    }

    /// The owner may send values of any size that a connection takes.
    private static var incoming: JSONLimits {
        var limits = JSONLimits()
        limits.bytes = .max
        limits.depth = 512
        return limits
    }

    func restart(after bye: ServerFrame.Bye? = nil) {
        // First what came with values whom they aren't for any more.
        if isTakingEffect {
            restartsThen = true
            return byeThen = bye ?? byeThen
        }
        disconnected()
        uplink?.restart(after: bye)
    }

    func send(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(reserving: 256)
        write(&writer)
        if uplink?.send(writer.bytes) != true { restart() }
    }

    /// Says something for a client; a number alone if `write` is nil: it has gone.
    @discardableResult
    func say(for guest: Guest, _ write: ((inout JSONWriter) -> Void)?) -> Bool {
        guard isConnected else { return false }
        let frame = write.map { write in
            var writer = JSONWriter(reserving: 256)
            write(&writer)
            return writer.bytes
        }
        return uplink?.send(PassedMessage.bytes(guest.session.number, frame)) == true
    }

    /// As ``say(for:_:)``, of what the owner has to know: if it can't be said, everything is said
    /// again on another connection.
    func tell(of guest: Guest, _ write: ((inout JSONWriter) -> Void)?) {
        if isConnected, !say(for: guest, write) { restart() }
    }

    // MARK: How far it is behind

    /// Asks the owner for a sign, unless it owes one: what the owner had sent before is here when
    /// the sign is. So no clocks are compared.
    package func askForSign() {
        guard isConnected, silentSince == nil, uplink?.hasRoom == true else { return }
        silentSince = loop.host.now
        send { $0.writePing() }
    }

    func heardSign() {
        guard isConnected, let since = silentSince else { return }
        silentSince = nil
        loop.host.took(loop.host.now - since, .roundTrip)
    }

    // MARK: The owner lets this server in, or ends it

    func welcomed(_ welcome: ServerFrame.Welcome) {
        isConnected = true
        denials = 0
        silentSince = nil
        let before = limits.frame
        ownerLimits = welcome.limits
        set(configured)
        let isNarrower =
            limits.frame.window < before.window || limits.frame.message < before.message
            || limits.frame.depth < before.depth
            || limits.frame.subscriptions < before.subscriptions
        for guest in guests.values { guest.session.takeLimits() }
        if !position.epoch.isEmpty, !position.isOfSameHistory(as: welcome.position) {
            position = Position(epoch: "", version: 0)
            sendAway("The room begins anew.")
            for group in groups.values { forget(group) }
            idle = []
        } else if isNarrower {
            sendAway("The server has other limits now.")
        }
        position.epoch = welcome.position.epoch
        if term.map({ ExactString($0) }) != welcome.term.map({ ExactString($0) }) {
            term = welcome.term
            for session in sessionsInOrder { session.tellTerm() }
        }
        // Nobody would ask for these anew.
        forgetLingering()
        var awaited = Set(groups.keys.map { Resumption.Answer.value($0) })
        for (number, guest) in guests where guest.isKnown {
            awaited.insert(.welcome(number))
            for (wish, content) in guest.wishes where content.group != nil {
                awaited.insert(.permission(number, wish))
            }
        }
        if awaited.isEmpty {
            reach(welcome.position.version)
        } else {
            resumption = Resumption(version: welcome.position.version, awaited: awaited)
            connections += 1
            let connection = connections
            loop.schedule(after: Self.longestResumption) { [weak self] in
                if let self, connections == connection { giveUpAwaited() }
            }
        }
        introductions = guests.keys.sorted()[...]
        introduceSome()
    }

    /// Clients are to come back, and hear with their welcome what has become different.
    private func sendAway(_ title: String) {
        let jitter = max(1, Double(guests.count) / 1000)
        for session in sessionsInOrder where guests[session.number]?.isKnown == true {
            session.close(.goingAway, title, after: 0, jitter: jitter)
        }
    }

    /// How long it is until an owner is asked again that has refused this server.
    private static let patience = Duration.seconds(5)
    /// How often owners may say that there is no such room until clients are told so: with the pauses
    /// between them, up to six seconds.
    private static let mostDenials = 6

    /// The owner ends the connection.
    func leave(_ bye: ServerFrame.Bye) {
        guard !bye.reconnect else { return restart(after: bye) }
        let isDenied = bye.code == CloseCode.noRoom.word
        if isDenied, denials < Self.mostDenials, uplink?.reclaim() == true {
            denials += 1
            return restart(after: bye)
        }
        denials = 0
        let owner = uplink?.owner
        disconnected()
        uplink?.stop()
        if isDenied {
            failure = Admission.Refusal(.noRoom, bye.title)
        } else {
            // What it has against this server isn't the clients' fault. It is the same for each
            // room.
            let name = owner.map { ", \($0)," } ?? ""
            loop.host.report("The upstream\(name) refuses this edge: \(bye.title)")
            failure = .trouble
        }
        phase = .failed(.unavailable(bye.title))
        isStarted = false
        for session in sessionsInOrder {
            session.close(
                failure.code, failure.title, after: failure.after, jitter: failure.jitter)
        }
        loop.schedule(after: Self.patience) { [weak self] in self?.phase = .ready }
    }
}
