package import StorecastRoom
package import StorecastSync
package import StorecastWire

/// What a library adds to a server: a room of its own, from which it may observe the others.
///
/// Libraries make them, as StorecastDevtools does:
/// ```swift
/// SyncServer(extensions: [.devtools(.token(secret))], rooms: rooms)
/// ```
public struct ServerExtension: Sendable {
    /// The path of the extension's room. The server's own `rooms` isn't asked about it.
    let path: String
    let makePart: @Sendable (any ExtensionHost) -> any LoopExtension

    /// - Parameter makePart: called once for each loop. The host outlives the part: a part refers
    ///   to it unowned.
    package init(
        path: String, makePart: @escaping @Sendable (any ExtensionHost) -> any LoopExtension
    ) {
        self.path = path
        self.makePart = makePart
    }
}

/// The part of an extension that lives on one event loop. Every call is made on that loop.
package protocol LoopExtension: AnyObject, SendableMetatype {
    /// Makes the extension's room, on the loop where it lives, whenever somebody enters it. The
    /// room is in memory only, and leaves it some time after the last client.
    func makeRoom(_ context: RoomContext) -> any AnyRoom
    /// Who a client of the extension's room is. The server's own `authenticate` isn't asked.
    func identity(token: String?) -> Result<Identity, Rejection>

    /// A client has connected to a room of this loop.
    ///
    /// - Returns: who is told of its messages; nil for nobody.
    func opened(
        _ connection: UInt64, _ credentials: Credentials
    ) -> (any ConnectionObserver)?
    /// A connection has ended, and has left its room.
    func closed(_ connection: UInt64)
    /// A room has left memory.
    func unloaded(_ room: any AnyRoom)
}

/// Is told how much goes through one connection, on the loop of its room.
package protocol ConnectionObserver: AnyObject {
    /// A message of so many bytes came from the client.
    func received(_ bytes: Int)
    /// The messages were handed to the connection.
    func sent(_ messages: [ServerMessage])
}

/// What an extension has of its server: the loop that its part lives on, and the way to its parts
/// on the others.
package protocol ExtensionHost: LoopHost {
    /// The rooms of this loop.
    var rooms: RoomLoop { get }
    /// Where they are kept.
    var journal: any Journal { get }
    /// The place of this loop among the server's.
    var index: Int { get }

    /// The place of the loop on which the room of a path lives.
    func homeIndex(of path: String) -> Int
    /// What the server's own `rooms` answers for a path.
    func definition(of path: String) -> (any RoomDefinitionProtocol)?
    /// Who isn't let in any more.
    var revocations: Revocations { get }

    /// Ends the connections of those identities to rooms of this loop, but for the extensions';
    /// returns how many.
    func revoke(where isRevoked: @escaping @Sendable (Identity) -> Bool) -> Int
    /// Does what ``SyncServer/reload()`` does.
    func reload(completion: @escaping @Sendable (Result<Void, any Error>) -> Void)
    /// The extension's parts on all loops of the server, in order; none once it has stopped.
    func parts<Part: LoopExtension>(_ type: Part.Type) -> [LoopPart<Part>]
}

/// The way to an extension's part on one loop, from any thread.
package struct LoopPart<Part: LoopExtension>: Sendable {
    let loop: ServerLoop

    /// Calls `work` on the part's loop, behind everything given to that before; not if the server
    /// never began.
    package func perform(_ work: @escaping @Sendable (Part) -> Void) {
        loop.perform { core in
            if let part = core.part(Part.self) { work(part) }
        }
    }
}
