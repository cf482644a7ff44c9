package import StorecastRoom

/// What simulated servers have in common that share their rooms: the log, and what they hear of one
/// another. It injects its own faults.
package protocol SimulatedCluster: AnyObject {
    /// The id of the history that the room begins with.
    var epoch: String { get }
    /// A server starts.
    func join(_ server: any SimulatedServer) -> any ClusterMember
    /// Nothing that a server says arrives for a while, nor what others say at the server.
    func cutOff(_ server: any SimulatedServer, for time: Duration)
    /// No more faults from now on.
    func heal()
}

/// Makes what the servers of a run share, if there are several.
package typealias ClusterMaker =
    @Sendable (_ seed: UInt64, any ClusterSurroundings) -> any SimulatedCluster

/// One server's part of a ``SimulatedCluster``.
package protocol ClusterMember: AnyObject {
    var journal: any Journal { get }
    /// Finds out in which place the server is that has the room; nil if it can't.
    func find(_ completion: @escaping (_ place: Int?) -> Void)
    /// Gives the room to another server if this one has it, then calls `completion`.
    func giveRoom(_ completion: @escaping () -> Void)
    /// The server's process has ended, or the run has.
    func end()
}

/// A simulated server as others see it.
package protocol SimulatedServer: AnyObject {
    /// Different for each process.
    var number: Int { get }
    /// Which of the servers it is: one that starts anew has the place that it had.
    var place: Int { get }
    /// The random numbers of this process.
    func drawn() -> UInt64
    /// Runs `body` later, unless the process has ended, and not while it stands still.
    func after(_ delay: Duration, _ body: @escaping () -> Void)
    var hasRoom: Bool { get }
    /// Writes what makes it easy for the next one, if it has the room.
    func prepareToLeave(_ completion: @escaping () -> Void)
    func leaveRoom(_ reason: String)
    /// The server of a place is gone, which may be where the room is.
    func lost(_ place: Int)
}

/// The run around a ``SimulatedCluster``.
package protocol ClusterSurroundings: AnyObject {
    var now: Duration { get }
    func after(_ delay: Duration, _ body: @escaping () -> Void)
    /// The log keeps these, behind all others.
    func kept(_ records: [JournalRecord], by server: Int)
    /// What it keeps from now on is of another term.
    func began(_ term: String)
    /// The log has lost its end: it has so many of its records, and these terms, each with the number
    /// of records before it.
    func lostEnd(keeping records: Int, _ terms: [(id: String, records: Int)])
    /// The log has what it must not have.
    func broken(_ finding: String)
    func note(_ text: String)
}
