import Counter
import StorecastDevtools
import StorecastJWT
import StorecastPages
import StorecastSQLite
import StorecastServer

/// What pages show of servers.
func serveCounter() async {
    // snippet: counter-server
    await SyncServer(port: 9090, journal: .sqlite("counter.sqlite"), room: Counter.room).main()
    // end of snippet
}

func serveList() async throws {
    // snippet: list-server
    let server = SyncServer(
        port: 9090, journal: .sqlite("list.sqlite"), room: listRoom,
        authentication: .tokens(file: "tokens.json"))
    await server.main()
    // end of snippet
}

func serveLists() async throws {
    // snippet: list-servers
    let server = SyncServer(
        port: 9090, journal: .sqlite("lists.sqlite"),
        authentication: .tokens(file: "tokens.json"),
        paths: try RoomPatterns(["/lists/*"]), rooms: { _ in listRoom })
    await server.main()
    // end of snippet
}

struct Person {
    var id: String
    var roles: Set<String>
}

protocol People: Sendable {
    nonisolated(nonsending) func find(_ token: String) async throws -> Person?
}

func authenticate(by people: any People) -> Authentication {
    // snippet: custom-authentication
    Authentication.custom { credentials in
        guard let token = credentials.token, let person = try await people.find(token) else {
            throw Rejection(.unauthenticated, "Sign in again.")
        }
        return Identity(person.id, roles: person.roles)
    }
    // end of snippet
}

func revoke(on server: SyncServer) async {
    // snippet: revoke
    let ended = await server.revoke(Identity("ada"))  // how many connections that has ended
    // end of snippet
    _ = ended
}

func makeJWTServer(
    rooms: @escaping @Sendable (String) -> RoomDefinition<Counter>?
) async throws -> SyncServer {
    // snippet: jwt
    let server = SyncServer(
        authentication: .jwt(
            try await .file("keys.json"), issuer: "https://login.example.org/", audience: "board"),
        rooms: rooms)
    // end of snippet
    return server
}

func makeDevtoolsServer(
    secret: String, rooms: @escaping @Sendable (String) -> RoomDefinition<Counter>?
) -> SyncServer {
    // snippet: devtools
    let server = SyncServer(extensions: [.devtools(.token(secret))], rooms: rooms)
    // end of snippet
    return server
}

func makeServerOfPages(token: String) throws -> SyncServer {
    let counter = Counter.room
    // snippet: put-together-pages
    let site = try WebPages.folder("Site").unchanging(under: "/assets/").and(.client).and(.devtools)
    let server = SyncServer(extensions: [.devtools(.token(token))], room: counter, pages: site)
    // end of snippet
    return server
}

func makeDocumentServer() throws -> SyncServer {
    // snippet: document-rules
    let rules = try DocumentRules(file: "rules.json")
    let document = JSONRoom.definition(initial: ["cards": [:]])
    let server = SyncServer(
        authentication: .tokens(file: "tokens.json"),
        rules: rules, paths: try RoomPatterns(["/boards/*"]),
        rooms: { document.obeying(rules, at: $0) })
    // end of snippet
    return server
}
