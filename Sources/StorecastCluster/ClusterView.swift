package import StorecastNATS
import StorecastWebSocket
import StorecastWire

/// A cluster as somebody sees it who is none of its servers.
package final class ClusterView: Sendable {
    private let loop: EventLoop
    private let jetStream: JetStream
    private let places: RoomPlaces

    private init(_ loop: EventLoop, _ jetStream: JetStream, _ places: RoomPlaces) {
        self.loop = loop
        self.jetStream = jetStream
        self.places = places
    }

    /// Listens until each server that is there has shown itself.
    ///
    /// - Throws: a sentence if NATS can't be reached.
    package static func open(
        _ configuration: NATSConfiguration, _ layout: JetStreamLayout
    ) async throws(NATSError) -> ClusterView {
        let loop: EventLoop
        do { loop = try EventLoop(name: "storecast-nats") } catch {
            throw .unavailable(error.description)
        }
        let jetStream = await JetStream(on: loop, configuration)
        let places = RoomPlaces(jetStream, layout)
        let view = ClusterView(loop, jetStream, places)
        do throws(NATSError) {
            try await jetStream.connected(within: .seconds(5))
        } catch {
            await view.close()
            throw error
        }
        await places.listen()
        // Twice the time from one pulse to the next, and some for the way.
        await jetStream.pause(.milliseconds(1200))
        return view
    }

    package func close() async {
        await places.close()
        await jetStream.close()
        await loop.shutDown()
    }

    package var servers: [RoomPlaces.Sight] {
        get async { await places.servers }
    }

    /// Who was given which room.
    package var rooms: [(room: String, server: ClusterServer)] {
        get async throws(NATSError) { try await places.all() }
    }

    /// Has a room go to another server; returns which. Throws `refused` if a server says no, or if
    /// there is no such room or server.
    package func move(
        _ room: String, to id: String?
    ) async throws(NATSError) -> ClusterServer {
        guard let owner = try await places.holder(of: room) else {
            throw .refused("Nobody has the room '\(room)'.")
        }
        var target: ClusterServer?
        if let id { target = try await server(id) }
        if target != owner { try await places.ask(owner, toMove: room, to: target?.id) }
        guard let now = try await places.holder(of: room) else {
            throw .refused("Nobody has the room '\(room)'.")
        }
        return now
    }

    /// Has all rooms of a server go to others; returns which server that was. Throws `refused` as
    /// ``move(_:to:)`` does.
    package func drain(_ id: String) async throws(NATSError) -> ClusterServer {
        let server = try await server(id)
        try await places.ask(server, toMove: nil)
        return server
    }

    private func server(_ id: String) async throws(NATSError) -> ClusterServer {
        let found = await servers.map(\.server).filter { $0.id.utf8.starts(with: id.utf8) }
        guard let first = found.first, !id.isEmpty else {
            throw .refused("There is no server '\(id)'.")
        }
        guard found.count == 1 else {
            throw .refused("'\(id)' may be \(found.map(\.id).joined(separator: " or ")).")
        }
        return first
    }
}
