public import StorecastSync
import StorecastWire
import Synchronization

/// How a server finds out who its clients are.
///
/// ```swift
/// SyncServer(authentication: .tokens(file: "tokens.json"), rooms: rooms)
/// ```
/// Nobody is let in under the id `server` or one that begins with `storecast.`: they are reserved.
/// An identity with an `Identity.expires` holds until then: the client is asked for a newer token
/// before, and its connection ends after.
public struct Authentication: Sendable {
    enum Way: Sendable {
        case anonymous
        /// The answer is known at once.
        case known(@Sendable (Credentials) throws(Rejection) -> Identity)
        /// The answer is found beside the loop.
        case asked(@Sendable (Credentials) async throws -> Identity)
    }

    var way: Way
    /// Reads what it goes by, before the server starts; nil if there is nothing to read.
    private(set) var prepare: (@Sendable () throws(ServerError) -> Void)?
    /// Reads again what it goes by, and says of whom what it said before may not hold any more;
    /// nil if there is nothing to read.
    let reload: (@Sendable () async throws -> @Sendable (Identity) -> Bool)?
    /// Whether it is another server that asks people who they are, and asks nobody.
    private var isOpenElsewhere = false
    /// The roles that people may have; nil if that isn't known.
    package var roles: (@Sendable () -> [String])?

    init(way: Way, reload: (@Sendable () async throws -> @Sendable (Identity) -> Bool)?) {
        self.way = way
        self.reload = reload
    }

    /// Of a server that has rooms for edges only: whoever isn't one is refused, and the rooms are
    /// as closed as those of a server with `clients`.
    static func edgesOnly(before clients: Authentication) -> Authentication {
        var authentication = Authentication(
            way: .known { _ throws(Rejection) in
                throw Rejection(
                    .unauthenticated, "Only servers of the cluster connect here.")
            }, reload: nil)
        authentication.isOpenElsewhere = clients.isAnonymous
        authentication.roles = clients.roles
        return authentication
    }

    /// Whether rooms refuse what no rule allows.
    var closesRooms: Bool { !isAnonymous && !isOpenElsewhere }

    var isAnonymous: Bool { if case .anonymous = way { true } else { false } }

    /// Nobody is asked who they are: all are one anonymous identity.
    public static let anonymous = Authentication(way: .anonymous, reload: nil)

    /// A client is whoever the table says its token belongs to; others are refused.
    public static func tokens(_ table: TokenTable) -> Authentication {
        var authentication = Authentication(
            way: .known { credentials throws(Rejection) in
                guard let token = credentials.token else {
                    throw Rejection(
                        .unauthenticated, "This server asks for a token.", detail: "Show yours.")
                }
                guard let identity = table[token] else {
                    throw Rejection(.unauthenticated, "The token isn't one of this server's.")
                }
                return identity
            },
            reload: table.isFile ? { @Sendable in try table.reload() } : nil)
        authentication.roles = { table.roles }
        return authentication
    }

    /// As ``tokens(_:)``, with the table in a file.
    ///
    /// The file is read when the server starts, which throws `ServerError.Code.tokensUnreadable` if it
    /// can't be, and again by ``SyncServer/reload()``.
    ///
    /// - Parameter path: a JSON array, as ``TokenTable/init(file:)`` has it.
    public static func tokens(file path: String) -> Authentication {
        let table = TokenTable(unread: path)
        var authentication = tokens(table)
        authentication.prepare = { () throws(ServerError) in try table.load() }
        return authentication
    }

    /// A function of the server's own says who a client is, or throws.
    ///
    /// What it throws is the client's to read if it is a `Rejection`: final, with the code
    /// `forbidden` or else `unauthenticated`, or passing if it is retryable. Any other error is
    /// logged, and final. It is called for each token that a client shows, at hello and later;
    /// `SyncLimits` bounds how long tokens may be (`tokenBytes`), how many calls a loop waits for
    /// (`tokenChecks`) and how long (`tokenCheckTimeout`). It runs in a task that is cancelled when
    /// nobody waits any more, and counts until it returns.
    ///
    /// - Parameter identify: called in any task.
    public static func custom(
        _ identify: @escaping @Sendable (Credentials) async throws -> Identity
    ) -> Authentication {
        Authentication(way: .asked(identify), reload: nil)
    }

    /// As ``custom(_:)``.
    ///
    /// - Parameter reload: reads again what `identify` goes by, and answers whose tokens are to be
    ///   checked anew: their connections end, and may come again.
    package static func custom(
        _ identify: @escaping @Sendable (Credentials) async throws -> Identity,
        reload: @escaping @Sendable () async throws -> @Sendable (Identity) -> Bool
    ) -> Authentication {
        Authentication(way: .asked(identify), reload: reload)
    }
}

/// The identities that are refused until the server ends, whatever they show. May be used from any
/// thread.
package final class Revocations: Sendable {
    private let ids = Mutex<Set<ExactString>>([])

    /// How many there may be.
    package static let most = 10_000

    package init() {}

    /// In ascending order.
    package var all: [String] { ids.withLock { $0.sorted().map(\.string) } }

    /// Refuses an identity from now on; false if there are as many as there may be.
    package func add(_ id: String) -> Bool {
        ids.withLock { ids in
            guard ids.count < Self.most || ids.contains(ExactString(id)) else { return false }
            ids.insert(ExactString(id))
            return true
        }
    }

    /// Lets an identity in again; false if it wasn't refused.
    package func remove(_ id: String) -> Bool {
        ids.withLock { $0.remove(ExactString(id)) != nil }
    }

    func contains(_ id: String) -> Bool {
        ids.withLock { !$0.isEmpty && $0.contains(ExactString(id)) }
    }
}
