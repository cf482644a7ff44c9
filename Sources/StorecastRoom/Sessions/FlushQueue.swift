/// What a session needs of the loop that it belongs to.
package protocol SessionLoop: AnyObject {
    /// The loop's sessions that have something to send.
    var flushes: FlushQueue { get }
    /// Something is about to be due, in a turn that may have had nothing to do.
    func noteBegin()
    /// Finds out whose token it is and calls `session.authenticated`, possibly at once.
    func authenticate(_ session: ServerSession, token: String?)
}

/// The sessions of a loop that have something to send, in the order in which it came up.
///
/// An object of its own, so that sessions can hold it strongly: each of thousands says in a turn
/// that it is due.
package final class FlushQueue {
    unowned var loop: (any SessionLoop)?
    @exclusivity(unchecked) var due: [ServerSession] = []

    /// The session's messages are pulled at the end of the turn, if its connection takes them.
    func add(_ session: ServerSession) {
        if due.isEmpty { loop?.noteBegin() }
        due.append(session)
    }
}

extension Array {
    /// Removes everything and keeps the memory: of few elements quicker than `removeAll`.
    mutating func clear() {
        while popLast() != nil {}
    }
}
