/// A room as its loop sees it, whatever its state.
package protocol AnyRoom: SessionRoom, InspectableRoom {
    /// Whether its history couldn't be read, or another server writes it: it takes nothing.
    var hasFailed: Bool { get }
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
    /// Hands what came in this turn to the journal.
    func endTurn()
    /// Brings large values up to date that were left behind, as far as a slice goes.
    func catchUp()
    /// Frees what only saves work when somebody comes back.
    func forgetLingering()
    var gauges: RoomGauges { get }
    /// Bounds from now on.
    func set(_ limits: SyncLimits)
    /// It has left memory.
    func unloaded()
    /// Another server is to go on with it: its clients connect again.
    ///
    /// - Parameter asTold: whether it was given to that one, so that nothing is wrong.
    func leave(_ reason: String, asTold: Bool)
    /// The server has ended or left the room: whoever waits for what has no outcome yet is told so.
    func abandon()
}

extension AnyRoom {
    package func unloaded() {}
    package func leave(_ reason: String, asTold: Bool) {}
}
