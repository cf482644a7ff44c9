import ArgumentParser
import Foundation
import StorecastClient
import StorecastTools

/// `storecast admin`
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "List a running server's rooms and connections, and end connections.",
        discussion: """
            Needs a server with devtools (--devtools-token FILE), and their token: --token-file \
            FILE, or \(DevtoolsOptions.variable) in the environment.

              storecast admin rooms localhost:9090 --token-file devtools.token
              storecast admin connections localhost:9090 --room /boards/lobby
              storecast admin kick localhost:9090 --connection 17 --reason "Too loud."
              storecast admin revoke localhost:9090 ada
              storecast admin reload localhost:9090

            The server's audit log says what was done, and from which address.

            Exit status: 0 if it was done; 1 if the server refuses it, or there is no such connection \
            or identity; 2 if the server can't be reached; 64 if the command makes no sense.
            """,
        subcommands: [Rooms.self, Connections.self, Kick.self, Revoke.self, Reload.self])

    /// Where the server is, and what proves that one may.
    struct Options: ParsableArguments {
        @Argument(help: "Where the server is: ws://HOST:PORT; ws:// may be left out.")
        var url: String

        @Option(
            help: ArgumentHelp(
                "Read the devtools' token from this file; without it it is taken from "
                    + "\(DevtoolsOptions.variable) in the environment.", valueName: "file"),
            completion: .file())
        var tokenFile: String?

        func validate() throws {
            guard ServerURL.completed(url) != nil else {
                throw ValidationError(ServerURL.problem(with: url))
            }
        }

        /// The URL of the devtools' room.
        var room: String {
            var url = ServerURL.completed(url) ?? url
            while url.hasSuffix("/") { url.removeLast() }
            return url.hasSuffix("/devtools") ? url : url + "/devtools"
        }

        /// - Parameter environment: where the token may be.
        func token(environment: [String: String]) throws(CommandFailure) -> String {
            guard let token = try DevtoolsOptions.token(in: tokenFile, environment) else {
                throw CommandFailure(
                    .trouble,
                    "Show the devtools' token: --token-file FILE, or \(DevtoolsOptions.variable) "
                        + "in the environment.")
            }
            return token
        }

        /// Runs `body` with the server's devtools.
        @MainActor
        func use<Result>(_ body: (Devtools) async throws -> Result) async throws -> Result {
            let token = try token(environment: ProcessInfo.processInfo.environment)
            let connection = RemoteConnection(room, token: { token })
            try await connection.becomeLive(
                at: room, hint: "The server has no devtools: start it with --devtools-token FILE.")
            defer { connection.close() }
            return try await body(Devtools(connection: connection))
        }
    }

    /// A server's devtools, as a client of their room has them.
    @MainActor
    struct Devtools {
        let connection: RemoteConnection

        /// How long an answer may take.
        private static let patience = Duration.seconds(30)

        /// The first value of a selection that is known and matches.
        func ask(
            _ selection: String, _ parameters: JSON? = nil,
            where matches: @escaping @MainActor (JSON) -> Bool = { _ in true }
        ) async throws(CommandFailure) -> JSON {
            let store = RemoteStore<JSON>(
                selection: selection, parameters: parameters, on: connection)
            let (answers, found) = AsyncStream<Result<JSON, CommandFailure>>.makeStream()
            let tasks = [
                Task {
                    for await value in store.states where !value.isNull && matches(value) {
                        found.yield(.success(value))
                    }
                },
                Task {
                    let problem = await store.firstProblem()
                    found.yield(.failure(CommandFailure(.refused, problem.description)))
                },
                Task {
                    guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
                    found.yield(.failure(CommandFailure(.trouble, "The server doesn't answer.")))
                },
            ]
            defer { for task in tasks { task.cancel() } }
            for await answer in answers { return try answer.get() }
            throw CommandFailure(.trouble, "The server doesn't answer.")
        }

        /// Has the server do something; returns the outcome, unless that is a problem.
        func perform(_ type: String, _ members: JSONObject = [:]) async throws -> JSON {
            let ticket = UUID().uuidString
            var payload = members
            payload["ticket"] = .string(ticket)
            do throws(Rejection) {
                _ = try await connection.dispatch(type: type, payload: .object(payload)).outcome
            } catch {
                throw CommandFailure(.refused, error.description)
            }
            func outcome(_ list: JSON) -> JSON? {
                list.array?.last { $0["ticket"]?.string == ticket && $0["isOver"]?.bool == true }
            }
            let list = try await ask("dispatches") { outcome($0) != nil }
            let result = outcome(list) ?? .null
            if let problem = result["problem"]?.string { throw CommandFailure(.refused, problem) }
            return result
        }
    }

    struct Rooms: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the open rooms, those with the most connections first.")

        @OptionGroup var server: Options

        @Flag(help: "Print one line of JSON for every room, with all that the devtools know of it.")
        var json = false

        func run() async throws {
            let answer = try await server.use { try await $0.ask("rooms") }
            for line in AdminTable.rooms(answer, asJSON: json) { StandardOutput.write(line) }
        }
    }

    struct Connections: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the connections, with their numbers, as the logs have them.")

        @OptionGroup var server: Options

        @Option(help: ArgumentHelp("Only those of this room.", valueName: "path"))
        var room: String?

        @Option(help: ArgumentHelp("Only those of this identity.", valueName: "id"))
        var identity: String?

        @Flag(help: "Print one line of JSON for every connection.")
        var json = false

        func run() async throws {
            var parameters: JSONObject = [:]
            parameters["room"] = room.map { .string($0) }
            parameters["identity"] = identity.map { .string($0) }
            let (room, parameter) = (room, JSON.object(parameters))
            let answer = try await server.use { devtools in
                if let room,
                    let failure = Self.failure(of: room, in: try await devtools.ask("rooms"))
                {
                    throw failure
                }
                return try await devtools.ask("connections", parameter)
            }
            for line in AdminTable.connections(answer, asJSON: json) { StandardOutput.write(line) }
        }

        /// What to say of a room that isn't open; nil if it is, or may be, as not all are listed.
        static func failure(of room: String, in rooms: JSON) -> CommandFailure? {
            let names = rooms["rooms"]?.array?.compactMap { $0["room"]?.string } ?? []
            let isAll = rooms["total"]?.int.map { $0 <= names.count } ?? true
            guard isAll, !names.contains(where: { $0.isSameText(as: room) }) else { return nil }
            let known = names.prefix(10).joined(separator: ", ")
            return CommandFailure(
                .refused,
                "No room '\(room)' is open; "
                    + (known.isEmpty ? "none is." : "these are: \(known)."))
        }
    }

    struct Kick: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a connection, or all of an identity.",
            discussion: """
                The client is told the reason, and doesn't come back by itself (close code 4106). \
                Nothing keeps its user from connecting again: see `revoke`.
                """)

        @OptionGroup var server: Options

        @Option(help: ArgumentHelp("The connection's number.", valueName: "number"))
        var connection: UInt64?

        @Option(help: ArgumentHelp("Whose connections.", valueName: "id"))
        var identity: String?

        @Option(help: ArgumentHelp("What the client is told.", valueName: "sentence"))
        var reason: String?

        func validate() throws {
            guard (connection == nil) != (identity == nil) else {
                throw ValidationError("Name either --connection NUMBER or --identity ID.")
            }
        }

        func run() async throws {
            var members: JSONObject = [:]
            members["connection"] = connection.map { .uint($0) }
            members["identity"] = identity.map { .string($0) }
            members["reason"] = reason.map { .string($0) }
            let payload = members
            let outcome = try await server.use { try await $0.perform("kick", payload) }
            StandardOutput.write(AdminTable.ended(outcome))
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shut an identity out, whatever token it shows, until the server stops.",
            discussion: """
                Its connections end. To shut it out for longer, also take its tokens from the file \
                of tokens, or from whoever issues them.

                  storecast admin revoke localhost:9090 ada
                  storecast admin revoke localhost:9090 ada --undo
                  storecast admin revoke localhost:9090 --list
                """)

        @OptionGroup var server: Options

        @Argument(help: "The identity's id.")
        var identity: String?

        @Flag(help: "Let it in again.")
        var undo = false

        @Flag(help: "List who is revoked.")
        var list = false

        func validate() throws {
            guard (identity == nil) == list, !(list && undo) else {
                throw ValidationError("Name an identity, or --list.")
            }
        }

        func run() async throws {
            guard let identity else {
                let answer = try await server.use { try await $0.ask("revocations") }
                for id in answer.array ?? [] { StandardOutput.write(id.string?.onOneLine ?? "") }
                return
            }
            let payload: JSONObject = ["identity": .string(identity), "isUndone": .bool(undo)]
            let outcome = try await server.use { try await $0.perform("revoke", payload) }
            StandardOutput.write(
                undo
                    ? "'\(identity)' may come in again"
                    : "'\(identity)' isn't let in until the server ends; "
                        + AdminTable.ended(outcome))
        }
    }

    struct Reload: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have the server read its files again, as SIGHUP does.",
            discussion: """
                Certificate and key, tokens, keys of JSON Web Tokens, and what of the \
                configuration may change; and the audit log is opened anew. If one can't be used, \
                the error says which, and the server goes on with what it had.
                """)

        @OptionGroup var server: Options

        func run() async throws {
            _ = try await server.use { try await $0.perform("reload") }
            StandardOutput.write("reloaded")
        }
    }
}

