package import StorecastNATS
import StorecastWebSocket

/// A cluster as somebody sees it who is none of its servers.
package final class ClusterView: Sendable {
    private let loop: EventLoop
    private let jetStream: JetStream
    private let places: RoomPlaces
    /// What the streams' names begin with.
    private let name: String

    private init(
        _ loop: EventLoop, _ jetStream: JetStream, _ places: RoomPlaces, _ name: String
    ) {
        self.loop = loop
        self.jetStream = jetStream
        self.places = places
        self.name = name
    }

    /// Listens until each server that is there has shown itself.
    ///
    /// - Throws: a sentence if NATS can't be reached, or doesn't permit it.
    package static func open(_ nats: NATSServers) async throws(NATSError) -> ClusterView {
        let loop: EventLoop
        do { loop = try EventLoop(name: "storecast-nats") } catch {
            throw .unavailable(error.description)
        }
        let jetStream = await JetStream(on: loop, nats.configuration)
        let places = RoomPlaces(jetStream, nats.layout)
        let view = ClusterView(loop, jetStream, places, nats.layout.name)
        do throws(NATSError) {
            try await jetStream.connected(within: .seconds(5))
            await places.listen()
            // Twice the time from one pulse to the next, and some for the way.
            for _ in 0..<12 {
                await jetStream.pause(.milliseconds(100))
                if let error = await places.refusalOfPulses() { throw error }
            }
        } catch {
            await view.close()
            throw error
        }
        return view
    }

    package func close() async {
        await places.close()
        await jetStream.close()
        await loop.shutDown()
    }

    /// The servers that are there, and who has which room.
    package func status() async throws(NATSError) -> ClusterStatus {
        do throws(NATSError) { return try await places.status() } catch .missing {
            throw .neverStarted(name)
        }
    }

    /// Has a room go to another server; returns which. Throws `refused` if a server says no, or if
    /// there is no such room or server.
    package func move(
        _ room: String, to id: String?
    ) async throws(NATSError) -> ClusterServer {
        do throws(NATSError) { return try await places.move(room, to: id) } catch .missing {
            throw .neverStarted(name)
        }
    }

    /// Has all rooms of a server go to others; returns which server that was. Throws `refused` as
    /// ``move(_:to:)`` does.
    package func drain(_ id: String) async throws(NATSError) -> ClusterServer {
        do throws(NATSError) {
            // It would only be said that there is no such server.
            if await places.servers.isEmpty { _ = try await places.holder(of: "/") }
            return try await places.drain(id)
        } catch .missing {
            throw .neverStarted(name)
        }
    }
}
