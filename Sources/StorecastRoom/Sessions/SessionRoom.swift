package import StorecastSync
package import StorecastWire

/// A room as its sessions see it, whatever its state.
package protocol SessionRoom: AnyObject {
    /// The URL's path, or what the server calls the room.
    var name: String { get }
    /// The room's history and how many dispatches of it are reduced.
    var position: Position { get }
    /// The term in which the room is written; nil if it has none.
    var term: String? { get }
    var limits: SyncLimits { get }
    var sessionLimits: SessionLimits { get }

    /// How far it has come with its history.
    var phase: RoomPhase { get }
    /// Calls `body` when the room has read its history, or can't: at once if that is known.
    func whenLoaded(_ body: @escaping (RoomPhase) -> Void)

    /// Whether it is certain what the room remembers of the client: unless the journal is being
    /// told that it is forgotten.
    func isCertain(of client: String) -> Bool
    /// Calls `body` when that is certain: at once if it is now.
    func whenCertain(of client: String, _ body: @escaping () -> Void)

    /// The number of a new connection: higher than those of all before it.
    func numberVisitor() -> UInt64
    /// How what a client has seen stands to the room's history; nil if the journal has to be asked.
    func standing(of hello: ClientFrame.Hello) -> Standing?
    /// Asks the journal whether the room is this server's alone, so that what isn't known here is
    /// lost; nil if it can't say. Once a second, for all who wait for that.
    func askWhetherAlone(_ completion: @escaping (Bool?) -> Void)
    /// Another name for the history, for a client that has seen what is lost.
    func renamedEpoch() -> String
    /// Why the identity may not enter the room; nil if it may.
    func refusal(ofEntryTo identity: Identity) -> Rejection?
    /// Lets a client in whose identity is known, unless it may not come. Then the session is the one
    /// that holds its client id; one that held it is replaced.
    func admit(_ session: ServerSession, _ hello: ClientFrame.Hello) -> Admission
    /// A client has another identity now, with the same id.
    func renewed(_ session: ServerSession)
    /// What those are told who wait for a room whose history can't be read.
    var failure: Admission.Refusal { get }
    /// The session is over.
    func leave(_ session: ServerSession)

    /// The group of a selection, made if need be; nil if the room says it later, or why not:
    /// ``ServerSession/found(_:for:)``.
    func group(
        for frame: ClientFrame.Subscribe, of session: ServerSession
    ) throws(Rejection) -> Permitted<SelectionGroup>?
    /// The session has let go of what it had asked for with this ref.
    func released(_ ref: UInt64, of session: ServerSession)
    /// The group's last subscription is gone; it is kept for a while, as clients reconnect.
    func release(_ group: SelectionGroup)
    /// Tells the server's owner why the value of a group can't be sent.
    func report(_ error: any Error, of group: SelectionGroup)
    /// Whether some of its groups aren't at ``position`` yet.
    var isBehind: Bool { get }
    /// A client says that it has seen more of the room's history than there is.
    func doubt()
    /// Whether more waits for the journal, or to be reduced, than takes a few milliseconds.
    var isCongested: Bool { get }
    /// Whether the viewer may still have the group's selection.
    func admits(_ viewer: Identity, to key: GroupKey) -> Bool

    /// Takes a dispatch whose number is due.
    func receive(_ dispatch: ClientFrame.Dispatch, from session: ServerSession)
}

extension SessionRoom {
    package var term: String? { nil }
    package func askWhetherAlone(_ completion: @escaping (Bool?) -> Void) { completion(nil) }
    package func renamedEpoch() -> String { position.epoch }
    package func renewed(_ session: ServerSession) {}
    package func released(_ ref: UInt64, of session: ServerSession) {}
    package var failure: Admission.Refusal { .trouble }
}

/// How what a client has seen stands to a room's history.
package enum Standing {
    /// It goes on in the epoch of this name: its own if it has seen this history.
    case epoch(String)
    /// It has seen more than there is.
    case ahead
}

/// Whether a client is let in.
package enum Admission {
    /// Why not.
    package struct Refusal {
        package var code: CloseCode
        package var title: String
        package var after: Double
        package var jitter: Double

        package init(_ code: CloseCode, _ title: String, after: Double = 0, jitter: Double = 0) {
            self.code = code
            self.title = title
            self.after = after
            self.jitter = jitter
        }

        package static let trouble = Refusal(
            .internalError, "The server can't open the room.", after: 5, jitter: 5)
    }

    /// Everything of it up to `lastSeq` is settled; of what it may not know the outcome of, this was
    /// rejected.
    case welcome(lastSeq: UInt64, rejected: [ServerFrame.Reject])
    case refused(Refusal)
    /// The room says it later: ``ServerSession/admitted(_:)``.
    case later
}

/// What sessions ask for with each message, once in memory for all sessions of a room.
package final class SessionLimits: Sendable {
    let window: Int
    let controlBytes: Int
    let partBytes: Int
    let writeBytes: Int
    let transactionBytes: Int
    let subscriptions: Int
    /// How much work a connection's messages may make in a turn.
    let turnWork: Int
    let json: JSONLimits

    init(_ limits: SyncLimits) {
        window = limits.window
        controlBytes = limits.controlBytes
        partBytes = limits.partBytes
        writeBytes = limits.writeBytes
        transactionBytes = limits.transactionBytes
        subscriptions = limits.subscriptions
        turnWork = limits.turnWorkPerConnection
        json = limits.json
    }
}

/// How far a room has come with its history.
package enum RoomPhase: Equatable, Sendable {
    /// The journal is being read; nothing is taken yet.
    case loading
    /// The state is that of the journal's end.
    case ready
    /// The journal can't be read, or is another server's.
    case failed(JournalError)

    /// Whether it can't be read now and won't be later either.
    package var isFinal: Bool {
        switch self {
        case .failed(.damaged), .failed(.truncated): true
        default: false
        }
    }
}
