import ArgumentParser
import StorecastClient
import StorecastTools

/// What every client command needs to know.
struct ServerOptions: ParsableArguments {
    @Argument(help: "Where the server is: ws://HOST:PORT/ROOM; ws:// may be left out.")
    var url: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Your name; without it you are anonymous.", valueName: "name"))
    var name: String?

    func validate() throws {
        if let name, !DemoAuthentication.isName(name) {
            throw ValidationError(
                "A name has 1 to \(DemoAuthentication.longestName) characters.")
        }
    }

    /// The URL with its scheme.
    var fullURL: String { url.contains("://") ? url : "ws://" + url }

    /// Starts to connect.
    func connect() -> RemoteConnection {
        RemoteConnection(fullURL, token: name.map { name in { @Sendable in name } })
    }

    /// Follows a connection: returns, with what to tell the person, when it failed before it was
    /// ever live, or ended for good; while it is lost in between, says so on standard error.
    func trouble(with connection: RemoteConnection) async -> CommandFailure? {
        var wasLive = false
        for await status in connection.statuses {
            switch status {
            case .connecting: break
            case .live:
                if wasLive { StandardError.write("connected again") }
                wasLive = true
            case .offline(let outage):
                guard wasLive else { return cannotConnect(outage.reason) }
                StandardError.write("offline, trying again: \(outage.reason)")
            case .closed(let rejection):
                guard let rejection else { return nil }
                return CommandFailure(
                    .trouble, "The server ended the connection: \(rejection)")
            }
        }
        return nil
    }

    private func cannotConnect(_ reason: String) -> CommandFailure {
        CommandFailure(
            .trouble,
            "Can't connect to \(fullURL): \(reason) "
                + "Check the address; `storecast serve` starts a server.")
    }
}
