package import StorecastSync

/// The event loop, sockets and owner behind a ``RoomLoop``; every call is made on the loop.
package protocol LoopHost: RoomHost {
    /// The time of day, which may step.
    var timeOfDay: Timestamp { get }

    /// Something is due: ``RoomLoop/endTurn()`` is to be called when all that has come is taken.
    func turnBegan()
    /// Called at the end of a turn: another one is to follow, as soon as all that has come by then
    /// is taken.
    func turnAgain()

    /// Makes the room of a path; nil if there is no such room.
    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)?
    /// Makes the server's own room of a path, which doesn't count among those that may be open.
    func makeOwnRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)?
    /// What a client is told whose path has no room.
    func lack(ofRoom path: String) -> String
    /// Whether a connection to the room with this key may be an edge's, whose word is taken for who
    /// its clients are.
    func admitsEdge(_ key: String?, to room: String) -> Bool
    /// The identity, unless nobody may have it here, or not any more.
    func admitted(_ identity: Identity) -> Result<Identity, Rejection>
    /// The room has left memory.
    func unloaded(_ room: any AnyRoom)
    /// Who follows the session's dispatches; nil if nobody does.
    func trace(of session: ServerSession) -> (any DispatchTrace)?
    /// Finds out whose token it is and calls `session.authenticated`, possibly at once.
    func authenticate(_ session: ServerSession, token: String?)
}

extension LoopHost {
    package func turnBegan() {}
    package func turnAgain() { turnBegan() }
    package func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? { nil }
    package func makeOwnRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? { nil }
    package func lack(ofRoom path: String) -> String { "There is no such room." }
    package func unloaded(_ room: any AnyRoom) {}
    package func trace(of session: ServerSession) -> (any DispatchTrace)? { nil }
    package func admitsEdge(_ key: String?, to room: String) -> Bool { false }
    package func admitted(_ identity: Identity) -> Result<Identity, Rejection> {
        .success(identity)
    }
}
