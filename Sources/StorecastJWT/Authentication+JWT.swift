public import StorecastServer
public import StorecastSync
public import StorecastWire

extension Authentication {
    /// Who shows a JSON Web Token (RFC 7519) that one of these keys has signed is who it says.
    ///
    /// ```swift
    /// let keys = try JWTKeys.file("keys.json")
    /// SyncServer(
    ///     authentication: .jwt(
    ///         keys, issuer: "https://login.example.org/", audience: "https://board.example.org/"),
    ///     rooms: rooms)
    /// ```
    /// Tokens are signed with HS256, RS256 or ES256, have an `exp`, and a `sub`, which becomes the
    /// identity's id; the identity expires when the token does. What a token says of its own key
    /// (`jwk`, `jku`, `x5c`) isn't looked at, and one with `crit` is refused. `SyncServer.reload()`
    /// gets the keys again: if one is gone, all connections end with close code 4004, and those
    /// whose tokens another key has signed come back.
    ///
    /// - Parameters:
    ///   - keys: of those who issue the tokens.
    ///   - issuer: what `iss` has to be, byte by byte; nil to take any, where no other issuer signs
    ///     with these keys.
    ///   - audience: what `aud` has to be, or have among others; nil to take any, where the issuer
    ///     issues tokens for no other service.
    ///   - leeway: how much later than the issuer's this machine's clock may be, or earlier, in
    ///     judging `exp` and `nbf`.
    ///   - roles: the claim that has the identity's roles: an array of texts, or one text with
    ///     words between spaces, as `scope` is. Without it there are none.
    public static func jwt(
        _ keys: JWTKeys, issuer: String?, audience: String?, leeway: Duration = .seconds(30),
        roles: String = "roles"
    ) -> Authentication {
        .jwt(keys, issuer: issuer, audience: audience, leeway: leeway) { claims in
            try JWTVerifier.identity(claims, roles: roles)
        }
    }

    /// As ``jwt(_:issuer:audience:leeway:roles:)``, with a function that says whom the claims of a
    /// valid token stand for. The identity expires with the token, whatever that says.
    ///
    /// - Parameter identity: called with the claims, which are valid; throws a `Rejection` for
    ///   those who aren't let in.
    public static func jwt(
        _ keys: JWTKeys, issuer: String?, audience: String?, leeway: Duration = .seconds(30),
        identity: @escaping @Sendable (JSON) throws -> Identity
    ) -> Authentication {
        let verifier = JWTVerifier(
            keys: keys, issuer: issuer, audience: audience, leeway: leeway, identity: identity)
        return .custom(
            { try await verifier.identity(token: $0.token, at: .now()) },
            reload: { @Sendable in
                let isComplete = try await keys.ring.reload()
                return { _ in !isComplete }
            })
    }
}
