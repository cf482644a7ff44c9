/// Who is connected, as the server's authentication says.
///
/// Deliberately not `Codable`: an identity can't be a parameter that a client chooses, nor come in
/// a payload.
public struct Identity: Hashable, Sendable {
    /// The user's id, unique among users.
    public var id: String
    /// What the user may do, in the application's own words.
    public var roles: Set<String>

    /// An identity with an id and roles.
    public init(_ id: String, roles: Set<String> = []) {
        self.id = id
        self.roles = roles
    }

    /// Someone who gave no credentials, on a server that asks for none; its id is `""`.
    public static let anonymous = Identity("")

    /// The server's own code; no client is let in under its id, `"server"`.
    public static let server = Identity("server")
}
