import ArgumentParser
import Logging
import StorecastServer

/// `storecast serve`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the example board, or a JSON document.",
        discussion: """
            Prints `listening on ws://HOST:PORT/` on standard output when clients can connect, and \
            where to find the board in a browser; logs to standard error. Ends on SIGINT (ctrl+C) \
            and SIGTERM, after saying goodbye to its clients.

            What happens is kept in one SQLite file, board.sqlite in the current directory, or \
            votes.sqlite beside votes.json; --data names another. Started again with the same \
            file, it goes on where it was, however it ended. One server at a time uses a file. With \
            --nats it is kept at NATS JetStream instead, where other servers go on with it.

            Beside the board at / there is one at each path /b/NAME, which begins when somebody \
            opens it. A board has the selections summary, columns, column (its parameter is a \
            column's id), card (a card's id), myCards, search, history, chat and present.

            With --devtools developers look into it at /devtools/: the URL that is printed for \
            them has a token, without which nobody gets in.

            With --json it serves the document in a file instead, which any client may change \
            (the file itself isn't written, and the room begins with it once): the actions set, \
            merge, increment, append and remove, each at a JSON Pointer "path", and the selection \
            value with the parameter \
            {"path": POINTER}. An edit that would make the document longer than --document-bytes \
            is rejected; the number may be another one at every start.

            With --rooms there are several of them, one at each path that matches a pattern, such as \
            '/boards/*'. With --rules each person may read and change only what a file allows, by \
            roles and paths. With --pages the server has pages of your own in place of those that it \
            comes with; they import the JavaScript client from /storecast/index.js.

            Without --tokens and --jwt-keys it is for trying things out: it takes a client's token \
            for the client's name and believes it, and so listens on this machine's address only, \
            unless with --demo. The file of tokens says whose each token is, as JSON: [{"token": "…", "id": "ada", \
            "roles": ["editor"], "expires": 1798761600}], with at least 16 bytes that nobody \
            guesses, or "sha256" with the token's SHA-256 in hexadecimal. On SIGHUP it is read \
            again, and connections end whose tokens are gone.

            Started by systemd, it tells that when it is ready (Type=notify), and listens on the socket \
            that it is given, if there is one.

            Each option may also be set in the environment (--allow-origin as \
            STORECAST_ALLOW_ORIGIN, several with commas between; --limit connections=500 as \
            STORECAST_LIMIT_CONNECTIONS=500) or in a JSON file (--config): \
            {"port": 9090, "allow-origin": ["https://app.example"], "limits": {"connections": 500}}. \
            An option overrides the environment, and the environment overrides the file. This also \
            decides between settings that exclude one another. Two of these set in the same place \
            are an error; so are two that say where rooms are, unless one is given as an option.
            """)

    @Option(
        help: ArgumentHelp(
            "Take what isn't given otherwise from this JSON file, by default from that which "
                + "STORECAST_CONFIG names.", valueName: "file"), completion: .file())
    var config: String?

    @Flag(help: "Print every setting, its value and where that is from, and end.")
    var printConfiguration = false

    @Option(help: "The address to listen on; 0.0.0.0 for all of the machine's.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 9090

    @Option(
        help: ArgumentHelp(
            "Accept this name in the Host header, such as one that a proxy passes on, beside this "
                + "machine's own. Without it only a server on another address than loopback "
                + "accepts any name.",
            valueName: "name"))
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "Also let pages of this site connect, such as https://app.example; * for all. Pages of "
                + "the server's own host, and programs, always may.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Believe the proxy at this address, or those in a network such as 10.0.0.0/8, about who "
                + "its clients are: Forwarded, or X-Forwarded-For, -Proto and -Host.",
            valueName: "address"))
    var trustedProxy: [String] = []

    @Option(
        help: ArgumentHelp(
            "Encrypt every connection with the certificate in this file (PEM, with its "
                + "intermediate certificates); SIGHUP reads it and the key again.",
            valueName: "file"), completion: .file())
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp(
            "The certificate's private key, in PEM, not encrypted.", valueName: "file"),
        completion: .file())
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Also answer /healthz, /readyz and /metrics (OpenMetrics) here, such as "
                + "127.0.0.1:9464, for nobody but those who run the server.",
            valueName: "host:port"))
    var operations: String?

    @OptionGroup var data: DataOptions

    @OptionGroup var nats: NATSOptions

    @OptionGroup var edge: EdgeOptions

    @OptionGroup var devtools: DevtoolsOptions

    @Option(
        help: ArgumentHelp("Serve the JSON document in this file.", valueName: "file"),
        completion: .file())
    var json: String?

    @Option(
        help: ArgumentHelp(
            "How many bytes the JSON document may have, as compact text, up to "
                + "\(JSONRoom.mostBytes) (60 MiB); 1048576 is 1 MiB.", valueName: "number"))
    var documentBytes = JSONRoom.longestDocument

    @Option(
        help: ArgumentHelp(
            "Serve a JSON document at each path that matches this, such as '/boards/*'; each begins "
                + "with that of --json, or with {}. A * stands for one segment: 1 to 64 letters, "
                + "digits, -, _, . and ~.", valueName: "pattern"))
    var rooms: [String] = []

    @Option(
        help: ArgumentHelp(
            "Let people read and change only what the rules in this file allow (Docs/Rules.md); "
                + "SIGHUP reads it again.", valueName: "file"), completion: .file())
    var rules: String?

    @OptionGroup var page: PageOptions

    @Option(
        help: ArgumentHelp(
            "Let only those in who have a token of this file, and believe nobody's name.",
            valueName: "file"), completion: .file())
    var tokens: String?

    @OptionGroup var jwt: JWTOptions

    @Flag(
        help: ArgumentHelp(
            "Let clients claim any name on other addresses than loopback too."))
    var demo = false

    @Option(
        help: ArgumentHelp(
            "How long the server may take to end, such as 30s or 1min, at least 1ms; by default "
                + "20s: it says goodbye to its clients in waves, and writes snapshots. In a cluster "
                + "it gives its rooms to others before, and may take two and a half times as long in "
                + "all. The same as --limit drain-timeout.", valueName: "time"))
    var drainTimeout: String?

    @Option(
        help: ArgumentHelp(
            "How many actions, and how many messages, a connection may send per second; bursts "
                + "may be ten times that. An identity may send twice, an address ten times as "
                + "much. 0 for no limit on these or on bytes.", valueName: "number"))
    var rate = 200

    @Option(
        help: ArgumentHelp(
            "Set a bound on what clients may send, have and cost, such as connections=500 or "
                + "\"message-bytes=256 KiB\"; Docs/Limits.md has all. It comes after --rate.",
            valueName: "name=value"))
    var limit: [String] = []

    @Option(help: ArgumentHelp("The least severe messages to log.", valueName: "level"))
    var logLevel = LogLevel(.info)

    enum LogFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Option(help: "Log lines of text, or an object of JSON in each line.")
    var logFormat = LogFormat.text

    @Option(
        help: ArgumentHelp(
            "Write down in this file who did what, and who was refused, an object of JSON in each "
                + "line; SIGHUP opens it anew.", valueName: "file"), completion: .file())
    var auditLog: String?

    /// Whether it serves JSON documents rather than the board.
    var isDocument: Bool { json != nil || !rooms.isEmpty }

    /// The paths that have rooms.
    var paths: RoomPatterns {
        get throws(ServerError) {
            try RoomPatterns(!rooms.isEmpty ? rooms : isDocument ? ["/"] : ["/", "/b/*"])
        }
    }

    /// The file in which it keeps what happens; nil for memory, NATS, or an edge.
    var file: String? {
        if nats.addresses != nil || edge.upstream != nil { return nil }
        return data.file(document: json ?? (rooms.isEmpty ? nil : "rooms.json"))
    }

    /// Whether clients have to prove who they are.
    var isClosed: Bool { tokens != nil || jwt.jwtKeys != nil }
}

/// The least severe level that is logged, as an option.
struct LogLevel: ExpressibleByArgument {
    let level: Logger.Level

    init(_ level: Logger.Level) {
        self.level = level
    }

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }

    var defaultValueDescription: String { level.rawValue }

    static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }
}
