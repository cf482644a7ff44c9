public import StorecastServer
import StorecastSync

extension ServerExtension {
    /// The devtools: a room at `/devtools` through which developers look into the others.
    ///
    /// ```swift
    /// SyncServer(extensions: [.devtools(.token(secret))], rooms: rooms)
    /// ```
    public static func devtools(_ access: DevtoolsAccess) -> ServerExtension {
        ServerExtension(path: DevtoolsState.path) { LoopInspector($0, access) }
    }
}

/// Who may use a server's devtools: whoever has the token.
///
/// They see every room's state, actions and clients, and may dispatch actions, end connections, shut
/// identities out and have the server read its files again. The address that a
/// connection comes from doesn't count: behind a proxy on this machine all come from this machine.
public struct DevtoolsAccess: Sendable {
    private let digest: SecretDigest

    /// - Parameter secret: at least 16 characters that nobody guesses, from ``makeToken()``, a file
    ///   or the environment rather than from the program's text or arguments. A shorter one is a
    ///   programming error.
    public static func token(_ secret: String) -> DevtoolsAccess {
        precondition(isLongEnough(secret), "A devtools token has at least 16 characters.")
        return DevtoolsAccess(digest: SecretDigest(of: secret))
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
    /// Who a client of the devtools is; a failure if its token isn't the right one.
    func identity(token: String?) -> Result<Identity, Rejection> {
        guard let token else {
            return .failure(Rejection(.unauthenticated, "The devtools ask for their token."))
        }
        guard SecretDigest(of: token) == digest else {
            return .failure(Rejection(.unauthenticated, "This isn't the token of the devtools."))
        }
        return .success(Self.developer)
    }

    /// The sender of what is dispatched from the devtools.
    static let developer = Identity("storecast.devtools", roles: ["devtools"])
}
