/// What a room needs of the event loop that it runs on; every call is made on the loop.
package protocol RoomHost: AnyObject {
    /// The time by a clock that never steps back.
    var now: Duration { get }

    /// Calls `work` on the loop when `delay` is over; never if the loop ends before.
    func schedule(after delay: Duration, _ work: @escaping () -> Void)
    /// Does work that takes long on another thread, and calls `completion` on the loop; both at
    /// once in a host that has no other thread.
    func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void)

    /// Logs what the server's owner should know.
    func report(_ message: String)
    /// Logs what the server's owner may want to know, and is as it should be.
    func notice(_ message: String)
    /// A room has read another page of its history.
    func progressed(_ progress: RoomProgress)
    /// Something took so long.
    func took(_ time: Duration, _ measure: LoopMeasure)
}

extension RoomHost {
    package func notice(_ message: String) { report(message) }
    package func progressed(_ progress: RoomProgress) {}
    package func took(_ time: Duration, _ measure: LoopMeasure) {}

    package func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
    ) { completion(work()) }
}

/// How much of its history a room has read.
public struct RoomProgress: Equatable, Sendable {
    /// The room's name.
    public var room: String
    /// What was read of ``total``, in offsets of the journal.
    public var done: UInt64
    /// What lies behind the snapshot that the room began with.
    public var total: UInt64

    /// - Parameters:
    ///   - room: the room's name.
    ///   - done: what was read of `total`.
    ///   - total: what there is to read.
    public init(room: String, done: UInt64, total: UInt64) {
        self.room = room
        self.done = done
        self.total = total
    }
}

/// What takes time on a loop, and is measured each time.
package enum LoopMeasure: Sendable {
    /// From the first that came in a turn to its end.
    case turn
    /// From handing a batch to a journal until it is there.
    case append
    /// From asking for a room that another process has written until it goes on here.
    case takeover
    /// From asking the owner of a room for a sign until that comes.
    case roundTrip
}
