import StorecastWire

/// Who has a room: the stream keeps that for each, with where it stands in the stream.
extension RoomPlaces {
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
    func heardPlace(_ message: NATSMessage) {
        guard let body = Self.body(message.payload), let room = body["room"]?.string,
            let server = ClusterServer(body), server != own
        else { return }
        handler?(.placed(room: room, server))
    }
}
