import ArgumentParser
import StorecastClient

/// `storecast-board`: a shared board in the terminal.
@main
struct BoardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storecast-board",
        abstract: "A shared board in the terminal: cards in columns, a chat, and who is there.",
        discussion: """
            Shows the board of a storecast server, and what others do to it, as it happens. Start a \
            server with `storecast serve`, then this in two terminals:

              storecast-board --as ada
              storecast-board --as bob

            Press ? for the keys and q to leave. When the connection is lost, what you do is kept \
            and sent when it is back.
            """)

    @Argument(help: "Where the server is: ws://HOST:PORT/ROOM; ws:// may be left out.")
    var url = "ws://127.0.0.1:9090/"

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Your name, up to 64 characters. Without it you are anonymous.", valueName: "name"))
    var name: String?

    func validate() throws {
        guard ServerURL.completed(url) != nil else {
            throw ValidationError(ServerURL.problem(with: url))
        }
        if let name, name.isEmpty || name.unicodeScalars.count > 64 {
            throw ValidationError("A name has 1 to 64 characters.")
        }
    }

    @MainActor
    func run() async throws {
        guard TerminalDevice.isThere else {
            throw ValidationError(
                "The board needs a terminal. For scripts there are `storecast watch` and "
                    + "`storecast dispatch`.")
        }
        await BoardClient(url: ServerURL.completed(url) ?? url, user: name).run()
    }
}
