/// Where a server keeps its rooms' journals.
public struct JournalProvider: Sendable {
    /// Opens the place: once for a server, before it listens.
    package let open: @Sendable () async throws(JournalError) -> any JournalStore
    /// With whom the server shares the rooms that are kept there; nil if with nobody.
    package let sharing: (any RoomSharing)?

    package init(
        sharing: (any RoomSharing)? = nil,
        open: @escaping @Sendable () async throws(JournalError) -> any JournalStore
    ) {
        self.sharing = sharing
        self.open = open
    }

    /// In memory: rooms start empty with the process and end with it.
    public static let memory = JournalProvider { () throws(JournalError) in MemoryJournalStore() }
}

/// The servers that share rooms, to one of them. What it is asked for is the server's to say.
package protocol RoomSharing: AnyObject, Sendable {}

/// One place where the journals of all loops of a server are kept.
package protocol JournalStore: Sendable {
    /// The journal for the rooms of one loop. Called on that loop, once.
    ///
    /// - Parameter loop: runs what it is given on the loop, later and in order.
    func journal(on loop: @escaping JournalLoop) -> any Journal

    /// What was found when it was opened that its owner has to know, in sentences.
    var reports: [String] { get }

    /// Ends it, when the loops have ended: waits for what is being written and lets go of files.
    ///
    /// A journal of a closed store answers ``JournalError/unavailable(_:)``.
    func close() async
}

extension JournalStore {
    package var reports: [String] { [] }
}

/// Runs work on the loop that a journal belongs to, in the order in which it is given.
package typealias JournalLoop = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
