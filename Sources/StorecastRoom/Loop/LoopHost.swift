/// The event loop, sockets and owner behind a ``RoomLoop``; every call is made on the loop.
package protocol LoopHost: AnyObject {
    /// The time by a clock that never steps back.
    var now: Duration { get }

    /// Calls `work` on the loop when `delay` is over; never if the loop ends before.
    func schedule(after delay: Duration, _ work: @escaping () -> Void)
    /// Something is due: ``RoomLoop/endTurn()`` is to be called when all that has come is taken.
    func turnBegan()
    /// Does work that takes long on another thread, and calls `completion` on the loop; both at
    /// once in a host that has no other thread.
    func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void)

    /// Makes the room of a path; nil if there is no such room.
    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)?
    /// Makes the server's own room of a path, which doesn't count among those that may be open.
    func makeOwnRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)?
    /// The room has left memory.
    func unloaded(_ room: any AnyRoom)
    /// Finds out whose token it is and calls `session.authenticated`, possibly at once.
    func authenticate(_ session: ServerSession, token: String?)

    /// Logs what the server's owner should know.
    func report(_ message: String)
    /// A room has read another page of its history.
    func progressed(_ progress: RoomProgress)
}

extension LoopHost {
    package func turnBegan() {}
    package func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? { nil }
    package func makeOwnRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? { nil }
    package func unloaded(_ room: any AnyRoom) {}
    package func progressed(_ progress: RoomProgress) {}

    package func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
    ) { completion(work()) }
}
