import Logging
import StorecastRoom

/// What a server was made with.
struct ServerConfiguration: Sendable {
    var journal: JournalProvider
    var limits: SyncLimits
    var rooms: @Sendable (_ path: String) -> (any RoomDefinitionProtocol)?
    var pages: WebPages
    var authenticate: (@Sendable (Credentials) async throws -> Identity)?
    var devtools: DevtoolsAccess?
    var hosts: ServedHosts
    var logger: Logger
    /// Is told how far rooms have come with their history; nil if that is to be logged.
    var recovery: (@Sendable (RoomProgress) -> Void)?
}
