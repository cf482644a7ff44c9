import ArgumentParser
import BuildInformation
import Foundation
import StorecastRoom
import StorecastSQLite
import StorecastTools
import StorecastWebSocket

/// `storecast`: a server to try things out with, and clients for people and scripts.
@main
struct StorecastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storecast",
        abstract: "One store on a server, live mirrors on every client.",
        discussion: """
            In one terminal:

              storecast serve

            In others:

              storecast watch localhost:9090 summary
              storecast dispatch localhost:9090 Say '{"text":"Hello from a script"}'

            Without any Swift code, for any JSON document:

              echo '{"votes":{}}' > poll.json
              storecast serve --json poll.json --port 9091

            and in others:

              storecast watch localhost:9091 value '{"path":"/votes"}'
              storecast dispatch localhost:9091 increment '{"path":"/votes/tea"}'

            How much the server takes:

              storecast bench localhost:9091 --action increment \\
                --payload '{"path":"/votes/tea"}' --find p99=20ms
            """,
        version: Software.report(commit: String(cString: storecast_commit())),
        subcommands: [
            ServeCommand.self, WatchCommand.self, DispatchCommand.self, BenchCommand.self,
            AdminCommand.self, ClusterCommand.self, DoctorCommand.self, JournalCommand.self,
            TypesCommand.self,
        ])

    static func main() async {
        await KnownRooms.$current.withValue(KnownRooms(definition: ServedRoom.definition)) {
            await CommandRun.run(StorecastCommand.self) { arguments in
                guard arguments.first == "serve" else { return arguments }
                let settings = try await Settings(
                    Array(arguments.dropFirst()), of: ServeCommand.self,
                    environment: ProcessInfo.processInfo.environment)
                // What is wrong with given arguments, and help, is said when these are parsed.
                do { _ = try settings.command() } catch let failure as CommandFailure {
                    throw failure
                } catch {}
                return ["serve"] + settings.arguments
            }
        }
    }
}

extension Software {
    /// What `--version` prints: also what it was built from, and runs with, for reports of faults.
    ///
    /// - Parameter commit: empty if it isn't known.
    static func report(commit: String) -> String {
        // The runtime doesn't know its third number.
        let swift = "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2)
        let libraries =
            WebSocketLibraries.versions + [
                ("SQLite", SQLiteStore.libraryVersion),
                ("Swift", swift.joined(separator: ".")),
            ]
        return "storecast \(version)" + (commit.isEmpty ? "" : ", commit \(commit)") + "\nwith "
            + libraries.map { "\($0) \($1)" }.joined(separator: ", ")
    }
}
