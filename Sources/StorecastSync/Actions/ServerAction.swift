/// An action that a room takes from the server's own code only: clients' are rejected.
package protocol ServerAction: SyncAction {}

/// The server no longer remembers what was settled of some clients, as its memory is bounded.
///
/// An entry of the log, so that whoever reads the log forgets the same clients at the same place,
/// whatever its own limits. No reducer sees it. Clients are named by digests of their ids, as
/// payloads are shown to people, who needn't know client ids.
package struct ForgetClients: ServerAction {
    package static var wireName: String { "storecast.forget" }

    /// The clients that are forgotten altogether.
    package var clients: [String]
    /// The clients of which only the rejections are forgotten.
    package var rejections: [String]

    package init(clients: [String] = [], rejections: [String] = []) {
        self.clients = clients
        self.rejections = rejections
    }
}
