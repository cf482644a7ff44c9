/// What a client shows when it says hello.
public struct Credentials: Sendable {
    /// The token, if it has one. A secret: don't log it.
    public var token: String?
    /// The path of the room that it asks for.
    public var path: String
    /// Its numeric network address; a proxy's, if there is one between.
    public var address: String
    /// The headers of its HTTP request by lower-case name: the usual ones (`origin`, `cookie`,
    /// `x-forwarded-for` …), not all that there may have been.
    public var headers: [String: String]

    /// Credentials with every part given.
    public init(
        token: String?, path: String, address: String = "", headers: [String: String] = [:]
    ) {
        self.token = token
        self.path = path
        self.address = address
        self.headers = headers
    }
}

extension Credentials: CustomStringConvertible {
    /// The path and the address: nothing that is secret.
    public var description: String { "\(path) from \(address)" }

    /// The text without the secrets among these credentials, which an error may repeat.
    func redacting(_ text: String) -> String {
        var text = text
        for case let secret? in [token, headers["authorization"], headers["cookie"]]
        where !secret.isEmpty {
            text = text.replacing(secret, with: "…")
        }
        return text
    }
}
