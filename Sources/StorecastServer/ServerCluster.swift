import CoreMetrics
import Logging
package import StorecastRoom

/// The servers that share rooms, as one of them needs them: a library's, as StorecastCluster's.
///
/// Such a server is two in one process: one that clients connect to, an edge of whoever has a room,
/// and one that has rooms and lets in nobody but edges (Docs/Decisions/45-places-of-rooms.md).
package protocol ServerCluster: RoomSharing {
    /// Where the part with rooms lets the others in.
    var entrance: ClusterEntrance { get }
    /// Who has a room, and how edges show who they are.
    var upstream: Upstream { get }

    /// Starts the part with rooms, and tells the others of it. Throws if it has done so before, or
    /// can't; then nothing of it is left.
    func begin(
        _ owner: SyncServer, of server: SyncServer,
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?
    ) async throws(ServerError)
    /// Gives the open rooms to others, as far as there is time. Does nothing if it hasn't begun.
    func leave() async
    /// Ends the part with rooms.
    func end() async
}

/// Where a cluster's server listens for the others, and what they show it.
package struct ClusterEntrance: Sendable {
    /// The address to listen on.
    package var host: String
    /// By which the others ask for it.
    package var name: String
    package var port: Int
    package var isSecure: Bool
    package var key: EdgeKey

    package init(host: String, name: String, port: Int, isSecure: Bool, key: EdgeKey) {
        self.host = host
        self.name = name
        self.port = port
        self.isSecure = isSecure
        self.key = key
    }
}

extension SyncLimits {
    /// Those of a server whose connections are other servers: each of them speaks for many clients,
    /// and has bounds on what they send itself.
    var ofOwner: SyncLimits {
        var limits = self
        limits.connectionsPerAddress = limits.connections
        limits.addressRate = .unlimited
        return limits
    }
}

extension WebPages {
    /// Those of the part of a server that has rooms: for its extensions, with the first one's page
    /// at `/`.
    func forExtensions(at paths: [String]) -> WebPages {
        guard let first = paths.first else { return WebPages() }
        var pages = self
        pages.files[ExactString("/index.html")] = files[ExactString(first + "/index.html")]
        pages.patterns = []
        return pages
    }
}

extension Logger {
    /// For the part of a server that has rooms.
    var ofOwner: Logger {
        var logger = self
        logger[metadataKey: LogField.part.rawValue] = "owner"
        return logger
    }
}
