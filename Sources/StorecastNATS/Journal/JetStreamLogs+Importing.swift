import StorecastRoom
import StorecastWire

/// Rooms that are copied to JetStream, from a file or another cluster.
extension JetStreamLogs {
    /// Begins a room that isn't there, or that another import hasn't ended. Until this one ends,
    /// each message says that not all of it is there, and nobody opens it.
    ///
    /// - Parameters:
    ///   - epoch: nil for a new one.
    ///   - isCut: whether it begins with a snapshot, at ``LogOffset/ofBeginning``.
    func beginImport(
        of room: String, epoch: String?, isCut: Bool
    ) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        let (end, connection) = try await endForWriting(log)
        if let end, !end.isImport {
            throw .unavailable("The room '\(room)' is at NATS already.")
        }
        let new = randomID(using: &random)
        var next = LogState(
            beginningOf: room, epoch: epoch ?? new, term: randomID(using: &random))
        next.isImport = true
        if isCut { (next.head, next.floor) = (LogOffset.ofBeginning, LogOffset.ofBeginning) }
        // Behind what is left, so that whoever wrote that, and still does, is refused.
        _ = own(log, end ?? next, on: connection)
        next = next.adding(.term, count: 0, [])
        _ = try await finish(Offer(kind: .term, next: next), of: log)
    }

    /// Makes sure that nobody else imports the room: whoever begins to is refused, or refuses this.
    func fenceImport(of room: String) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        guard isImporting(room) else { throw replaced(log) }
        try await markAgain(log)
    }

    /// Removes what an import that didn't end has left before this one, which has just begun.
    func clearImport(of room: String) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        guard isImporting(room), let state = log.state else { throw replaced(log) }
        try await purge(log, below: state.sequence)
    }

    /// Whether this process imports the room, and as far as it knows nobody else does.
    func isImporting(_ room: String) -> Bool {
        let log = log(of: room)
        return log.role == .writer && log.uncertain == nil && log.state?.isImport == true
    }

    /// All of the room is there: from now on it may be opened.
    func endImport(of room: String) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        guard log.role == .writer, var next = log.state else { throw replaced(log) }
        next.isImport = false
        next = next.adding(.term, count: 0, [])
        _ = try await finish(Offer(kind: .term, next: next), of: log)
    }

    /// Removes what this process has written of a room that it is importing.
    func discardImport(of room: String) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        guard isImporting(room), let state = log.state else { throw replaced(log) }
        // What others have written since has higher numbers.
        try await purge(log, below: state.sequence + 1)
        log.role = .none
        log.state = nil
    }

    /// Why nobody opens a room that is being imported, or whose import was interrupted.
    static func unfinished(_ room: String) -> JournalError {
        .unavailable(
            "Not all of the room '\(room)' is at NATS. Wait until `storecast cluster import` ends, "
                + "or run it again if it was interrupted.")
    }
}