/// What `admin` prints.
enum AdminTable {
    static func rooms(_ answer: JSON, asJSON: Bool) -> [String] {
        let rooms = answer["rooms"]?.array ?? []
        if asJSON { return rooms.map(\.description) }
        let head = row("version", "connections", "behind", "actions/s", "phase", "room")
        let lines = rooms.map { room in
            row(
                number(room["version"]), number(room["clients"]), number(room["lag"]),
                "\(Int((room["actionsPerSecond"]?.double ?? 0).rounded()))",
                room["phase"]?.string ?? "", room["room"]?.string ?? "")
        }
        return [head] + lines + rest(of: rooms.count, answer)
    }

    static func connections(_ answer: JSON, asJSON: Bool) -> [String] {
        let connections = answer["connections"]?.array ?? []
        if asJSON { return connections.map(\.description) }
        func row(_ number: String, _ address: String, _ identity: String, _ room: String) -> String
        {
            [number.column(10, alignedRight: true), address.column(24), identity.column(24), room]
                .map(\.onOneLine).joined(separator: "  ")
        }
        let lines = connections.map { connection in
            let identity = connection["identity"]?.string ?? ""
            return row(
                number(connection["connection"]), connection["address"]?.string ?? "",
                identity.isEmpty ? "-" : identity.shown, connection["room"]?.string ?? "")
        }
        return [row("connection", "address", "identity", "room")] + lines
            + rest(of: connections.count, answer)
    }

    static func ended(_ outcome: JSON) -> String {
        Int(outcome["ended"]?.int ?? 0).counting("connection", "connections") + " ended"
    }

    private static func rest(of count: Int, _ answer: JSON) -> [String] {
        let others = Int(answer["total"]?.int ?? 0) - count
        return others > 0 ? ["and \(others) more"] : []
    }

    private static func number(_ json: JSON?) -> String { json.map(\.description) ?? "-" }

    private static func row(
        _ version: String, _ connections: String, _ behind: String, _ actions: String,
        _ phase: String, _ room: String
    ) -> String {
        [
            version.column(10, alignedRight: true), connections.column(11, alignedRight: true),
            behind.column(6, alignedRight: true), actions.column(9, alignedRight: true),
            phase.column(7), room.onOneLine,
        ].joined(separator: "  ")
    }
}
