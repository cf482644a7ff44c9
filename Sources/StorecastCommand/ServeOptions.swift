import ArgumentParser
import Foundation
import StorecastDevtools
import StorecastJWT
import StorecastPages
import StorecastServer
import StorecastSQLite
import StorecastTools

/// Where `serve` keeps what happens.
struct DataOptions: ParsableArguments {
    enum Durability: String, ExpressibleByArgument, CaseIterable {
        case machine, process
    }

    @Option(
        help: ArgumentHelp(
            "Keep what happens in this file; by default in board.sqlite here, or beside the "
                + "document.", valueName: "file"), completion: .file())
    var data: String?

    @Flag(help: "Keep what happens in memory only: it ends with the server.")
    var memory = false

    @Option(
        help: ArgumentHelp(
            "What an acknowledged action survives: a crash of the machine, or only the end of the "
                + "process, which is faster; by default the machine's."))
    var durability: Durability?

    enum AfterCrashes: String, ExpressibleByArgument, CaseIterable {
        case skip, stop
    }

    @Option(
        help: ArgumentHelp(
            "When the process has ended three times in a row while it reduced one action: skip it "
                + "for good, or stop opening the room."))
    var afterCrashes = AfterCrashes.skip

    @Option(
        help: ArgumentHelp(
            "Forget what is older than the newest N snapshots of the state, one of which is taken "
                + "every 10,000 actions or so; by default everything is kept.", valueName: "n"))
    var keepSnapshots: Int?

    func validate() throws {
        if let keepSnapshots, keepSnapshots < 1 {
            throw ValidationError("At least one snapshot is kept: --keep-snapshots 1.")
        }
        if memory, let ofFile {
            throw ValidationError("With --memory there is no \(ofFile): leave one of them out.")
        }
    }

    /// The first option that is given and about a file.
    var ofFile: String? {
        data != nil ? "--data" : durability != nil ? "--durability" : nil
    }

    /// The file, nil for memory.
    ///
    /// - Parameter document: the JSON document that is served.
    func file(document: String?) -> String? {
        guard !memory else { return nil }
        return data ?? document.map { Self.file(beside: $0) } ?? "board.sqlite"
    }

    func journal(in file: String?) -> JournalProvider {
        let durability: SQLiteDurability = durability == .process ? .process : .machine
        let crashes: CrashPolicy = afterCrashes == .skip ? .skip() : .stop()
        return file.map {
            .sqlite($0, durability: durability, afterCrashes: crashes)
        } ?? .memory
    }

    /// `votes.sqlite` for `votes.json`.
    private static func file(beside document: String) -> String {
        let stem = document.hasSuffix(".json") ? String(document.dropLast(5)) : document
        return stem + ".sqlite"
    }
}

/// What `serve` has for browsers.
struct PageOptions: ParsableArguments {
    /// Where pages import the JavaScript client from.
    static let client = "/storecast/"

    @Option(
        help: ArgumentHelp(
            "Serve the files in this folder to browsers, as they are at the start, in place of the "
                + "pages that there are otherwise.", valueName: "folder"), completion: .directory)
    var pages: String?

    @Option(
        help: ArgumentHelp(
            "What the pages of --pages may load: the header Content-Security-Policy; by default "
                + "only what this server has.", valueName: "policy"))
    var pagesPolicy: String?

    /// What makes no sense, or nil.
    var problem: String? {
        guard let pagesPolicy else { return nil }
        if pages == nil { return "A policy is for pages of your own: add --pages FOLDER." }
        // It becomes a header.
        return pagesPolicy.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !pagesPolicy.isEmpty
            ? nil
            : "The policy of the pages is a line of ASCII: --pages-policy \"default-src 'self'\"."
    }

    /// - Parameters:
    ///   - others: what there is without ``pages``.
    ///   - hasDevtools: whether the devtools' page is needed.
    func pages(insteadOf others: WebPages, _ hasDevtools: Bool) throws(ServerError) -> WebPages {
        guard let pages else { return others.and(.client).and(.devtools) }
        var all = try WebPages.folder(pages)
        if let path = all.paths.first(where: { $0.hasPrefix(Self.client) }) {
            throw ServerError(
                .pagesUnreadable,
                "'\(pages)\(path)' would be where the JavaScript client is: give the folder another "
                    + "name than storecast.")
        }
        all = all.and(.client)
        if hasDevtools { all = all.and(.devtools) }
        if let pagesPolicy { all.policy = pagesPolicy }
        return all
    }
}

