import StorecastWire
import Synchronization

/// Which server of a cluster has which room. On the loop of its connection.
///
/// A stream keeps for each room the server that has it: written on condition that nothing newer is
/// there, so of two that give a room to somebody one is refused. Whoever is asked for a room that
/// nobody has, or somebody who is gone, gives it to one who is there. None of this decides who may
/// write: the log does (Docs/Decisions/45-places-of-rooms.md).
package actor RoomPlaces {
    /// What a server hears of.
    package enum Event: Sendable {
        /// A server is gone: what it had is to be looked for elsewhere.
        case gone(ClusterServer)
        /// Somebody wrote, or tries to write, that another server has a room.
        case placed(room: String, ClusterServer)
        /// It may have missed something: who has the rooms that it has is to be looked up.
        case check
        /// Another server says that it is at this one's address.
        case double(ClusterServer)
        /// Another server has come, and has another key: nobody gets from one to the rooms of the
        /// other.
        case stranger(ClusterServer)
        /// An operator wants this server to give away a room, to a server by its id or to any.
        case move(room: String, to: String?, answer: @Sendable (String?) -> Void)
        /// An operator wants it to give away all of them.
        case drain(answer: @Sendable (String?) -> Void)
    }

    /// What an operator sees of a server.
    package struct Sight: Equatable, Sendable {
        package var server: ClusterServer
        package var isLeaving: Bool
        /// Whether it has another key than this server.
        package var isStranger = false
    }

    struct Beat {
        var time: Duration
        var servers: Int
        /// A server for which this one isn't ready, as they have different keys.
        var rival: ClusterServer?
    }

    nonisolated let jetStream: any LogService
    let layout: JetStreamLayout
    let interval: Duration
    /// Nil for one who only looks.
    private(set) var own: ClusterServer?
    private(set) var kind = ServerPulse.Kind.here
    var pulses: ServerPulses
    private var isListening = false
    /// When it last heard itself, or began to listen for that, and who was there then.
    nonisolated let lastBeat = Mutex<Beat?>(nil)
    private(set) var handler: (@Sendable (Event) -> Void)?
    private(set) var isClosed = false
    /// How many places are read or written now, and those who wait for one of them to end.
    var underway = 0
    var waiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        jetStream.executor.asUnownedSerialExecutor()
    }

    /// - Parameter interval: how often it sends a pulse.
    package init(
        _ jetStream: any LogService, _ layout: JetStreamLayout,
        interval: Duration = .milliseconds(500)
    ) {
        self.jetStream = jetStream
        self.layout = layout
        self.interval = interval
        pulses = ServerPulses(own: ClusterServer(id: "", address: ""))
    }

    /// Finds or makes the stream.
    package func prepare() async throws(NATSError) {
        _ = try await jetStream.stream(
            layout.placeStream, subjects: [layout.placeSubjects], replicas: layout.replicas,
            keepsNewestOnly: true)
    }

    /// Listens, and shows others from now on that this server is there.
    ///
    /// - Parameters:
    ///   - server: itself, with where it lets others in.
    ///   - key: a fingerprint of what it lets them in by.
    ///   - handler: called on the loop of NATS.
    package func begin(
        as server: ClusterServer, key: String? = nil,
        _ handler: @escaping @Sendable (Event) -> Void
    ) async {
        own = server
        pulses = ServerPulses(own: server, key: key)
        noteBeat()
        self.handler = handler
        await listen()
        await jetStream.listen(to: layout.placeSubjects) { [weak self] message in
            self?.assumeIsolated { $0.heardPlace(message) }
        }
        await jetStream.listen(to: layout.requests(to: server.id)) { [weak self] message in
            self?.assumeIsolated { $0.asked(message) }
        }
        Task(executorPreference: jetStream.tasks) { [weak self, jetStream, interval] in
            while await self?.sendPulse() == true { await jetStream.pause(interval) }
        }
        await jetStream.onReconnection { [weak self] in
            // What was written meanwhile wasn't heard, however short that was.
            self?.assumeIsolated { $0.handler?(.check) }
        }
    }

    /// Those that are there and have another key, before this server shows that it is there itself:
    /// listens until each has shown itself.
    ///
    /// - Parameter key: the fingerprint of this server's.
    package func strangers(to key: String) async -> [ClusterServer] {
        pulses = ServerPulses(own: ClusterServer(id: "", address: ""), key: key)
        await listen()
        // Twice the time from one pulse to the next, and some for the way.
        await jetStream.pause(interval * 12 / 5)
        return pulses.all.filter { $0.isStranger }.map { $0.server }
    }

    /// Listens only, as operators do.
    package func listen() async {
        guard !isListening else { return }
        isListening = true
        await jetStream.listen(to: layout.pulses) { [weak self] message in
            self?.assumeIsolated { $0.heardPulse(message) }
        }
    }

    /// Why no server is heard; nil as far as NATS permits it.
    package func refusalOfPulses() async -> NATSError? {
        await jetStream.refusal(ofListeningTo: layout.pulses)
    }

    /// Tells the others that this server is gone, and gives no sign any more.
    package func close() async {
        kind = .gone
        await sendPulse()
        isClosed = true
        handler = nil
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// From now on others give this server no rooms, unless nobody else is there.
    ///
    /// - Throws: if nobody else takes them.
    package func leave() async throws(NATSError) {
        guard let own,
            servers.contains(where: { sight in
                !sight.isLeaving && !sight.isStranger && sight.server != own
            })
        else {
            throw Self.nobodyElse
        }
        kind = .leaving
        await sendPulse()
    }

    static let nobodyElse = NATSError.unavailable(
        "There is no other server that takes rooms.")

    // MARK: Operators

    /// How long it is waited for that a server has given rooms away.
    package static let longestAnswer = Duration.seconds(60)

    /// Has a server give away a room, or all of them without one; waits until it has.
    ///
    /// - Parameter server: to whom, by its id.
    /// - Throws: `refused` if it says no, or isn't there.
    package func ask(
        _ owner: ClusterServer, toMove room: String?, to server: String? = nil
    ) async throws(NATSError) {
        var writer = JSONWriter()
        writer.beginObject()
        if let room { writer.member("room", room) }
        if let server { writer.member("to", server) }
        writer.endObject()
        let answer: NATSMessage
        do throws(NATSError) {
            answer = try await jetStream.ask(
                layout.requests(to: owner.id), writer.bytes, timeout: Self.longestAnswer)
        } catch .noResponders {
            throw .refused("The server '\(owner.id)' isn't there.")
        } catch .unanswered(let problem) {
            throw .unanswered(
                "The server '\(owner.id)' doesn't answer; does NATS let it (allow_responses)? "
                    + problem)
        }
        guard let problem = Self.body(answer.payload)?["error"]?.string else { return }
        throw .refused(problem)
    }

    private func asked(_ message: NATSMessage) {
        guard let reply = message.reply, NATSConnection.isSubject(reply),
            let body = Self.body(message.payload)
        else { return }
        let answer: @Sendable (String?) -> Void = { [weak self] problem in
            var writer = JSONWriter()
            writer.beginObject()
            if let problem { writer.member("error", problem) }
            writer.endObject()
            let bytes = writer.bytes
            guard let jetStream = self?.jetStream else { return }
            Task(executorPreference: jetStream.tasks) {
                try? await jetStream.publish(bytes, to: reply)
            }
        }
        if let room = body["room"]?.string {
            handler?(.move(room: room, to: body["to"]?.string, answer: answer))
        } else {
            handler?(.drain(answer: answer))
        }
    }

    static func body(_ payload: [UInt8]) -> JSON? {
        guard let root = try? JSONDocument(payload, limits: .trusted).root, root.isObject else {
            return nil
        }
        return root.json
    }
}

extension ClusterServer {
    init?(_ body: JSON) {
        guard let id = body["server"]?.string, let address = body["address"]?.string else {
            return nil
        }
        self.init(id: id, address: address)
    }
}
