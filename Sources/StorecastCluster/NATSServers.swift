package import StorecastNATS
public import StorecastServer

/// The NATS servers at whose JetStream rooms are kept, and how they are kept there.
///
/// ```swift
/// let nats = try NATSServers(
///     "tls://n1,tls://n2,tls://n3", credentials: .file("storecast.creds"), trusting: "ca.pem")
/// ```
/// `nats-server` has to be 2.11 or newer, with JetStream. What a server has to be allowed there is
/// in Docs/Cluster.md; whoever may do that may write to every room.
public struct NATSServers: Sendable, CustomStringConvertible {
    package private(set) var configuration: NATSConfiguration
    package var layout: JetStreamLayout

    /// Nothing is connected to yet.
    ///
    /// - Parameters:
    ///   - addresses: `nats://host:port`, several with commas between them; `tls://` if connections
    ///     have to be encrypted, which they are anyway if NATS wants it. Without a scheme it is
    ///     `nats`, without a port 4222. Name all servers: those that they tell of are tried last.
    ///   - name: what the streams' names begin with, 1 to 32 letters and digits of ASCII. Servers
    ///     with the same name have the same rooms; with another one they share nothing.
    ///   - replicas: on how many NATS servers everything is before it is acknowledged, 1 to 5. With
    ///     1 all is lost with that server; with 3 one may be lost. Streams that are kept less well
    ///     are refused at the start.
    ///   - credentials: who this is to NATS.
    ///   - roots: a file of root certificates (PEM) to trust in place of the system's.
    /// - Throws: `ServerError.Code.clusterUnusable`, for an address with a password too: addresses
    ///   are logged.
    public init(
        _ addresses: String, name: String = "storecast", replicas: Int = 3,
        credentials: NATSCredentials = .none, trusting roots: String? = nil
    ) throws(ServerError) {
        do throws(NATSError) { configuration = try NATSConfiguration(addresses) } catch {
            throw ServerError(.clusterUnusable, error.description)
        }
        guard (1...5).contains(replicas) else {
            throw ServerError(
                .clusterUnusable,
                "JetStream takes 1 to 5 replicas, not \(replicas): --nats-replicas, "
                    + "NATSServers(replicas:).")
        }
        let isName = name.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        }
        guard isName, (1...32).contains(name.utf8.count) else {
            throw ServerError(
                .clusterUnusable,
                "A stream name needs 1 to 32 letters and digits, unlike '\(name)': --nats-name, "
                    + "NATSServers(name:).")
        }
        configuration.credentials = credentials.proof
        configuration.certificateAuthorityFile = roots
        layout = JetStreamLayout(name: name, replicas: replicas)
    }

    /// Where they are; nothing that is secret.
    public var description: String {
        "NATS at " + configuration.servers.map(\.description).joined(separator: ", ")
    }

    /// Whether all of them are on this machine: those that are named, as many as there have to be.
    /// One that is on this machine may have others elsewhere.
    package var areOnThisMachine: Bool {
        Set(configuration.servers).count >= layout.replicas
            && areLocal
    }

    /// Whether all that are named are on this machine.
    package var areLocal: Bool {
        configuration.servers.allSatisfy { HostName(address: $0.host).isLocal }
    }
}

/// Who a server is to NATS. Isn't shown in texts, and no error has it.
public struct NATSCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    package let proof: NATSConfiguration.Credentials

    /// Nobody in particular.
    public static let none = NATSCredentials(proof: .none)

    /// Who has a token.
    public static func token(_ token: String) -> NATSCredentials {
        NATSCredentials(proof: .token(token))
    }

    /// Who has the token in a file, without the white space around it.
    ///
    /// - Throws: `ServerError.Code.clusterUnusable` if it can't be read, or is empty.
    public static func token(file: String) throws(ServerError) -> NATSCredentials {
        .token(try secret(in: file))
    }

    /// A user with a password.
    public static func user(_ name: String, password: String) -> NATSCredentials {
        NATSCredentials(proof: .user(name, password: password))
    }

    /// A user with the password in a file, without the white space around it.
    ///
    /// - Throws: as ``token(file:)``.
    public static func user(
        _ name: String, passwordFile file: String
    ) throws(ServerError) -> NATSCredentials {
        .user(name, password: try secret(in: file))
    }

    /// Who has the key in a file: a `.creds` file, with a user's JWT and its key, or the seed of a
    /// key (`SU…`) alone.
    ///
    /// - Throws: as ``token(file:)``, and if it is neither of these.
    public static func file(_ path: String) throws(ServerError) -> NATSCredentials {
        let text = try secret(in: path)
        do throws(NATSError) {
            return NATSCredentials(
                proof: text.hasPrefix("SU")
                    ? .key(try NKey(seed: text)) : try NATSConfiguration.Credentials(file: text))
        } catch {
            throw ServerError(.clusterUnusable, "'\(path)' can't be used: \(error.description)")
        }
    }

    /// Doesn't show them.
    public var description: String { proof.description }

    /// Nothing, so that `dump` doesn't show them either.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func secret(in file: String) throws(ServerError) -> String {
        do throws(ServerFile.Problem) {
            return try ServerFile.secret(in: file, atMost: 64 << 10)
        } catch {
            throw ServerError(.clusterUnusable, "'\(file)' can't be read: \(error).")
        }
    }
}
