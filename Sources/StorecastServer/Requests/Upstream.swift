import StorecastMirror
import StorecastSync
import StorecastWebSocket
import StorecastWire

/// What a server and its edges know one another by: a secret of both, as long as a good password.
///
/// Whoever has it may say of any client who that is. So it belongs in a file that nobody else reads.
public struct EdgeKey: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String
    private let digest: SecretDigest

    /// A key of 16 to 1,024 bytes. Throws `edge-key-unusable` for another.
    public init(text: String) throws(ServerError) {
        guard (16...1024).contains(text.utf8.count) else {
            throw ServerError(
                .edgeKeyUnusable,
                "A key for edges has 16 to 1,024 bytes, which nobody guesses; "
                    + "`openssl rand -hex 32` makes one.")
        }
        self.text = text
        digest = SecretDigest(of: text)
    }

    /// The key in a file, without the white space around it. Throws `edge-key-unusable`.
    public init(file: String) throws(ServerError) {
        let text: String
        do {
            text = try ServerFile.secret(in: file, atMost: 4096)
        } catch {
            throw ServerError(.edgeKeyUnusable, "The key '\(file)' can't be read: \(error)")
        }
        try self.init(text: text)
    }

    /// By which servers of a cluster see that one has another key. Who sees it can't tell the key from
    /// it, nor whether another cluster has the same.
    package func fingerprint(in cluster: String) -> String {
        let salt = SHA256.digest(of: "storecast cluster \(cluster)".utf8)
        return String(SHA256.hexadecimalDigest(of: salt + digest.bytes).prefix(8))
    }

    /// Whether it is this one; how long that takes says nothing of it.
    func matches(_ text: String?) -> Bool {
        text.map(SecretDigest.init(of:)) == digest
    }

    /// Doesn't show it.
    public var description: String { "EdgeKey" }

    /// Nothing, so that `dump` doesn't show it either.
    public var customMirror: Swift.Mirror { Swift.Mirror(self, children: []) }
}

/// The server that has the rooms of an edge, or the servers of which each has some.
public struct Upstream: Sendable {
    /// One of several servers, each of which has some of the rooms.
    package struct Server: Sendable {
        /// Another for each process: one that was started anew has another, at the same address.
        package var id: String
        /// As that of an upstream which has all rooms.
        package var url: String

        package init(id: String, url: String) {
            self.id = id
            self.url = url
        }
    }

    /// Where a room is, and how it is reached there.
    struct Place: Sendable {
        /// The id of the server; empty if there is only one.
        var server: String
        var url: String
        var configuration: WebSocketClientConfiguration
    }

    private enum Way: Sendable {
        case one(ServerURL)
        case asked(@Sendable (_ room: String) async throws -> Server)
    }

    private let way: Way
    /// Has a server give a room to this one, as it doesn't serve it; nil if there is only one.
    let reclaim: (@Sendable (_ room: String, _ server: String) async -> Void)?
    let key: EdgeKey
    private let roots: String?

    /// - Parameters:
    ///   - url: `ws://host:port` or `wss://host:port`, and what comes before the path of each room
    ///     there, if there is something. Throws `upstream-unusable` if it isn't that.
    ///   - key: what that server lets edges in by.
    ///   - roots: a file of root certificates (PEM) to trust in place of the system's.
    public init(_ url: String, key: EdgeKey, trusting roots: String? = nil) throws(ServerError) {
        guard let address = ServerURL(url), !address.path.contains("?") else {
            // Errors are logged, and what is before an '@' may be a password.
            let text = url.utf8.contains(UInt8(ascii: "@")) ? "This" : "'\(url)'"
            throw ServerError(
                .upstreamUnusable, "\(text) is no server: write wss://core.example, or ws://.")
        }
        way = .one(address)
        reclaim = nil
        self.key = key
        self.roots = roots
    }

    /// - Parameters:
    ///   - find: says which server has a room, whenever an edge connects to it; throws a sentence.
    ///     Called outside the server's loops, as `reclaim`.
    ///   - reclaim: has a server, by its id, give a room to this one, as it says that there is no
    ///     such room; nil if nobody can.
    package init(
        key: EdgeKey, trusting roots: String? = nil,
        find: @escaping @Sendable (_ room: String) async throws -> Server,
        reclaim: (@Sendable (_ room: String, _ server: String) async -> Void)? = nil
    ) {
        way = .asked(find)
        self.reclaim = reclaim
        self.key = key
        self.roots = roots
    }

    /// Where a room is, if nobody has to be asked.
    func place(of room: String) -> Place? {
        guard case .one(let url) = way else { return nil }
        return Place(server: "", url: "", configuration: configuration(of: url, for: room))
    }

    /// Where a room is now.
    @concurrent func find(_ room: String) async throws -> Place {
        guard case .asked(let find) = way else { preconditionFailure("Nobody is asked.") }
        let server = try await find(room)
        guard let url = ServerURL(server.url) else {
            throw ServerError(.upstreamUnusable, "'\(server.url)' is no server.")
        }
        return Place(
            server: server.id, url: server.url, configuration: configuration(of: url, for: room))
    }

    private func configuration(
        of url: ServerURL, for room: String
    ) -> WebSocketClientConfiguration {
        var prefix = url.path[...]
        while prefix.hasSuffix("/") { prefix.removeLast() }
        var configuration = WebSocketClientConfiguration(
            host: url.host, port: url.port, path: prefix + Self.encoded(room), tls: url.isSecure,
            subprotocols: [ProtocolVersion.subprotocol])
        configuration.certificateAuthorityFile = roots
        // A value of the largest size in a frame, with its history.
        configuration.maxMessageBytes = 128 << 20
        return configuration
    }

    /// The path of a room, percent-encoded where a URL wants it.
    private static func encoded(_ room: String) -> String {
        var text = ""
        for byte in room.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}
