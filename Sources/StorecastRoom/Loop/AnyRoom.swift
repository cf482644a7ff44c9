package import StorecastWire

/// A room as its sessions see it, whatever its state.
package protocol AnyRoom: AnyObject {
    /// The URL's path, or what the server calls the room.
    var name: String { get }
    /// The room's history and how many dispatches of it are reduced.
    var position: Position { get }
    var limits: SyncLimits { get }
    /// Whether nothing would be lost if the room were gone: nobody is in it, nothing ever happened
    /// or is about to, or its history can't be read.
    var isUntouched: Bool { get }
    /// Whether the room may leave memory, as its journal has everything: nobody is in it, nothing
    /// is under way, and the server's own code subscribes to nothing but what it does on opening.
    var isIdle: Bool { get }
    /// Writes what makes opening it again quick; the room may be used until `completion` is called.
    func prepareToUnload(_ completion: @escaping () -> Void)
    /// The same as the server ends, whatever is still under way.
    func prepareToEnd(_ completion: @escaping () -> Void)

    /// Calls `body` when the room has read its history, or can't: at once if that is known.
    func whenLoaded(_ body: @escaping (RoomPhase) -> Void)

    /// Calls `body` when it is certain what the room remembers of the client: at once unless the
    /// journal is being told that it is forgotten.
    func whenCertain(of client: String, _ body: @escaping () -> Void)

    /// The number of a new connection: higher than those of all before it.
    func numberVisitor() -> UInt64
    /// Makes the session the one that holds its client id; one that held it is replaced.
    ///
    /// Nil if it does; else what the session is to be closed with: the id belongs to another
    /// identity, or a connection that was made later has it.
    func join(_ session: ServerSession) -> CloseCode?
    /// The session is over.
    func leave(_ session: ServerSession)
    /// What is settled of a client's dispatches.
    func record(of client: String) -> ClientLedger.Record?

    /// The group of a selection, made if need be.
    func group(
        for selection: String, _ params: JSONView?, viewer: Identity
    ) throws(Rejection) -> SelectionGroup
    /// The group's last subscription is gone; it is kept a while for whoever comes back.
    func release(_ group: SelectionGroup)
    /// Whether the viewer may still have the group's selection.
    func admits(_ viewer: Identity, to key: GroupKey) -> Bool

    /// Takes a dispatch whose number is due.
    func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession)
    /// Hands what came in this turn to the journal.
    func endTurn()
    /// The server has ended: whoever waits for what has no outcome yet is told so.
    func abandon()
    /// Hears what happens in the room; nil while nobody looks.
    var observer: (any RoomObserver)? { get set }
    /// What there is to know of the room now. O(subscriptions).
    var inspection: RoomInspection { get }
    /// The connections that are in the room, in the order in which they were made.
    var sessionsInOrder: [ServerSession] { get }
    /// The state as JSON, null if there is none yet. O(state).
    func tree() throws -> JSON
    /// Dispatches an action by its name on the wire, as a client's: checked for `sender`, and
    /// through middleware and journal.
    func dispatch(
        _ type: String, _ payload: JSON, as sender: Identity, _ outcome: DispatchOutcome)
    /// Says bye to everyone.
    func close(_ code: CloseCode, _ title: String, after: Double, jitter: Double)
}
