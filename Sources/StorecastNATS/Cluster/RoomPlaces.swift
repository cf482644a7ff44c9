package import StorecastRoom
import StorecastSync
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

    private struct Beat {
        var time: Duration
        var servers: Int
        /// A server for which this one isn't ready, as they have different keys.
        var rival: ClusterServer?
    }

    private nonisolated let jetStream: any LogService
    private let layout: JetStreamLayout
    private let interval: Duration
    /// Nil for one who only looks.
    private var own: ClusterServer?
    private var kind = ServerPulse.Kind.here
    private var pulses: ServerPulses
    private var isListening = false
    /// When it last heard itself, or began to listen for that, and who was there then.
    private nonisolated let lastBeat = Mutex<Beat?>(nil)
    private var handler: (@Sendable (Event) -> Void)?
    private var isClosed = false
    /// How many places are read or written now, and those who wait for one of them to end.
    private var underway = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

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

    private static let nobodyElse = NATSError.unavailable(
        "There is no other server that takes rooms.")

    // MARK: Pulses

    /// Whether another one is to follow.
    @discardableResult
    private func sendPulse() async -> Bool {
        guard own != nil, !isClosed else { return false }
        let pulse = pulses.next(kind)
        // Without NATS nobody hears it, and that is what it means.
        try? await jetStream.publish(pulse.payload, to: layout.pulses)
        return !isClosed
    }

    private func heardPulse(_ message: NATSMessage) {
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

    private func noteBeat() {
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

    // MARK: Places

    /// Who has the room; gives it to somebody if nobody has. Waits until it is known whether that
    /// server is there, a few seconds at most.
    ///
    /// - Throws: a sentence if NATS can't be asked, or this server doesn't hear itself.
    package func server(of room: String) async throws(NATSError) -> ClusterServer {
        var problem = "does NATS let this server hear '\(layout.pulses)'?"
        for _ in 0..<Self.mostLooks {
            guard !isClosed else { throw .unavailable("The server has left the cluster.") }
            let found = try await kept(room)
            if let server = found?.server {
                switch pulses.presence(of: server) {
                case .present where pulses.isStranger(server): throw otherKey(server, room)
                case .present: return server
                case .unknown:
                    await jetStream.pause(interval)
                    continue
                case .gone: break
                }
            }
            // Not even this server has heard itself yet.
            guard let chosen = pulses.choice(for: room) else {
                if let error = await refusalOfPulses() { throw error }
                await jetStream.pause(interval)
                continue
            }
            switch await write(chosen, of: room, behind: found?.sequence ?? 0) {
            case .kept: return chosen
            case .notAtEnd: break
            case .busy(let text), .unknown(let text):
                problem = text
                await jetStream.pause(.milliseconds(100))
            case .refused(let text): throw .unavailable(text)
            }
        }
        throw .unavailable("It can't be found out who has the room '\(room)': \(problem)")
    }

    private func otherKey(_ server: ClusterServer, _ room: String) -> NATSError {
        let this = own.map { ", \($0.id) at \($0.address)" } ?? ""
        return .unavailable(
            "The server \(server.id) at \(server.address) has the room '\(room)', and another key "
                + "than this one\(this): --edge-key, ClusterNode(key:).")
    }

    private static let mostLooks = 40

    /// Who was given the room last, there or not; nil if nobody was.
    package func holder(of room: String) async throws(NATSError) -> ClusterServer? {
        try await kept(room)?.server
    }

    /// Gives a room that this server has to another: to one by its id, or to any; who that is.
    ///
    /// - Throws: a sentence.
    package func give(
        _ room: String, to id: String? = nil
    ) async throws(NATSError) -> ClusterServer {
        guard let own else { throw .unavailable("This isn't a server of the cluster.") }
        let chosen: ClusterServer? =
            if let id { try taker(withID: id) } else { pulses.choice(for: room, but: own.id) }
        guard let chosen else { throw Self.nobodyElse }
        if chosen == own { return own }
        var problem = ""
        for _ in 0..<Self.mostLooks {
            guard let (server, sequence) = try await kept(room), let server else {
                throw .unavailable("Nobody has the room '\(room)'.")
            }
            // Perhaps it was written just now, and nobody could tell.
            if server == chosen { return chosen }
            guard server == own else {
                // Any other will do.
                if id == nil { return server }
                throw .unavailable("Another server has the room '\(room)'.")
            }
            switch await write(chosen, of: room, behind: sequence) {
            case .kept: return chosen
            case .notAtEnd: break
            case .busy(let text), .unknown(let text):
                problem = " \(text)"
                await jetStream.pause(.milliseconds(100))
            case .refused(let text): throw .unavailable(text)
            }
        }
        throw .unavailable("NATS doesn't keep who has the room '\(room)'.\(problem)")
    }

    private func taker(withID id: String) throws(NATSError) -> ClusterServer {
        guard let sight = servers.first(where: { $0.server.id.isSameText(as: id) }) else {
            throw .unavailable("There is no server '\(id)'.")
        }
        guard !sight.isLeaving else {
            throw .unavailable("The server '\(id)' was drained, and takes no rooms.")
        }
        guard !sight.isStranger else {
            throw .unavailable("The server '\(id)' has another key (--edge-key).")
        }
        return sight.server
    }

    /// All rooms that somebody was given, in the order in which they were.
    package func all() async throws(NATSError) -> [(room: String, server: ClusterServer)] {
        var found: [(room: String, server: ClusterServer)] = []
        // One that is written anew meanwhile comes twice.
        var places: [ExactString: Int] = [:]
        var next: UInt64 = 1
        while true {
            let page: (messages: [JetStream.Kept], hasMore: Bool)
            do throws(NATSError) {
                page = try await jetStream.page(
                    of: layout.placeSubjects, in: layout.placeStream, from: next)
            } catch .noResponders {
                // Whoever is asked this way says why.
                _ = try await jetStream.last(of: layout.placeSubjects, in: layout.placeStream)
                throw .unanswered("No NATS server has the stream '\(layout.placeStream)' now.")
            }
            for message in page.messages {
                next = message.sequence + 1
                guard let body = Self.body(message.payload), let server = ClusterServer(body),
                    let room = body["room"]?.string
                else { continue }
                if let place = places[ExactString(room)] {
                    found[place].server = server
                } else {
                    places[ExactString(room)] = found.count
                    found.append((room, server))
                }
            }
            if !page.hasMore || page.messages.isEmpty { return found }
        }
    }

    /// Forgets that this server has the room, if no other was given it meanwhile: so that a path
    /// that somebody once asked for costs nothing.
    package func forget(_ room: String) async throws(NATSError) {
        guard let (server, sequence) = try await kept(room), let server, server == own else {
            return
        }
        // Who is given it now has a newer one, which stays.
        try await jetStream.purge(
            layout.place(of: room), of: layout.placeStream, below: sequence + 1)
    }

    private func kept(
        _ room: String
    ) async throws(NATSError) -> (server: ClusterServer?, sequence: UInt64)? {
        await takeTurn()
        defer { passTurn() }
        let subject = layout.place(of: room)
        guard let message = try await jetStream.last(of: subject, in: layout.placeStream) else {
            return nil
        }
        // Of what can't be read nobody knows whom it is about.
        return (Self.body(message.payload).flatMap { ClusterServer($0) }, message.sequence)
    }

    private func write(
        _ server: ClusterServer, of room: String, behind sequence: UInt64
    ) async -> JetStream.Written {
        await takeTurn()
        defer { passTurn() }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("room", room)
        writer.member("server", server.id)
        writer.member("address", server.address)
        writer.endObject()
        return await jetStream.write(
            writer.bytes, to: layout.place(of: room), headers: NATSHeaders(), behind: sequence)
    }

    /// Waits until not many places are read or written: of thousands at once NATS drops some.
    private func takeTurn() async {
        while underway >= Self.mostAtOnce, !isClosed {
            await withCheckedContinuation { waiting.append($0) }
        }
        underway += 1
    }

    private func passTurn() {
        underway -= 1
        if !waiting.isEmpty { waiting.removeFirst().resume() }
    }

    private static let mostAtOnce = 64

    /// What somebody writes is heard before it is kept, also if it isn't.
    private func heardPlace(_ message: NATSMessage) {
        guard let body = Self.body(message.payload), let room = body["room"]?.string,
            let server = ClusterServer(body), server != own
        else { return }
        handler?(.placed(room: room, server))
    }

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

    fileprivate static func body(_ payload: [UInt8]) -> JSON? {
        guard let root = try? JSONDocument(payload, limits: .trusted).root, root.isObject else {
            return nil
        }
        return root.json
    }
}

extension ClusterServer {
    fileprivate init?(_ body: JSON) {
        guard let id = body["server"]?.string, let address = body["address"]?.string else {
            return nil
        }
        self.init(id: id, address: address)
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
