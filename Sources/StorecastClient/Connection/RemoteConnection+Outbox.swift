public import StorecastMirror
public import StorecastSync

extension RemoteConnection {
    /// Where a connection keeps its dispatches until they have an outcome.
    ///
    /// ```swift
    /// let connection = RemoteConnection(url, outbox: .file(path, actions: [AddCard.self]))
    /// ```
    public struct Outbox: Sendable {
        let storage: (@Sendable () throws(Rejection) -> any OutboxStorage)?
        let actions: [any SyncAction.Type]
        let limits: OutboxLimits

        /// In memory: dispatches without an outcome end with the process.
        public static var memory: Outbox { memory() }

        /// In memory, within other bounds.
        public static func memory(limits: OutboxLimits = OutboxLimits()) -> Outbox {
            Outbox(storage: nil, actions: [], limits: limits)
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
        ///   - path: the file, which is made if it isn't there; its folder must be.
        ///   - actions: the types of actions of an earlier process that optimistic stores show;
        ///     those of other types are sent too.
        ///   - limits: how much it keeps.
        public static func file(
            _ path: String, actions: [any SyncAction.Type] = [],
            limits: OutboxLimits = OutboxLimits()
        ) -> Outbox {
            stored(actions: actions, limits: limits) { () throws(Rejection) in
                try FileOutboxStorage(path)
            }
        }

        /// In a storage of any kind.
        package static func stored(
            actions: [any SyncAction.Type] = [], limits: OutboxLimits = OutboxLimits(),
            in storage: @escaping @Sendable () throws(Rejection) -> any OutboxStorage
        ) -> Outbox {
            Outbox(storage: storage, actions: actions, limits: limits)
        }
    }
}

extension RemoteConnection.Outbox {
    /// The session of a client whose dispatches are kept here.
    ///
    /// - Parameters:
    ///   - client: the client's id, if there is none yet.
    ///   - cache: where its mirrors are kept.
    func open(
        room: String, client: String, cache: RemoteConnection.Cache,
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
            in: storage(), room: room, actions: ActionCatalogue(actions), limits: limits,
            client: client, stamps: stamps)
        return ClientSession(
            outbox: stored.outbox, recorder: stored.recorder,
            cache: cache.open(room: room, client: stored.outbox.client))
    }
}
