import ArgumentParser
import Foundation
import StorecastClient
import StorecastTools

/// The options of every client command.
struct ServerOptions: ParsableArguments {
    @Argument(help: "Where the server is: ws://HOST:PORT/ROOM; ws:// may be left out.")
    var url: String

    @OptionGroup var who: TokenOptions

    func validate() throws {
        guard ServerURL.completed(url) != nil else {
            throw ValidationError(ServerURL.problem(with: url))
        }
    }

    /// The URL with its scheme.
    private var fullURL: String { ServerURL.completed(url) ?? url }

    /// Connects, and returns when the connection is live; throws an error for the user if that
    /// fails.
    func connect() async throws(CommandFailure) -> RemoteConnection {
        let token = try who.token(environment: ProcessInfo.processInfo.environment)
        // Asked for before every connection, so that a file may have a newer one meanwhile.
        let connection = RemoteConnection(
            fullURL, token: token.map { token in { @Sendable [who] in try who.newest(token) } })
        try await connection.becomeLive(at: fullURL)
        return connection
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
            case .closed(let rejection): return rejection.map { CommandFailure(end: $0) }
            }
        }
        return nil
    }
}

extension RemoteConnection {
    /// Returns when it is live; closes it and throws an error for the user if it can't be.
    ///
    /// - Parameter hint: what to say if there is no such room, other than that.
    func becomeLive(at url: String, hint: String? = nil) async throws(CommandFailure) {
        for await status in statuses {
            switch status {
            case .connecting: continue
            case .live: return
            case .offline(let outage):
                close()
                throw CommandFailure(
                    .trouble,
                    "Can't connect to \(url): \(outage.reason) "
                        + "Check the address; `storecast serve` starts a server.")
            case .closed(let rejection):
                if let hint, rejection?.code == Rejection.Code("no-room") {
                    throw CommandFailure(.trouble, hint)
                }
                throw CommandFailure(end: rejection)
            }
        }
        throw CommandFailure(end: nil)
    }
}

extension CommandFailure {
    /// The server has ended a connection.
    fileprivate init(end rejection: Rejection?) {
        self.init(
            .trouble,
            "The server ended the connection: \(rejection?.description ?? "It didn't say why.")")
    }
}

/// Who a client of a server is: what proves it, or only says it.
struct TokenOptions: ParsableArguments {
    /// The environment variable of the token, as everyone on the machine can read arguments.
    static let variable = "STORECAST_TOKEN"
    /// How many bytes a token may have.
    static let mostBytes = 8 << 10

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Your name, for a server that believes it as `storecast serve` does; without it and "
                + "without a token you are anonymous.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The token that proves who you are. Everyone on the machine can see it among the "
                + "running processes: better use --token-file, or \(Self.variable) in the "
                + "environment.", valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Read the token from this file; with neither option it is taken from "
                + "\(Self.variable), if that is there.", valueName: "file"), completion: .file())
    var tokenFile: String?

    func validate() throws {
        if name != nil, token != nil || tokenFile != nil {
            throw ValidationError(
                "A token says who you are: leave out --as, or --token and --token-file.")
        }
        if let name, !DemoAuthentication.isName(name) {
            throw ValidationError(DemoAuthentication.rule)
        }
        if token?.isEmpty == true { throw ValidationError("The token is empty.") }
    }

    /// What is shown to the server, nil for nothing: the first that there is of the options and the
    /// environment. No error has anything of it.
    ///
    /// - Parameter environment: where the token may be.
    func token(environment: [String: String]) throws(CommandFailure) -> String? {
        if let said = name ?? token { return said }
        if let tokenFile { return try Self.read(tokenFile) }
        guard let token = environment[Self.variable], !token.isEmpty else { return nil }
        return try Self.checked(token, from: Self.variable)
    }

    /// What the file has now, if the token is from a file.
    func newest(_ token: String) throws(CommandFailure) -> String {
        guard name == nil, self.token == nil, let tokenFile else { return token }
        return try Self.read(tokenFile)
    }

    static func read(_ path: String) throws(CommandFailure) -> String {
        guard let file = fopen(path, "rb") else { throw unreadable(path) }
        defer { fclose(file) }
        // With its newline, and one byte more, to see that there are too many.
        var bytes = [UInt8](repeating: 0, count: mostBytes + 3)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw unreadable(path) }
        var text = bytes[..<count]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        guard let token = String(validating: text, as: UTF8.self) else {
            throw CommandFailure(.trouble, "The token in '\(path)' isn't UTF-8.")
        }
        return try checked(token, from: "'\(path)'")
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        let reason = String(cString: strerror(errno))
        return CommandFailure(.trouble, "The token in '\(path)' can't be read: \(reason).")
    }

    private static func checked(
        _ token: String, from place: String
    ) throws(CommandFailure) -> String {
        guard !token.isEmpty else {
            throw CommandFailure(.trouble, "There is no token in \(place).")
        }
        guard token.utf8.count <= mostBytes else {
            throw CommandFailure(
                .trouble, "What is in \(place) is no token: it has more than \(mostBytes) bytes.")
        }
        return token
    }
}
