import StorecastSync

/// Who may look into a server's rooms, at the path `/devtools`.
///
/// Whoever may sees every room's state, actions and people, and may dispatch actions.
public struct DevtoolsAccess: Sendable {
    enum Rule: Sendable {
        case loopback
        /// The digest of the token.
        case token([UInt8])
    }

    let rule: Rule

    /// Whoever connects from this machine: from a program, or from a page that this machine served.
    ///
    /// A proxy on this machine would let others in, so connections that say they came through one are
    /// refused.
    public static let loopback = DevtoolsAccess(rule: .loopback)

    /// Whoever has the token.
    ///
    /// - Parameter secret: at least 16 characters that nobody guesses, from a file or the environment
    ///   rather than from the program's text or arguments. A shorter one is a programming error.
    public static func token(_ secret: String) -> DevtoolsAccess {
        precondition(isLongEnough(secret), "A devtools token has at least 16 characters.")
        return DevtoolsAccess(rule: .token(SHA256.digest(of: secret.utf8)))
    }

    /// Whether a token may be used.
    package static func isLongEnough(_ secret: String) -> Bool { secret.utf8.count >= 16 }
}

extension DevtoolsAccess {
    func identity(of session: ServerSession, token: String?) -> Result<Identity, Rejection> {
        guard let link = session.link as? any SessionLink else {
            return .failure(Rejection(.unauthenticated, "The connection is gone."))
        }
        var credentials = link.credentials
        credentials.token = token
        return Result { () throws(Rejection) in try identity(credentials) }
    }

    /// As whom somebody looks, and dispatches; throws if the credentials aren't good enough.
    func identity(_ credentials: Credentials) throws(Rejection) -> Identity {
        switch rule {
        case .token(let digest):
            guard let token = credentials.token else {
                throw Rejection(.unauthenticated, "The devtools ask for their token.")
            }
            // Digests are compared, whole, so that time tells nothing of the token.
            let shown = SHA256.digest(of: token.utf8)
            let difference = zip(digest, shown).reduce(0) { $0 | ($1.0 ^ $1.1) }
            guard difference == 0 else {
                throw Rejection(.unauthenticated, "This isn't the token of the devtools.")
            }
        case .loopback: try checkLocal(credentials)
        }
        return Self.viewer
    }

    /// The sender of what is dispatched from the devtools.
    static let viewer = Identity("storecast.devtools", roles: ["devtools"])

    private func checkLocal(_ credentials: Credentials) throws(Rejection) {
        guard HostName(address: credentials.address).isLocal,
            credentials.headers["x-forwarded-for"] == nil
        else {
            throw Rejection(
                .forbidden, "Without a token the devtools are for this machine only.",
                detail: "Start the server with a token for them.")
        }
        // A page from elsewhere in this machine's browser has its own origin; one whose name was bent to
        // this machine's address has another host.
        guard credentials.origin?.isLocal ?? true, credentials.host?.isLocal ?? true else {
            throw Rejection(
                .forbidden, "Without a token the devtools are for this machine's pages only.")
        }
    }
}
