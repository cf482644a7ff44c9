package import StorecastRoom
import StorecastWire
import Synchronization

/// How servers show one another that they are there, and what this one knows by that.
extension RoomPlaces {
    /// Whether another one is to follow.
    @discardableResult
    func sendPulse() async -> Bool {
        guard own != nil, !isClosed else { return false }
        let pulse = pulses.next(kind)
        // Without NATS nobody hears it, and that is what it means.
        try? await jetStream.publish(pulse.payload, to: layout.pulses)
        return !isClosed
    }

    func heardPulse(_ message: NATSMessage) {
        guard let pulse = ServerPulse(message.payload) else { return }
        let (beats, gaps) = (pulses.beats, pulses.gaps)
        let wasStranger = pulses.isStranger(pulse.server)
        let gone = pulses.heard(pulse)
        if pulses.beats != beats { noteBeat() }
        for server in gone { handler?(.gone(server)) }
        guard let own else { return }
        if pulse.server.address.isSameText(as: own.address), pulse.server != own,
            pulse.kind != .gone
        {
            handler?(.double(pulse.server))
        }
        if !wasStranger, pulses.isStranger(pulse.server) { handler?(.stranger(pulse.server)) }
        let isDue = pulses.beats != beats && pulses.beats % Self.checkEvery == 0
        if isDue || pulses.gaps != gaps { handler?(.check) }
    }

    func noteBeat() {
        let beat = Beat(time: jetStream.now, servers: pulses.all.count, rival: pulses.rival)
        lastBeat.withLock { $0 = beat }
    }

    /// How many servers there are, and how long ago this one heard itself; nil if it isn't one.
    /// From any thread.
    package nonisolated var link: JournalLink.Cluster? {
        guard let beat = lastBeat.withLock({ $0 }) else { return nil }
        return JournalLink.Cluster(servers: beat.servers, pulseAge: jetStream.now - beat.time)
    }

    /// In pulses: a minute.
    private static let checkEvery = 120

    /// Why clients are better at another server: this one has heard nothing of itself for the time
    /// of ten pulses, so NATS is out of its reach; or others have another key. Nil if all is well.
    package nonisolated var unreadiness: String? {
        if let silence = link?.pulseAge, silence > interval * 10 {
            return "Nothing was heard of NATS for \(Int(silence / .seconds(1))) s."
        }
        return lastBeat.withLock { $0?.rival }.map { rival in
            "The server \(rival.id) at \(rival.address) has another key."
        }
    }

    /// The servers that are there now.
    package var servers: [Sight] {
        pulses.all.map {
            Sight(server: $0.server, isLeaving: $0.isLeaving, isStranger: $0.isStranger)
        }
    }
}

extension ServerPulse {
    init?(_ payload: [UInt8]) {
        guard let body = RoomPlaces.body(payload), let server = ClusterServer(body),
            let number = body["number"]?.int
        else { return nil }
        self.init(server: server, number: Int(number), key: body["key"]?.string)
        switch body["kind"]?.string {
        case "leaving": kind = .leaving
        case "gone": kind = .gone
        default: break
        }
    }

    var payload: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("server", server.id)
        writer.member("address", server.address)
        writer.member("number", number)
        writer.member("kind", "\(kind)")
        if let key { writer.member("key", key) }
        writer.endObject()
        return writer.bytes
    }
}
