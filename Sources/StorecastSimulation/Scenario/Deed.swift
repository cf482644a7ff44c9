/// What happens in one step of a scenario.
enum Deed: Equatable, Sendable {
    /// A client comes, or comes back.
    case arrive(Int)
    /// A client hangs up and stays away until it comes back; it keeps what it knows.
    case leave(Int)
    /// A client is gone with all that it knew; another comes in its place.
    case crash(Int)
    /// A client dispatches so many actions.
    case dispatch(Int, count: Int)
    /// A client mirrors a selection.
    case follow(Int)
    /// A client loses interest in a selection.
    case unfollow(Int)
    /// A client shows a token with other roles.
    case renew(Int)
    /// A client opens another connection.
    case reconnect(Int)
    /// A client can't store its dispatches.
    case fillDisk(Int)
    /// A client can store its dispatches again.
    case emptyDisk(Int)
    /// A client asks and asks, and doesn't read the answers.
    case pester(Int)
    /// A client's connection breaks; either end may notice late.
    case cut(Int)
    /// Nothing arrives on a client's connection for a while.
    case stall(Int)
    /// A client reads nothing for a while.
    case block(Int)

    /// The server's process crashes between two steps of what it does.
    case crashServer
    /// The server's process crashes, and its journal's newest entries are lost.
    case restoreServer
    /// The server stops politely.
    case stopServer
    /// The server's own code dispatches an action.
    case dispatchOnServer
    /// The next append goes wrong.
    case journal(JournalFault)

    /// Whose step it is, if a client's.
    var client: Int? {
        switch self {
        case .arrive(let client), .leave(let client), .crash(let client),
            .dispatch(let client, _), .follow(let client), .unfollow(let client),
            .renew(let client), .reconnect(let client),
            .fillDisk(let client), .emptyDisk(let client), .pester(let client), .cut(let client),
            .stall(let client), .block(let client):
            client
        case .crashServer, .restoreServer, .stopServer, .dispatchOnServer, .journal: nil
        }
    }
}
