import ArgumentParser
import StorecastCluster
import StorecastNATS
import StorecastServer
import StorecastTools
import StorecastWebSocket

/// `storecast cluster`
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "See which server of a cluster has which room, move rooms, and copy them.",
        discussion: """
            Of servers that were started with --cluster, at the same NATS servers:

              storecast cluster status --cluster nats://10.0.0.1,nats://10.0.0.2
              storecast cluster move /boards/lobby --cluster nats://10.0.0.1
              storecast cluster drain 4f0c2a91d3e6 --cluster nats://10.0.0.1
              storecast cluster import board.sqlite --cluster nats://10.0.0.1
              storecast cluster export backup.sqlite --cluster nats://10.0.0.1

            A server is called by its id, which status shows, or by the beginning of that. Nobody's \
            connection ends when a room goes elsewhere. After drain a server has no rooms, and \
            until it is started anew it is given none unless nobody else is there.

            import and export copy rooms between a file and NATS; no server has to be there.

            Exit status: 0 if it was done; 1 if a server refuses it, or there is no such room or \
            server, or no server at all, or a room that is to be copied is there already; 2 if NATS \
            can't be reached, doesn't answer or refuses, or what is in a file, or at NATS, can't be \
            used; 64 if the command makes no sense.
            """,
        subcommands: [
            Status.self, Move.self, Drain.self, ClusterImportCommand.self,
            ClusterExportCommand.self,
        ])

    /// Where NATS is, and who asks.
    struct Options: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The NATS servers at which the cluster has its rooms, such as "
                    + "nats://10.0.0.1,nats://10.0.0.2: what its servers have of --cluster.",
                valueName: "addresses"))
        var cluster: String?

        @OptionGroup var access: NATSAccess

        func validate() throws {
            guard let cluster else {
                throw ValidationError("Where is NATS? Add --cluster ADDRESSES.")
            }
            try access.check(cluster)
        }

        /// Reads the files.
        var servers: NATSServers {
            get throws(CommandFailure) {
                guard let cluster else { preconditionFailure("It was checked.") }
                return try access.servers(cluster)
            }
        }

        /// Runs `body` with what is known of the cluster once every server was heard.
        func use<Result: Sendable>(
            _ body: @Sendable (ClusterView) async throws(NATSError) -> Result
        ) async throws(CommandFailure) -> Result {
            let servers = try servers
            let view: ClusterView
            do throws(NATSError) {
                view = try await ClusterView.open(servers)
            } catch {
                throw CommandFailure(.trouble, error.description)
            }
            do throws(NATSError) {
                let result = try await body(view)
                await view.close()
                return result
            } catch {
                await view.close()
                if case .refused(let problem) = error { throw CommandFailure(.refused, problem) }
                throw CommandFailure(.trouble, error.description)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the servers, and who has which room.",
            discussion: """
                A line for each server (its id, its address, and how many rooms it has), then one for \
                each room: its path and its server's id, or "nobody" if that server is gone and \
                nobody has asked for the room since.
                """)

        @OptionGroup var options: Options

        func run() async throws {
            let status = try await options.use { view throws(NATSError) in
                try await view.status()
            }
            for server in status.servers {
                StandardOutput.write(
                    "server \(server.id) \(server.address) "
                        + server.rooms.counting("room", "rooms")
                        + (server.isDrained ? " drained" : ""))
            }
            for room in status.rooms {
                StandardOutput.write("room \(room.path) \(room.server ?? "nobody")")
            }
            if status.servers.isEmpty {
                throw CommandFailure(.refused, "No server of the cluster is there.")
            }
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have a room go to another server.")

        @Argument(help: ArgumentHelp("The room's path.", valueName: "room"))
        var room: String

        @Option(
            help: ArgumentHelp(
                "To this server, by its id; without it, to the one that would have it if its own "
                    + "were gone.", valueName: "server"))
        var to: String?

        @OptionGroup var options: Options

        func run() async throws {
            let (room, to) = (room, to)
            let server = try await options.use { view throws(NATSError) in
                try await view.move(room, to: to)
            }
            StandardOutput.write("room \(room) \(server.id)")
        }
    }

    struct Drain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have all rooms of a server go to others; it takes none from then on.")

        @Argument(help: ArgumentHelp("The server's id, or its beginning.", valueName: "server"))
        var server: String

        @OptionGroup var options: Options

        func run() async throws {
            let id = server
            let server = try await options.use { view throws(NATSError) in
                try await view.drain(id)
            }
            StandardOutput.write("server \(server.id) drained")
        }
    }
}
