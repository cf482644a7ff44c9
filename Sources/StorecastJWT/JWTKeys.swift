import JWTKit
public import StorecastServer
import StorecastSync
import StorecastWire

/// The keys that JSON Web Tokens are verified with.
public struct JWTKeys: Sendable {
    let ring: KeyRing

    /// One secret that the issuer has too, for HS256. Whoever has it can make tokens: a set of
    /// public keys is better wherever the issuer isn't this program.
    ///
    /// - Parameter secret: at least 32 bytes that nobody can guess (RFC 7518, section 3.2); fewer
    ///   are a programming error.
    public static func secret(_ secret: [UInt8]) async -> JWTKeys {
        precondition(
            secret.count >= KeySet.shortestSecret,
            "A secret for HS256 has at least \(KeySet.shortestSecret) bytes.")
        return JWTKeys(ring: KeyRing(await KeySet(secret: secret)) { nil })
    }

    /// A JWK set (RFC 7517) in a file, which `SyncServer.reload()` reads again.
    ///
    /// Of its keys those count that are for signatures with HS256 (`oct`), RS256 (`RSA`) or ES256
    /// (`EC`, `P-256`); others are passed over. A token that names its key is verified with that
    /// one only; one that doesn't, only if there is no more than one key for its algorithm.
    ///
    /// - Throws: a `ServerError` with the code `keysUnreadable`: the file can't be read or has more
    ///   than 1 MiB, isn't a JWK set, or has no key that counts or one that can't be used.
    public static func file(_ path: String) async throws(ServerError) -> JWTKeys {
        let read = { @Sendable () async throws(ServerError) in
            do {
                return try await KeySet(ServerFile.contents(of: path, atMost: largestSet))
            } catch {
                throw ServerError(.keysUnreadable, "The keys in '\(path)' can't be read: \(error).")
            }
        }
        return JWTKeys(ring: KeyRing(try await read()) { try await read() })
    }

    /// A JWK set (RFC 7517) that a function fetches: first when the first token comes; then when a
    /// token names a key that isn't there, at most once a minute; and at `SyncServer.reload()`.
    ///
    /// ```swift
    /// .fetched { try await [UInt8](URLSession.shared.data(from: url).0) }
    /// ```
    /// A function, and no URL, as a client for HTTPS would cost every build more than this one.
    /// While there is no set, clients are asked to come again; one that can't be fetched anew stays
    /// as it is.
    ///
    /// - Parameter fetch: returns the set as JSON text, of at most 1 MiB. It has to end by itself.
    public static func fetched(
        _ fetch: @escaping @Sendable () async throws -> [UInt8]
    ) -> JWTKeys {
        JWTKeys(ring: KeyRing(nil) { try await KeySet(fetch()) })
    }

    static let largestSet = 1 << 20
}

/// The keys as they are now, and how they are got again.
actor KeyRing {
    /// How long after a set was asked for another is, at most, because of a key that isn't there.
    static let patience = Duration.seconds(60)

    private var keys: KeySet?
    /// Nil from it means that the keys never change.
    private let load: @Sendable () async throws -> KeySet?
    private var loading: Task<KeySet?, any Error>?
    private var lastLoad: ContinuousClock.Instant?
    private let isFetched: Bool

    init(_ keys: KeySet?, _ load: @escaping @Sendable () async throws -> KeySet?) {
        self.keys = keys
        self.load = load
        isFetched = keys == nil
    }

    /// The key for a token; nil if there is none.
    ///
    /// - Throws: a retryable rejection while there are no keys at all.
    func key(
        _ id: String?, for algorithm: KeySet.Algorithm, at now: ContinuousClock.Instant = .now
    ) async throws -> (any JWTAlgorithm)? {
        if let key = keys?.key(id, for: algorithm) { return key }
        guard isFetched, lastLoad.map({ now - $0 >= Self.patience }) ?? true || loading != nil
        else {
            guard keys != nil else { throw Self.unavailable }
            return nil
        }
        do { try await loadKeys(at: now) } catch {
            // A set that was there is as good as before, without the key.
            guard keys != nil else { throw Self.unavailable }
        }
        return keys?.key(id, for: algorithm)
    }

    /// Gets the keys again; whether all that were there before are there now.
    func reload() async throws -> Bool {
        let old = keys
        try await loadKeys(at: .now)
        return keys?.contains(old) ?? true
    }

    /// One load at a time, for all who want one.
    private func loadKeys(at now: ContinuousClock.Instant) async throws {
        let task = loading ?? Task { [load] in try await load() }
        loading = task
        lastLoad = now
        defer { if loading == task { loading = nil } }
        if let new = try await task.value { keys = new }
    }

    private static let unavailable = Rejection(
        .unavailable, "The server can't check tokens now.", retryAfter: .seconds(1))
}

/// Keys, each for one algorithm: a token chooses among those for its own, so that a public key is
/// never taken for a secret (RFC 8725, section 2.1).
struct KeySet: Sendable {
    /// How a token is signed (RFC 7518, section 3.1). There is no `none`.
    enum Algorithm: String, Sendable {
        case hs256 = "HS256"
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    /// Why a set isn't one, in words that go behind "can't be read:".
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private struct Key: Sendable {
        let id: String?
        let algorithm: Algorithm
        let verifier: any JWTAlgorithm
        /// All that makes it this key and no other.
        let identity: JSON
    }

