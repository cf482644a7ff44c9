package import StorecastWire

/// Who is connected, as the server's authentication says.
///
/// Deliberately not `Codable`: an identity can't be a parameter that a client chooses, nor come in
/// a payload. Two are equal if their ids and roles are byte by byte, as tokens and databases have
/// them: ``/StorecastWire/ExactString`` compares texts so, `String` doesn't.
public struct Identity: Hashable, Sendable {
    /// The user's id, unique among users.
    public var id: String
    /// What the user may do, in the application's own words.
    public var roles: Set<String>
    /// When what proved it is no longer valid, by the server's clock; nil if it is for ever.
    ///
    /// For the server's authentication: it asks the client for a newer token before, and ends the
    /// connection after. Who somebody is doesn't depend on it: it isn't compared, and rooms, which
    /// come to the same from their journal at any time, aren't told.
    public var expires: Timestamp?

    /// An identity with an id and roles, for ever or until it expires.
    public init(_ id: String, roles: Set<String> = [], expires: Timestamp? = nil) {
        self.id = id
        self.roles = roles
        self.expires = expires
    }

    /// Whether both have the same id and the same roles, byte by byte.
    public static func == (left: Identity, right: Identity) -> Bool {
        guard left.id.isSameText(as: right.id), left.roles.count == right.roles.count else {
            return false
        }
        return left.roles.isEmpty
            || Set(left.roles.lazy.map { ExactString($0) })
                == Set(right.roles.lazy.map { ExactString($0) })
    }

    /// Hashes the id's bytes.
    public func hash(into hasher: inout Hasher) {
        id.hashText(into: &hasher)
    }

    /// Someone who gave no credentials, on a server that asks for none; its id is `""`.
    public static let anonymous = Identity("")

    /// The server's own code; no client is let in under its id, `"server"`, nor under one that
    /// begins with `storecast.`.
    public static let server = Identity("server")
}

extension Identity {
    /// As a server says. When it expires, that server knows.
    package init(vouched identity: VouchedIdentity) {
        self.init(identity.id, roles: Set(identity.roles))
    }

    /// Whether the id is the server's own or one for the clients of an extension: nobody else is
    /// let in under it.
    package var isReserved: Bool {
        id.isSameText(as: Identity.server.id) || id.utf8.starts(with: "storecast.".utf8)
    }

    /// As one server tells another, or its client.
    package var vouched: VouchedIdentity { VouchedIdentity(id: id, roles: roles.sortedExactly()) }
}
