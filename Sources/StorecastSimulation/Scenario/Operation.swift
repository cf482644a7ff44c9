/// What is done in one step of a scenario.
enum Operation: Equatable, Sendable {
    /// A client's network appears: it connects.
    case arrive(Int)
    /// A client's network is gone until it arrives again; it keeps its state.
    case leave(Int)
    /// A client's process crashes, and another takes its place.
    case crash(Int)
    /// A client dispatches so many actions.
    case dispatch(Int, count: Int)
    /// A client subscribes to a selection.
    case subscribe(Int)
    /// A client unsubscribes from a selection.
    case unsubscribe(Int)
    /// A client authenticates with a token that has other roles.
    case renew(Int)
    /// A client opens another connection.
    case reconnect(Int)
    /// A client can't store its dispatches.
    case fillDisk(Int)
    /// A client can store its dispatches again.
    case emptyDisk(Int)
    /// A client sends many requests and doesn't read the replies.
    case flood(Int)
    /// A client's connection is cut; either end may notice late.
    case cut(Int)
    /// Nothing arrives on a client's connection for a while.
    case stall(Int)
    /// A client reads nothing for a while.
    case block(Int)

    /// The server's process crashes between two steps of what it does.
    case crashServer
    /// The server's process crashes, and its journal's newest entries are lost.
    case restoreServer
    /// The server stops in order.
    case stopServer
    /// The server's own code dispatches an action.
    case dispatchOnServer
    /// The next append fails in this way.
    case journal(JournalFault)

    /// A server of a cluster stands still for a while.
    case stand
    /// A server of a cluster gives the room to another one, if it has it.
    case giveRoom
    /// Two servers of a cluster can't reach one another for a while.
    case part
    /// A server of a cluster can't reach the log for a while.
    case cutOff

    /// The client that it is about, if any.
    var client: Int? {
        switch self {
        case .arrive(let client), .leave(let client), .crash(let client),
            .dispatch(let client, _), .subscribe(let client), .unsubscribe(let client),
            .renew(let client), .reconnect(let client),
            .fillDisk(let client), .emptyDisk(let client), .flood(let client), .cut(let client),
            .stall(let client), .block(let client):
            client
        case .crashServer, .restoreServer, .stopServer, .dispatchOnServer, .journal, .stand,
            .giveRoom, .part, .cutOff:
            nil
        }
    }
}

/// How an append to the journal fails.
enum JournalFault: Equatable, Sendable, CustomDebugStringConvertible {
    /// Nothing is kept, and the journal says so.
    case unavailable
    /// The journal doesn't know whether the batch was kept; it was.
    case unknownKept
    /// The journal doesn't know whether the batch was kept; it wasn't.
    case unknownLost
    /// The batch is kept twice.
    case keptTwice
    /// One entry can't be kept.
    case unfit
    /// It takes this long.
    case stalled(Duration)

    var debugDescription: String {
        switch self {
        case .unavailable: "unavailable"
        case .unknownKept: "outcome unknown, kept"
        case .unknownLost: "outcome unknown, lost"
        case .keptTwice: "kept twice"
        case .unfit: "unfit"
        case .stalled(let time): "stalled for \(time)"
        }
    }
}
