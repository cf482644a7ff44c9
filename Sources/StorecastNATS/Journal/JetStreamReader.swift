package import StorecastRoom
import StorecastSync
import StorecastWebSocket

/// The rooms at JetStream for somebody who only reads them, also while servers write: nothing is
/// made or written there, and no room is taken over.
package final class JetStreamReader: Sendable {
    private let loop: EventLoop
    private let jetStream: JetStream
    private let layout: JetStreamLayout
    private let logs: JetStreamLogs
    private let snapshots: JetStreamSnapshots

    private init(_ loop: EventLoop, _ jetStream: JetStream, _ layout: JetStreamLayout) {
        self.loop = loop
        self.jetStream = jetStream
        self.layout = layout
        logs = JetStreamLogs(jetStream, layout)
        snapshots = JetStreamSnapshots(jetStream, layout)
    }

    /// Connects.
    ///
    /// - Parameter timeout: for that, and for each request.
    /// - Throws: ``JournalError/unavailable(_:)`` with a sentence if NATS can't be reached.
    @concurrent package static func open(
        _ configuration: NATSConfiguration, _ layout: JetStreamLayout = .init(),
        timeout: Duration = .seconds(5)
    ) async throws(JournalError) -> JetStreamReader {
        let loop: EventLoop
        do { loop = try EventLoop(name: "storecast-nats") } catch {
            throw .unavailable(error.description)
        }
        let jetStream = await JetStream(on: loop, configuration, timeout: timeout)
        let reader = JetStreamReader(loop, jetStream, layout)
        do throws(NATSError) { try await jetStream.connected(within: timeout) } catch {
            await reader.close()
            throw .unavailable(error.description)
        }
        return reader
    }

    package func close() async {
        await logs.close()
        await jetStream.close()
        await loop.shutDown()
    }

    /// Whether servers were ever started there, and have made streams.
    package func hasStreams() async throws(JournalError) -> Bool {
        do throws(NATSError) {
            _ = try await jetStream.last(of: layout.nothing, in: layout.stream(0))
        } catch {
            if case .missing = error { return false }
            throw .unavailable(error.description)
        }
        return true
    }

    /// The names of the rooms of which something is kept, in order.
    package func names() async throws(JournalError) -> [String] {
        var names: Set<ExactString> = []
        do throws(NATSError) {
            for number in 0..<layout.streams {
                let subjects = try await jetStream.subjects(
                    layout.subjects(number), of: layout.stream(number))
                for subject in subjects {
                    if let room = layout.room(of: subject) { names.insert(ExactString(room)) }
                }
            }
        } catch {
            throw .unavailable("The rooms of '\(layout.name)' aren't known: \(error)")
        }
        return names.sortedStrings()
    }

    package func export(of room: String) -> RoomExport { RoomExport(of: room, logs, snapshots) }
}