/// Who may look into the rooms of `serve`.
struct DevtoolsOptions: ParsableArguments {
    /// The environment variable of the token, as everyone on the machine can read arguments.
    static let variable = "STORECAST_DEVTOOLS_TOKEN"

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Let developers look into the rooms, at /devtools, with the token that is in the URL "
                + "that is printed."))
    var devtools: Bool?

    @Option(
        help: ArgumentHelp(
            "Ask developers for the token in this file, or else in \(Self.variable), rather than "
                + "for one that is made at the start; implies --devtools.",
            valueName: "file"), completion: .file())
    var devtoolsToken: String?

    /// Whether options ask for them.
    var areOn: Bool { devtools ?? (devtoolsToken != nil) }

    /// Nil if devtools are off. The fragment is for the page's URL: it has the token if that was
    /// made here, and browsers don't send it, so that the token is in no log.
    ///
    /// - Parameter environment: where the token may be.
    func access(
        environment: [String: String]
    ) throws(CommandFailure) -> (access: DevtoolsAccess, fragment: String)? {
        if devtools == false { return nil }
        if let token = try Self.token(in: devtoolsToken, environment) {
            return (.token(token), "")
        }
        guard devtools == true else { return nil }
        let token = DevtoolsAccess.makeToken()
        return (.token(token), "#token=\(token)")
    }

    /// The token in a file, or else in the environment; nil if there is none. Both the server that
    /// asks for it and the command that shows it read it so.
    static func token(
        in file: String?, _ environment: [String: String]
    ) throws(CommandFailure) -> String? {
        let text: String
        if let file {
            text = try TokenOptions.read(file)
        } else if let content = environment[Self.variable] {
            text = content
        } else {
            return nil
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard DevtoolsAccess.isLongEnough(token) else {
            throw CommandFailure(
                .trouble, "The devtools' token is too short: at least 16 characters.")
        }
        return token
    }
}

/// Whose JSON Web Tokens `serve` takes.
struct JWTOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Let only those in who have a JSON Web Token that a key in this JWK set has signed; on "
                + "SIGHUP it is read again.", valueName: "file"), completion: .file())
    var jwtKeys: String?

    @Option(help: ArgumentHelp("What 'iss' has to be in a token.", valueName: "text"))
    var jwtIssuer: String?

    @Option(
        help: ArgumentHelp(
            "What 'aud' has to be in a token, or have among others.", valueName: "text"))
    var jwtAudience: String?

    @Option(
        help: ArgumentHelp("The claim of a token that has its owner's roles.", valueName: "name"))
    var jwtRoles = "roles"

    func validate() throws {
        guard jwtKeys == nil, jwtIssuer != nil || jwtAudience != nil else { return }
        throw ValidationError("Who signs the tokens? Add --jwt-keys FILE.")
    }

    /// Nil without keys.
    var authentication: Authentication? {
        get async throws(ServerError) {
            guard let jwtKeys else { return nil }
            return .jwt(
                try await .file(jwtKeys), issuer: jwtIssuer, audience: jwtAudience, roles: jwtRoles)
        }
    }
}

/// What has started the process, if it wants to hear of it: systemd's `Type=notify`.
enum ServiceManager {
    /// The descriptor of the listening socket that it has passed on, as sd_listen_fds(3) describes;
    /// nil without one.
    static func listeningSocket(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Int32? {
        guard environment["LISTEN_PID"] == "\(getpid())", environment["LISTEN_FDS"] == "1"
        else { return nil }
        return 3
    }

    /// Sends it one line, as sd_notify(3) describes; without one, does nothing.
    static func tell(
        _ state: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard var path = environment["NOTIFY_SOCKET"], path.count > 1 else { return }
        // A socket without a file has a name that begins with a zero.
        if path.hasPrefix("@") { path = "\0" + path.dropFirst() }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let size = MemoryLayout.size(ofValue: address) - capacity + path.utf8.count
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, state, state.utf8.count, 0, $0, socklen_t(size))
            }
        }
    }
}