    static let shortestSecret = 32
    private var keys: [Key] = []

    init(secret: [UInt8]) async {
        let identity = JSON.array(secret.map { .int(Int64($0)) })
        keys = [
            Key(
                id: nil, algorithm: .hs256, verifier: await Self.verifier(secret: secret),
                identity: identity)
        ]
    }

    /// The set in JSON text.
    init(_ text: [UInt8]) async throws(Problem) {
        guard text.count <= JWTKeys.largestSet else {
            throw Problem(description: "it is too large")
        }
        let set: JSONView
        do { set = try JSONDocument(text).root } catch {
            // Without its full stop, as it is in the middle of a sentence.
            throw Problem(description: "\(error.sentence(in: text).dropLast())")
        }
        guard let list = set["keys"], list.isArray else {
            throw Problem(description: "it isn't a JWK set")
        }
        for (place, view) in list.elements.enumerated() {
            do throws(Problem) {
                if let key = try await Self.key(view) { keys.append(key) }
            } catch {
                throw Problem(description: "key \(place) \(error.description)")
            }
        }
        guard !keys.isEmpty else {
            throw Problem(description: "it has no key for HS256, RS256 or ES256")
        }
    }

    /// The one key of that name for the algorithm; without a name, the only one.
    func key(_ id: String?, for algorithm: Algorithm) -> (any JWTAlgorithm)? {
        let fitting = keys.filter { key in
            guard key.algorithm == algorithm else { return false }
            guard let id else { return true }
            return key.id?.isSameText(as: id) ?? false
        }
        return fitting.count == 1 ? fitting[0].verifier : nil
    }

    /// Whether all keys of the other set are in this one.
    func contains(_ other: KeySet?) -> Bool {
        other?.keys.allSatisfy { key in keys.contains { $0.identity == key.identity } } ?? true
    }
}

// What one key of a set is.
extension KeySet {
    /// Nil for a key that is for something else.
    private static func key(_ view: JSONView) async throws(Problem) -> Key? {
        guard view.isObject else { throw Problem(description: "isn't an object") }
        let (id, use) = (try text("kid", view), try text("use", view))
        guard use == nil || use == "sig" else { return nil }
        if let uses = view["key_ops"], !uses.elements.contains(where: { $0.string == "verify" }) {
            return nil
        }
        guard let algorithm = algorithm(try text("kty", view), try text("crv", view)) else {
            return nil
        }
        let own = try text("alg", view)
        guard own == nil || own == algorithm.rawValue else { return nil }
        let (verifier, identity) = try await verifier(algorithm, view)
        return Key(
            id: id, algorithm: algorithm, verifier: verifier,
            identity: .array([id.map { .string($0) } ?? .null, .array(identity)]))
    }

    /// The algorithm for keys of a type. The type says it, whatever a token says.
    private static func algorithm(_ type: String?, _ curve: String?) -> Algorithm? {
        switch (type, curve) {
        case ("oct", _): .hs256
        case ("RSA", _): .rs256
        case ("EC", "P-256"): .es256
        default: nil
        }
    }

    private static func verifier(
        _ algorithm: Algorithm, _ view: JSONView
    ) async throws(Problem) -> (any JWTAlgorithm, [JSON]) {
        switch algorithm {
        case .hs256:
            let text = try member("k", view)
            guard let secret = Base64URL.bytes(of: text.utf8), secret.count >= shortestSecret else {
                throw Problem(description: "is no secret of \(shortestSecret) bytes or more")
            }
            return (await verifier(secret: secret), [.string(text)])
        case .rs256:
            let (modulus, exponent) = (try member("n", view), try member("e", view))
            let key = JWK.rsa(.rs256, identifier: "key", modulus: modulus, exponent: exponent)
            return (try await verifier(key), [.string(modulus), .string(exponent)])
        case .es256:
            let (x, y) = (try member("x", view), try member("y", view))
            let key = JWK.ecdsa(.es256, identifier: "key", x: x, y: y, curve: .p256)
            return (try await verifier(key), [.string(x), .string(y)])
        }
    }

    private static func verifier(secret: [UInt8]) async -> any JWTAlgorithm {
        let keys = await JWTKeyCollection().add(
            hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: "key")
        do { return try await keys.getKey(for: "key") } catch {
            preconditionFailure("The key was added a moment ago: \(error)")
        }
    }

    private static func verifier(_ key: JWK) async throws(Problem) -> any JWTAlgorithm {
        do {
            return try await JWTKeyCollection().add(jwk: key).getKey(for: "key")
        } catch {
            // A key of too few bits, or a point that isn't on the curve.
            throw Problem(description: "can't be used")
        }
    }

    private static func member(_ name: StaticString, _ view: JSONView) throws(Problem) -> String {
        guard let text = try text(name, view) else {
            throw Problem(description: "has no '\(name)'")
        }
        return text
    }

    private static func text(_ name: StaticString, _ view: JSONView) throws(Problem) -> String? {
        guard let member = view[name] else { return nil }
        guard let text = member.string else { throw Problem(description: "has an odd '\(name)'") }
        return text
    }
}
