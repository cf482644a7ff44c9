package import StorecastNATS
import StorecastWebSocket

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
    package static func open(_ nats: NATSServers) async throws(NATSError) -> ClusterView {
        let loop: EventLoop
        do { loop = try EventLoop(name: "storecast-nats") } catch {
            throw .unavailable(error.description)
        }
        let jetStream = await JetStream(on: loop, nats.configuration)
        let places = RoomPlaces(jetStream, nats.layout)
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

    /// The servers that are there, and who has which room.
    package func status() async throws(NATSError) -> ClusterStatus { try await places.status() }

    /// Has a room go to another server; returns which. Throws `refused` if a server says no, or if
    /// there is no such room or server.
    package func move(
        _ room: String, to id: String?
    ) async throws(NATSError) -> ClusterServer {
        try await places.move(room, to: id)
    }

    /// Has all rooms of a server go to others; returns which server that was. Throws `refused` as
    /// ``move(_:to:)`` does.
    package func drain(_ id: String) async throws(NATSError) -> ClusterServer {
        try await places.drain(id)
    }
}
