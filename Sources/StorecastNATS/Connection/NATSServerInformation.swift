import StorecastSync
import StorecastWire

/// What a server says of itself.
package struct NATSServerInformation: Equatable, Sendable {
    package var name: String
    package var version: String
    /// Of a message, its headers included.
    package var mostBytes: Int
    package var cluster: String?
    package var hasJetStream: Bool
    var hasHeaders: Bool
    var requiresTLS: Bool
    var offersTLS: Bool
    /// What a client with a key is to sign.
    var nonce: String
    /// The other servers of its cluster.
    var addresses: [NATSConfiguration.Server]
    /// Whether it shuts down, and its clients are to go to another.
    var isLeaving: Bool

    /// The oldest version that is served: in older ones, several writers that expect the same end
    /// of a log may all be taken.
    static let oldest = (2, 11)
    /// A message that is shorter has hardly room for more than its headers.
    static let leastBytes = 64 << 10

    init(_ text: UnsafeRawBufferPointer) throws(NATSError) {
        guard let document = try? JSONDocument(Array(text)), document.root.isObject else {
            throw .violation("NATS introduced itself in a way that can't be read.")
        }
        let root = document.root
        func flag(_ key: StaticString) -> Bool { root[key]?.bool ?? false }
        name = root["server_name"]?.string ?? root["server_id"]?.string ?? "NATS"
        version = root["version"]?.string ?? ""
        mostBytes = root["max_payload"]?.int ?? 1 << 20
        cluster = root["cluster"]?.string
        hasJetStream = flag("jetstream")
        hasHeaders = flag("headers")
        requiresTLS = flag("tls_required")
        offersTLS = requiresTLS || flag("tls_available")
        nonce = root["nonce"]?.string ?? ""
        addresses =
            root["connect_urls"]?.elements.compactMap { view in
                view.string.flatMap { NATSConfiguration.Server($0) }
            } ?? []
        isLeaving = flag("ldm")
    }

    /// Why it can't be used, in a sentence; nil if it can.
    var problem: String? {
        let parts = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        let isOld = (parts.first ?? 0, parts.dropFirst().first ?? 0) < Self.oldest
        if isOld {
            return "\(name) is a NATS server of version \(version); at least "
                + "\(Self.oldest.0).\(Self.oldest.1) is needed."
        }
        guard hasHeaders else { return "\(name) takes no headers, which are needed." }
        guard mostBytes >= Self.leastBytes else {
            return
                "\(name) takes messages of \(mostBytes) bytes; at least \(Self.leastBytes) are needed."
        }
        return nil
    }
}

extension NATSConfiguration {
    /// What a client says first.
    func greeting(nonce: String, encrypts: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("verbose", false)
        writer.member("pedantic", false)
        writer.member("tls_required", encrypts)
        writer.member("name", name)
        writer.member("lang", "swift")
        writer.member("version", "1")
        // With the addresses of other servers, and when one shuts down.
        writer.member("protocol", 1)
        writer.member("echo", true)
        writer.member("headers", true)
        writer.member("no_responders", true)
        switch credentials {
        case .none: break
        case .token(let token): writer.member("auth_token", token)
        case .user(let name, let password):
            writer.member("user", name)
            writer.member("pass", password)
        case .key(let key):
            writer.member("nkey", key.publicKey)
            writer.member("sig", key.signature(of: nonce))
        case .signed(let jwt, let key):
            writer.member("jwt", jwt)
            writer.member("sig", key.signature(of: nonce))
        }
        writer.endObject()
        return writer.bytes
    }
}
