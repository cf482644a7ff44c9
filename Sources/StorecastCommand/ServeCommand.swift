import ArgumentParser
import Example
import Logging
import StorecastServer

/// `storecast serve`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the example board, or a JSON document.",
        discussion: """
            Prints one line, `listening on ws://HOST:PORT/`, on standard output when clients can \
            connect; logs to standard error. Ends on SIGINT (ctrl+C) and SIGTERM, after saying \
            goodbye to its clients.

            The board has the selections summary, columns, column (its parameter is a column's \
            id), card (a card's id), myCards, chat and present.

            With --json it serves the document in a file instead, which any client may change \
            (the file itself isn't written): the actions set, merge, increment, append and remove, \
            each at a JSON Pointer "path", and the selection value with the parameter \
            {"path": POINTER}.

            This is a server for trying things out. It takes a client's token for the client's \
            name and believes it: don't serve it to people whom you don't trust.
            """)

    @Option(help: "The address to listen on; 0.0.0.0 for all of the machine's.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 9090

    @Option(help: "Where to keep what happens: none (it ends with the server).")
    var journal = JournalChoice.none

    @Option(
        help: ArgumentHelp("Serve the JSON document in this file.", valueName: "file"),
        completion: .file())
    var json: String?

    @Option(help: ArgumentHelp("The least severe messages to log.", valueName: "level"))
    var logLevel = LogLevel(.info)

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("A port is a number from 0 to 65535; \(port) isn't.")
        }
    }

    func run() async throws {
        let level = logLevel.level
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let room = try room()
        let server = SyncServer(host: host, port: port, journal: journal.provider) { path in
            path == "/" ? room : nil
        } authenticate: { credentials in
            try DemoAuthentication.identity(token: credentials.token)
        }
        do throws(ServerError) {
            try await server.run { url in StandardOutput.write("listening on \(url)") }
        } catch {
            throw CommandFailure(.trouble, error.description)
        }
    }

    private func room() throws(CommandFailure) -> any RoomDefinitionProtocol {
        guard let json else { return Board.room }
        return JSONRoom.definition(initial: try JSONFile.read(json))
    }
}
