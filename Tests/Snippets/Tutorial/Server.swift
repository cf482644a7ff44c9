import StorecastSQLite
package import StorecastServer

/// The tutorial's server, on any free port; for its test.
package func makeServer() -> SyncServer {
    SyncServer(port: 0, rooms: { $0 == "/poll" ? Poll.serverRoom : nil }, authenticate: identify)
}

// snippet: poll-authentication
func identify(_ credentials: Credentials) throws -> Identity {
    switch credentials.token {
    case "secret of ada": Identity("ada", roles: ["voter"])
    case nil: .anonymous
    default: throw Rejection(.forbidden, "Nobody has this token.")
    }
}
// end of snippet

// snippet: poll-server
package func serve() async {
    let server = SyncServer(
        port: 9090, journal: .sqlite("poll.sqlite"),
        rooms: { path in path == "/poll" ? Poll.serverRoom : nil }, authenticate: identify)
    await server.main()
}
// end of snippet
