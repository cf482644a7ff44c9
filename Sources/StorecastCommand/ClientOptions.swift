import ArgumentParser
import StorecastClient
import StorecastTools

/// The options of every client command.
struct ServerOptions: ParsableArguments {
    @Argument(help: "Where the server is: ws://HOST:PORT/ROOM; ws:// may be left out.")
    var url: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Your name; without it you are anonymous.", valueName: "name"))
    var name: String?

    func validate() throws {
        guard ServerURL.completed(url) != nil else {
            throw ValidationError(ServerURL.problem(with: url))
        }
        if let name, !DemoAuthentication.isName(name) {
            throw ValidationError(
                "A name has 1 to \(DemoAuthentication.longestName) characters.")
        }
    }

    /// The URL with its scheme.
    private var fullURL: String { ServerURL.completed(url) ?? url }

    /// Connects, and returns when the connection is live; throws an error for the user if that
    /// fails.
    func connect() async throws(CommandFailure) -> RemoteConnection {
        let connection = RemoteConnection(
            fullURL, token: name.map { name in { @Sendable in name } })
        for await status in connection.statuses {
            switch status {
            case .connecting: continue
            case .live: return connection
            case .offline(let outage):
                connection.close()
                throw CommandFailure(
                    .trouble,
                    "Can't connect to \(fullURL): \(outage.reason) "
                        + "Check the address; `storecast serve` starts a server.")
            case .closed(let rejection): throw Self.ended(rejection)
            }
        }
        throw Self.ended(nil)
    }

    /// Waits for the end of a live connection, and returns an error for the user; nil if it was
    /// closed here. Reports on standard error when it is lost and connected again.
    func end(of connection: RemoteConnection) async -> CommandFailure? {
        var isAway = false
        for await status in connection.statuses {
            switch status {
            case .connecting: break
            case .live:
                if isAway { StandardError.write("connected again") }
                isAway = false
            case .offline(let outage):
                isAway = true
                StandardError.write("offline, trying again: \(outage.reason)")
            case .closed(let rejection): return rejection.map { Self.ended($0) }
            }
        }
        return nil
    }

    private static func ended(_ rejection: Rejection?) -> CommandFailure {
        CommandFailure(
            .trouble,
            "The server ended the connection: \(rejection?.description ?? "It didn't say why.")")
    }
}
