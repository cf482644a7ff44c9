import Logging
import StorecastSQLite
import StorecastServer
import StorecastTools

/// A server for tests, with rooms at every path whose reducer traps at an action: its arguments are
/// the journal's file, the port, and what comes after crashes. It logs to standard output.
///
/// With `journal` as the first argument it is the commands of ``RoomTools``.
@main struct TrappingServer {
    private struct Lines: Codable {
        var all: [String] = []
    }

    private struct Write: SyncAction {
        var text: String
    }

    private struct Poison: SyncAction {}

    private static var room: RoomDefinition<Lines> {
        RoomDefinition(
            state: Lines(), actions: [Write.self, Poison.self],
            selections: [Selection("all") { (lines: Lines) in lines.all }]
        ) { lines, action in
            switch action {
            case let write as Write: lines.all.append(write.text)
            case is Poison: fatalError("Poison.")
            default: break
            }
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments[1] == "journal" { return await RoomTools.main { _ in room } }
        LoggingSystem.bootstrap { StreamLogHandler.standardOutput(label: $0) }
        let server = SyncServer(
            port: Int(arguments[2]) ?? 0,
            journal: .sqlite(
                arguments[1], afterCrashes: arguments[3] == "stop" ? .stop() : .skip()),
            rooms: { _ in Self.room })
        try await server.run(onListening: { url in
            print("listening on \(url)")
            Task { _ = try? await server.room("/", of: Lines.self) }
        })
    }
}
