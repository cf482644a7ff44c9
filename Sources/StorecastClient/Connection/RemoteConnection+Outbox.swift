public import StorecastMirror
import StorecastSync

extension RemoteConnection {
    /// Where a connection keeps its dispatches until they have an outcome.
    ///
    /// ```swift
    /// let connection = RemoteConnection(url, room: Board.room, outbox: .file(path))
    /// ```
    public struct Outbox: Sendable {
        let storage: (@Sendable () throws(Rejection) -> any OutboxStorage)?
        let limits: OutboxLimits

        /// In memory: dispatches without an outcome end with the process.
        public static var memory: Outbox { memory() }

        /// In memory, within other bounds.
        public static func memory(limits: OutboxLimits = OutboxLimits()) -> Outbox {
            Outbox(storage: nil, limits: limits)
        }

        /// In a file, with the client's id: dispatches without an outcome survive the process and
        /// go on with the next connection that has the file.
        ///
        /// A dispatch is written and synced before it is first sent, all that are made together at
        /// once. That blocks the thread of the connection, not that of the caller, for as long as
        /// the disk takes: about a millisecond. While the file can't be written, as when the disk
        /// is full, dispatches are refused with `outbox-unwritable`,
        /// ``RemoteConnection/outboxProblem`` says why, those made before wait, and it is tried
        /// again every second.
        ///
        /// A file belongs to one room, named by the URL's path, and to one user: the server refuses
        /// the client id in it to every other identity. It holds what the user did in plain text,
        /// and is readable for its owner alone. Only one connection can have it at a time; another
        /// one is closed at once, with `outbox-locked`. So is one for another room, with
        /// `outbox-unreadable`. A file that was restored from a backup, or copied, costs the
        /// outcomes of what was pending in it: they end as `outcome-unknown`.
        ///
        /// - Parameters:
        ///   - path: the file, which is made if it isn't there; its folder must be. Of what an
        ///     earlier process left, optimistic stores show the actions of the connection's `room`;
        ///     all of it is sent.
        ///   - limits: how much it keeps.
        public static func file(
            _ path: String, limits: OutboxLimits = OutboxLimits()
        ) -> Outbox {
            stored(limits: limits) { () throws(Rejection) in
                try FileOutboxStorage(path)
            }
        }

        /// In a storage of any kind.
        package static func stored(
            limits: OutboxLimits = OutboxLimits(),
            in storage: @escaping @Sendable () throws(Rejection) -> any OutboxStorage
        ) -> Outbox {
            Outbox(storage: storage, limits: limits)
        }
    }
}

extension RemoteConnection.Outbox {
    /// The session of a client whose dispatches are kept here.
    ///
    /// - Parameters:
    ///   - client: the client's id, if there is none yet.
    ///   - actions: the types as which what is left is shown again.
    ///   - cache: where its mirrors are kept.
    func open(
        room: String, client: String, actions: ActionCatalogue, cache: RemoteConnection.Cache,
        stamps: (_ client: String) -> ProvisionalStamps
    ) throws(Rejection) -> ClientSession {
        guard let storage else {
            return ClientSession(
                outbox: SharedOutbox(
                    client: client,
                    StorecastMirror.Outbox(limits: limits, stamps: stamps(client))),
                cache: cache.open(room: room, client: client))
        }
        let stored = try StoredOutbox(
            in: storage(), room: room, actions: actions, limits: limits,
            client: client, stamps: stamps)
        return ClientSession(
            outbox: stored.outbox, recorder: stored.recorder,
            cache: cache.open(room: room, client: stored.outbox.client))
    }
}
