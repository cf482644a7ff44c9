import StorecastWebSocket

/// Connections that only follow, and when the last of them had each version.
package final class Followers {
    /// What came since it was last asked.
    package struct News: Sendable {
        package var messages: Int
        package var bytes: Int
        /// How many connections ended.
        package var lost: Int
        /// Why the first of them did.
        package var loss: String?
        /// When the last connection had a version, in nanoseconds of the monotonic clock; in order.
        /// Where all have skipped a version, it has the next one's time.
        package var floors: [(version: UInt64, at: Int64)]
    }

    private let thread: LoadThread

    /// Connects and subscribes `plan.mirrors` connections, all on one thread.
    ///
    /// - Throws: what the server, or the system, has said against it.
    package init(_ plan: LoadPlan) async throws(LoadError) {
        do throws(EventLoopError) {
            thread = try LoadThread(name: "storecast-follow")
        } catch {
            throw LoadError(error.description)
        }
        do throws(LoadError) {
            try await thread.open(plan, connections: [], mirrors: Array(0..<plan.mirrors))
        } catch {
            await thread.close()
            throw error
        }
    }

    package func take() async -> News {
        let tally = await thread.take()
        return News(
            messages: tally.messagesReceived, bytes: tally.bytesReceived, lost: tally.lost,
            loss: tally.loss, floors: tally.floors)
    }

    package func close() async { await thread.close() }
}
