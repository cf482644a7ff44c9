public import StorecastSync
import StorecastWire
import Synchronization

/// Whose the tokens of a server are, for ``Authentication/tokens(_:)``.
///
/// It holds digests of the tokens, and finds one by its digest: how long that takes says nothing of
/// the tokens that there are. May be used from any thread.
public final class TokenTable: Sendable {
    /// The fewest bytes of a token; a shorter one can be guessed.
    public static let shortestToken = 16
    /// The largest file, in bytes.
    static let largestFile = 16 << 20

    private let file: String?
    private let identities: Mutex<[SecretDigest: Identity]>

    /// A table of tokens that can't be guessed, from ``makeToken()`` or somewhere as good. One of
    /// fewer than 16 bytes is a programming error.
    public init(_ tokens: [String: Identity]) {
        precondition(
            tokens.keys.allSatisfy { $0.utf8.count >= Self.shortestToken },
            "A token has at least \(Self.shortestToken) bytes.")
        file = nil
        identities = Mutex(
            Dictionary(tokens.map { (SecretDigest(of: $0), $1) }, uniquingKeysWith: { $1 }))
    }

    /// The table in a file, which ``SyncServer/reload()`` reads again.
    ///
    /// A JSON array with an object for each token:
    /// ```json
    /// [
    ///   {"token": "3b2f…", "id": "ada", "roles": ["editor"]},
    ///   {"sha256": "9f86…", "id": "bob", "expires": 1798761600}
    /// ]
    /// ```
    /// `token` is the token, of 16 bytes or more, or `sha256` its SHA-256 in hexadecimal, so that
    /// who reads the file can't use it. `expires` is in seconds since 1970. An identity may have any
    /// number of tokens.
    ///
    /// - Throws: `ServerError.Code.tokensUnreadable` for a file that can't be read, isn't of this
    ///   form or has more than 16 MiB.
    public init(file path: String) throws(ServerError) {
        file = path
        identities = Mutex(try Self.read(path))
    }

    /// The table in a file that is read later, by ``load()``; until then it is empty.
    init(unread path: String) {
        file = path
        identities = Mutex([:])
    }

    /// A new token, of 128 random bits.
    public static func makeToken() -> String {
        var random = SystemRandomNumberGenerator()
        return randomID(using: &random)
    }

    /// How many tokens it has.
    public var count: Int { identities.withLock(\.count) }

    /// The roles that its identities have, in no order, some of them more than once.
    var roles: [String] { identities.withLock { $0.values.flatMap(\.roles) } }

    /// Whose the token is; nil if it is nobody's. O(length of the token).
    public subscript(token: String) -> Identity? {
        let digest = SecretDigest(of: token)
        return identities.withLock { $0[digest] }
    }

    var isFile: Bool { file != nil }

    /// Reads the file.
    func load() throws(ServerError) {
        guard let file else { return }
        let read = try Self.read(file)
        identities.withLock { $0 = read }
    }

    /// Reads the file again; the table stays as it is if that fails.
    ///
    /// - Returns: of whom a token isn't there any more, or stands for something else.
    func reload() throws(ServerError) -> @Sendable (Identity) -> Bool {
        guard let file else { return { _ in false } }
        let new = try Self.read(file)
        let old = identities.withLock { identities in
            defer { identities = new }
            return identities
        }
        let changed = old.filter { digest, identity in
            new[digest] != identity || new[digest]?.expires != identity.expires
        }
        let ids = Set(changed.values.map { ExactString($0.id) })
        return { ids.contains(ExactString($0.id)) }
    }
}

extension TokenTable {
    private static func read(_ path: String) throws(ServerError) -> [SecretDigest: Identity] {
        let bytes: [UInt8]
        do { bytes = try ServerFile.contents(of: path, atMost: largestFile) } catch {
            throw unreadable(path, error.description)
        }
        let rows: JSONView
        do {
            rows = try JSONDocument(bytes, limits: JSONLimits(bytes: largestFile)).root
        } catch {
            // Without its full stop, as the error ends with one.
            throw unreadable(path, "\(error.sentence(in: bytes).dropLast())")
        }
        guard rows.isArray else { throw unreadable(path, "it isn't an array") }
        var identities: [SecretDigest: Identity] = [:]
        for (place, row) in rows.elements.enumerated() {
            // Never the token itself, as errors are logged.
            let (digest, identity) = try entry(row) { problem in
                unreadable(path, "element \(place + 1) \(problem)")
            }
            guard identities.updateValue(identity, forKey: digest) == nil else {
                throw unreadable(path, "element \(place + 1) has a token that is there already")
            }
        }
        return identities
    }

    private static func entry(
        _ row: JSONView, _ error: (String) -> ServerError
    ) throws(ServerError) -> (SecretDigest, Identity) {
        let known = ["token", "sha256", "id", "roles", "expires"]
        guard row.isObject else { throw error("isn't an object") }
        guard case .object(let members) = row.json,
            members.allSatisfy({ known.contains($0.key) })
        else { throw error("has other members than \(known.joined(separator: ", "))") }
        guard let id = row["id"]?.string else { throw error("has no 'id' that is a text") }
        guard !id.isEmpty else { throw error("has an empty 'id'") }
        var identity = Identity(id)
        guard !identity.isReserved else { throw error("has an 'id' that is the server's own") }
        if let roles = row["roles"] {
            let words = roles.isArray ? roles.elements.map(\.string) : [nil]
            guard !words.contains(nil) else { throw error("has 'roles' that aren't texts") }
            identity.roles = Set(words.compactMap(\.self))
        }
        if let expires = row["expires"] {
            guard let seconds = expires.double else {
                throw error("has 'expires' without a number")
            }
            identity.expires = Timestamp(secondsSince1970: seconds)
        }
        switch (row["token"]?.string, row["sha256"]?.string) {
        case (let token?, nil):
            guard token.utf8.count >= shortestToken else {
                throw error("has a 'token' of fewer than \(shortestToken) bytes")
            }
            return (SecretDigest(of: token), identity)
        case (nil, let text?):
            guard let digest = SecretDigest(hexadecimal: text) else {
                throw error("has a 'sha256' that isn't 64 hexadecimal digits")
            }
            return (digest, identity)
        default: throw error("has neither 'token' nor 'sha256', or both")
        }
    }

    private static func unreadable(_ path: String, _ why: String) -> ServerError {
        ServerError(.tokensUnreadable, "The tokens in '\(path)' can't be read: \(why).")
    }
}
