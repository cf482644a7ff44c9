#if os(Linux)
    import Logging
    import StorecastSQLite
    import StorecastServer
    import StorecastSync

    /// Lets any client look at a room while what happened in it is played.
    ///
    /// Whoever connects is who its token says, as nobody can do anything but look.
    struct ReplayServer: Sendable {
        private let server: SyncServer
        private let path: String

        /// - Parameter onArrival: called whenever a client has come.
        init(
            of room: RecordedRoom, port: Int, onArrival: @escaping @Sendable () -> Void
        ) throws {
            let definition = try room.definition().exhibited()
            let path = room.name
            self.path = path
            var logger = Logger(label: "storecast.replay")
            logger.logLevel = .warning
            server = SyncServer(port: port, logger: logger) {
                $0 == path ? definition : nil
            } authenticate: { credentials in
                onArrival()
                return Identity(credentials.token ?? "")
            }
        }

        /// Serves until it is told to stop, or the task is cancelled.
        func run(onListening: @Sendable (_ url: String) -> Void) async throws(CommandFailure) {
            do throws(ServerError) {
                try await server.run { onListening(String($0.dropLast()) + path) }
            } catch {
                throw CommandFailure(.trouble, error.description)
            }
        }

        /// Begins with a state.
        func show(_ snapshot: JournalSnapshot) {
            server.perform(in: path) { $0.show(snapshot) }
        }

        /// Goes on with an entry.
        func show(_ travelled: TravelledEntry) {
            guard let record = travelled.entry.record else { return }
            let offset = travelled.entry.offset
            server.perform(in: path) { $0.show(record, at: offset) }
        }
    }
#endif
