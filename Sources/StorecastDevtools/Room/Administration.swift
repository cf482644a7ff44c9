import StorecastServer
import StorecastSync

/// What a developer asks for, and finds the outcome of by a ticket.
protocol DevtoolsAction: Stamped {
    var ticket: String { get }
    /// Texts that may have a thousand bytes.
    var texts: [String] { get }
}

/// Dispatches an action into a room.
struct ForwardAction: DevtoolsAction {
    static let wireName = "dispatch"

    /// By which its sender finds the outcome.
    var ticket: String
    var room: String
    var type: String
    var payload: JSON?
    var stamp = Stamp()

    var texts: [String] { [ticket, room, type] }
}

/// Ends a connection, or all of an identity; their clients don't come back by themselves.
struct KickAction: DevtoolsAction, AuditedAction {
    static let wireName = "kick"

    var ticket: String
    var connection: UInt64?
    var identity: String?
    /// Is told to the clients.
    var reason: String?
    var stamp = Stamp()

    var texts: [String] { [ticket, identity ?? "", reason ?? ""] }
    var auditTarget: String { identity ?? connection.map { "connection \($0)" } ?? "" }
    var auditReason: String { reason ?? "" }
}

/// Refuses an identity until the server ends, whatever it shows, and ends its connections; or
/// lets it in again.
struct RevokeAction: DevtoolsAction, AuditedAction {
    static let wireName = "revoke"

    var ticket: String
    var identity: String
    var isUndone: Bool?
    var stamp = Stamp()

    var texts: [String] { [ticket, identity] }
    var auditTarget: String { identity }
    var auditReason: String { isUndone == true ? "undone" : "" }
}

/// Has the server read its files again, as SIGHUP does.
struct ReloadAction: DevtoolsAction {
    static let wireName = "reload"

    var ticket: String
    var stamp = Stamp()

    var texts: [String] { [ticket] }
}

/// Opens a room, though nobody is in it, from its journal.
struct OpenAction: DevtoolsAction {
    static let wireName = "open"

    var ticket: String
    var room: String
    var stamp = Stamp()

    var texts: [String] { [ticket, room] }
}

/// Brings a piece of a journal's text, to be looked at as a room's past.
struct ImportAction: DevtoolsAction {
    static let wireName = "import"
    /// How long a piece is at most.
    static let mostBytes = 256 << 10

    var ticket: String
    /// What its sender calls the log.
    var id: String
    var text: String
    /// Whether it is the last piece.
    var isLast: Bool?
    /// Whose actions and reducer the log is read with if there is no room of the name that it has.
    var room: String?
    var stamp = Stamp()

    var texts: [String] { [ticket, id, room ?? ""] }
}

/// The server dispatches what became of a ``DevtoolsAction``.
struct DevtoolsActionEnded: ServerAction, AuditedAction {
    var id: String
    /// Whom or what the action was about.
    var target: String?
    var version: UInt64?
    /// How many connections it ended.
    var ended: Int?
    var problem: String?

    var auditTarget: String { target ?? "" }
    var auditProblem: String? { problem }
}

/// What became of a ``DevtoolsAction``.
struct DevtoolsOutcome: Codable, Equatable, Sendable {
    /// The action's stamp's id.
    var id: String
    /// What its sender calls it.
    var ticket: String
    /// For an action that is about one room.
    var room: String?
    /// Its type there, or its own.
    var type: String
    /// Whether it has an outcome.
    var isOver = false
    /// The version that an action in a room led to, or that a room was opened at; nil if that
    /// failed.
    var version: UInt64?
    var ended: Int?
    var problem: String?

    init(_ action: any DevtoolsAction) {
        let forward = action as? ForwardAction
        (id, ticket) = (action.stamp.id, action.ticket)
        room = forward?.room ?? (action as? OpenAction)?.room
        type = forward?.type ?? Swift.type(of: action).wireName
    }

    mutating func take(_ end: DevtoolsActionEnded) {
        isOver = true
        (version, ended, problem) = (end.version, end.ended, end.problem)
    }
}

/// A connection in the list of them.
struct ConnectionReport: Codable, Sendable {
    /// Its number, the same as in the logs.
    var connection: UInt64
    var room: String
    var identity: String
    var address: String
    var participant: String
}

/// The connections of one loop, or of all.
struct ConnectionList: Codable, Sendable {
    /// The first of them.
    var connections: [ConnectionReport] = []
    /// How many there are.
    var total = 0

    static let most = 1000

    static func + (one: ConnectionList, other: ConnectionList) -> ConnectionList {
        let all = (one.connections + other.connections).sorted { $0.connection < $1.connection }
        return ConnectionList(
            connections: Array(all.prefix(most)), total: one.total + other.total)
    }
}

/// What one loop did for a ``KickAction``.
struct KickedConnections: Sendable {
    var ended = 0
    /// Some of those that it might have meant.
    var known: Set<ExactString> = []

    static let mostKnown = 10

    /// How many were ended; or that nobody was meant, and who is there.
    func outcome(of action: KickAction) -> DevtoolsActionEnded {
        let (id, target) = (action.stamp.id, action.auditTarget)
        guard ended == 0 else { return DevtoolsActionEnded(id: id, target: target, ended: ended) }
        let names = known.sorted().prefix(Self.mostKnown).map { $0.string.excerpt().shown }
        let others =
            names.isEmpty
            ? "nobody is connected." : "there are: \(names.joined(separator: ", "))."
        let problem =
            action.connection.map { "No connection has the number \($0); \(others)" }
            ?? "Nobody is connected as '\((action.identity ?? "").excerpt().shown)'; \(others)"
        return DevtoolsActionEnded(id: id, target: target, problem: problem)
    }
}
