import StorecastSync

/// Who may look into a server's rooms, at the path `/devtools`: whoever has the token.
///
/// Whoever may sees every room's state, actions and people, and may dispatch actions. Where a
/// connection comes from says nothing: a proxy on this machine makes everybody come from here.
public struct DevtoolsAccess: Sendable {
    private let digest: [UInt8]

    /// - Parameter secret: at least 16 characters that nobody guesses, from ``makeToken()``, a file
    ///   or the environment rather than from the program's text or arguments. A shorter one is a
    ///   programming error.
    public static func token(_ secret: String) -> DevtoolsAccess {
        precondition(isLongEnough(secret), "A devtools token has at least 16 characters.")
        return DevtoolsAccess(digest: SHA256.digest(of: secret.utf8))
    }

    /// A token of 128 random bits, to be shown to whoever starts the server.
    public static func makeToken() -> String {
        var random = SystemRandomNumberGenerator()
        return randomID(using: &random)
    }

    /// Whether a token may be used.
    package static func isLongEnough(_ secret: String) -> Bool { secret.utf8.count >= 16 }
}

extension DevtoolsAccess {
    /// As whom somebody looks, and dispatches; a failure if the token isn't the right one.
    func identity(token: String?) -> Result<Identity, Rejection> {
        guard let token else {
            return .failure(Rejection(.unauthenticated, "The devtools ask for their token."))
        }
        // Digests are compared, whole, so that time tells nothing of the token.
        let shown = SHA256.digest(of: token.utf8)
        let difference = zip(digest, shown).reduce(0) { $0 | ($1.0 ^ $1.1) }
        guard difference == 0 else {
            return .failure(Rejection(.unauthenticated, "This isn't the token of the devtools."))
        }
        return .success(Self.viewer)
    }

    /// The sender of what is dispatched from the devtools.
    static let viewer = Identity("storecast.devtools", roles: ["devtools"])
}
