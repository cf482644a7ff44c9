/// What a client shows when it says hello.
public struct Credentials: Sendable {
    /// The token, if it has one. A secret: don't log it.
    public var token: String?
    /// The path of the room that it asks for.
    public var path: String
    /// Its numeric network address. Behind a proxy that isn't among the server's `trustedProxies`,
    /// the proxy's.
    public var address: String
    /// Whether its connection is encrypted: to this server, or to a trusted proxy that says so.
    public var isEncrypted: Bool
    /// The headers of its HTTP request by lower-case name: the usual ones (`origin`, `cookie` …),
    /// not all that there may have been. `host` is the name that the client used, as far as that is
    /// known; `x-forwarded-for` is there only if a trusted proxy sent it.
    public var headers: [String: String]

    /// Credentials with every part given.
    public init(
        token: String?, path: String, address: String = "", isEncrypted: Bool = false,
        headers: [String: String] = [:]
    ) {
        self.token = token
        self.path = path
        self.address = address
        self.isEncrypted = isEncrypted
        self.headers = headers
    }
}

extension Credentials: CustomStringConvertible {
    /// The path and the address: nothing that is secret.
    public var description: String { "\(path) from \(address)" }

    /// The text without the secrets among these credentials, which an error may repeat.
    func redacting(_ text: String) -> String {
        // Bytes, as the end of a secret and what comes behind it may be one character.
        let bytes = secrets.reduce(Array(text.utf8)) { text, secret in
            text.replacing(Array(secret.utf8), with: Array("…".utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The longest first: the token, the headers, and what applications take from these, which is
    /// what follows a scheme and the values of cookies. A value of a few letters is in any text.
    private var secrets: [Substring] {
        let (authorization, cookie) = (headers["authorization"] ?? "", headers["cookie"] ?? "")
        let values = cookie.split(separator: ";").map { $0.drop { $0 != "=" }.dropFirst() }
        let parts = values + [authorization.drop { $0 != " " }.dropFirst()]
        let whole = [token ?? "", authorization, cookie].filter { !$0.isEmpty }.map { $0[...] }
        return (whole + parts.filter { $0.utf8.count >= 6 })
            .sorted { $0.utf8.count > $1.utf8.count }
    }
}
