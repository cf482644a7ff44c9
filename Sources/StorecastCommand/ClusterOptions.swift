import ArgumentParser
import StorecastCluster
import StorecastServer
import StorecastTools

/// The NATS servers at which `serve` keeps what happens, in place of a file.
struct NATSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep what happens at these NATS servers (JetStream), such as "
                + "nats://10.0.0.1,nats://10.0.0.2, so that another server can go on with it; "
                + "Docs/Cluster.md tells how.", valueName: "addresses"))
    var nats: String?

    @Option(
        help: ArgumentHelp(
            "As --nats, and share the rooms with the other servers that do so: each has some, and "
                + "serves all; Docs/Cluster.md tells how.", valueName: "addresses"))
    var cluster: String?

    @Option(
        help: ArgumentHelp(
            "Where the other servers of the cluster reach this one, such as 10.0.0.11:9091; it "
                + "listens there. Needed unless all is on this machine, with as many NATS servers as "
                + "there are replicas.", valueName: "host:port"))
    var clusterAddress: String?

    @OptionGroup var access: NATSAccess

    func validate() throws {
        if nats != nil, cluster != nil {
            throw ValidationError("--cluster is --nats and more: leave out --nats.")
        }
        if clusterAddress != nil, cluster == nil {
            throw ValidationError("--cluster-address needs --cluster ADDRESSES.")
        }
        guard let addresses else {
            if access.isGiven { throw ValidationError("Where is NATS? Add --nats ADDRESSES.") }
            return
        }
        if let clusterAddress, NodeAddress(clusterAddress) == nil {
            throw ValidationError(
                "'\(clusterAddress)' isn't a server's address: --cluster-address 10.0.0.11:9091.")
        }
        try access.check(addresses)
    }

    /// Where NATS is; nil without it.
    var addresses: String? { nats ?? cluster }

    /// Nil without NATS. Reads the files.
    var servers: NATSServers? {
        get throws(CommandFailure) {
            guard let addresses else { return nil }
            return try access.servers(addresses)
        }
    }

    /// Whether all servers of the cluster are on this machine, as all NATS servers are.
    var isOnThisMachine: Bool { withoutFiles?.areOnThisMachine == true }

    /// Whether others can't reach this server at its address: that of a machine alone, and NATS is
    /// elsewhere.
    var isOutOfReach: Bool {
        guard let address = clusterAddress.flatMap({ NodeAddress($0) }) else { return false }
        return address.isLocal && withoutFiles?.areLocal == false
    }

    private var withoutFiles: NATSServers? { cluster.flatMap { try? access.servers($0, .none) } }
}

/// Under which names a program's rooms are at NATS, and who it is there.
struct NATSAccess: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many NATS servers keep a copy of everything (JetStream replicas), 1 to 5.",
            valueName: "number"))
    var natsReplicas = 3

    @Option(
        help: ArgumentHelp(
            "What the names of streams and subjects begin with, 1 to 32 letters and digits: servers "
                + "with the same have the same rooms, and those with others share nothing with them.",
            valueName: "name"))
    var natsName = "storecast"

    @Option(
        help: ArgumentHelp(
            "Prove to NATS who this is with the JWT and the key in this .creds file, or with the "
                + "seed of a key (SU…) in it.", valueName: "file"), completion: .file())
    var natsCredentials: String?

    @Option(
        help: ArgumentHelp(
            "Prove to NATS who this is with the token in this file; or with the password in it, if "
                + "--nats-user is given.", valueName: "file"), completion: .file())
    var natsToken: String?

    @Option(
        help: ArgumentHelp("The user of NATS whose password is in --nats-token.", valueName: "name")
    )
    var natsUser: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificates in this file (PEM) in place of the system's when NATS is "
                + "encrypted.", valueName: "file"), completion: .file())
    var natsCa: String?

    /// Whether something is said of who this is.
    var isGiven: Bool { (natsCredentials ?? natsToken ?? natsUser ?? natsCa) != nil }

    /// Throws what makes no sense, with NATS at these addresses.
    func check(_ addresses: String) throws {
        do throws(ServerError) { _ = try servers(addresses, .none) } catch {
            throw ValidationError(error.description)
        }
        guard natsCredentials == nil || natsToken == nil else {
            throw ValidationError(
                "NATS takes one kind of credentials: leave out --nats-credentials or --nats-token.")
        }
        guard natsUser == nil || natsToken != nil else {
            throw ValidationError(
                "Where is the password of \(natsUser ?? "")? Add --nats-token FILE.")
        }
    }

    /// Reads the files.
    func servers(_ addresses: String) throws(CommandFailure) -> NATSServers {
        do throws(ServerError) { return try servers(addresses, credentials) } catch {
            throw CommandFailure(.trouble, error.description)
        }
    }

    fileprivate func servers(
        _ addresses: String, _ credentials: NATSCredentials
    ) throws(ServerError) -> NATSServers {
        try NATSServers(
            addresses, name: natsName, replicas: natsReplicas, credentials: credentials,
            trusting: natsCa)
    }

    private var credentials: NATSCredentials {
        get throws(ServerError) {
            if let natsCredentials { return try .file(natsCredentials) }
            guard let natsToken else { return .none }
            guard let natsUser else { return try .token(file: natsToken) }
            return try .user(natsUser, passwordFile: natsToken)
        }
    }
}

/// Edges: servers that pass on the rooms of another one.
struct EdgeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Let servers in as edges that have the key in this file, of 16 to 1,024 bytes, and "
                + "believe them who their clients are; with --upstream, the key of that server; with "
                + "--cluster, which needs it, the key that all its servers have. Docs/Cluster.md "
                + "tells how.",
            valueName: "file"), completion: .file())
    var edgeKey: String?

    @Option(
        help: ArgumentHelp(
            "Be an edge of this server, such as wss://core.example: pass on its rooms to any number "
                + "of clients, and keep nothing.", valueName: "url"))
    var upstream: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificates in this file (PEM) in place of the system's when --upstream is "
                + "encrypted, or the other servers of a cluster are (a wss:// --cluster-address).",
            valueName: "file"), completion: .file())
    var upstreamCa: String?

    func validate() throws {
        guard upstream == nil || edgeKey != nil else {
            throw ValidationError("An edge shows its upstream a key: add --edge-key FILE.")
        }
    }

    /// Reads the file; nil without one.
    var key: EdgeKey? {
        get throws(ServerError) {
            try edgeKey.map { file throws(ServerError) in try EdgeKey(file: file) }
        }
    }

    /// Nil if this server has the rooms.
    var server: Upstream? {
        get throws(ServerError) {
            guard let upstream, let key = try key else { return nil }
            return try Upstream(upstream, key: key, trusting: upstreamCa)
        }
    }
}
