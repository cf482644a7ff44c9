package import StorecastRoom
import StorecastSync
import StorecastWire

/// How this process becomes the writer of a room, and makes sure that it still is.
extension JetStreamLogs {
    /// Becomes the writer of a room, if this process isn't already.
    ///
    /// - Parameter mayOpen: called when it is the room's turn, and before it is tried again, as
    ///   another wrote at that moment; throws if another is to have the room, or nobody waits for it
    ///   any more.
    package func open(
        _ room: String, mayOpen: @Sendable () async throws(JournalError) -> Void = {}
    ) async throws(JournalError) -> (history: RoomHistory, opening: Int) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        try await mayOpen()
        let (state, isMarked) = try await takeOver(log, mayOpen)
        log.openings += 1
        let history = RoomHistory(
            epoch: state.epoch, head: state.head, isTakenOver: isMarked && state.head > 0,
            term: state.term)
        return (history, log.openings)
    }

    /// Runs `body` while this process writes the room, and makes sure behind it that it still did.
    ///
    /// - Parameters:
    ///   - opening: whose room it is about; nil for any.
    ///   - marks: whether there is to be something in the log, so that whoever wrote before is
    ///     refused.
    func whileWriting<Value: Sendable>(
        _ room: String, since opening: Int?, marks: Bool = false,
        _ body: @Sendable () async throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        guard log.uncertain == nil, opening ?? log.openings == log.openings else {
            throw .unavailable("It isn't known now who writes the room '\(room)'.")
        }
        switch log.role {
        case .none: _ = try await takeOver(log)
        case .unsure: try await regain(log)
        case .writer: break
        case .replaced: throw replaced(log)
        }
        if marks, log.state?.sequence ?? 0 == 0 {
            _ = try await mark(log) { state in
                LogMessage(kind: .term, state: state.adding(.term, count: 0, []))
            }
        }
        let value = try await body()
        guard Self.isEnd(try await end(of: log), log.state) else {
            throw .unavailable("Another server may write the room '\(room)' now.")
        }
        return value
    }

    /// Marks the log, which takes that only if nobody else has taken the room over: as an answer
    /// where it ends, which may be old, doesn't prove.
    ///
    /// - Parameter opening: whose room it is about; nil for any.
    func fence(_ room: String, since opening: Int?) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        guard log.role == .writer, log.uncertain == nil,
            opening ?? log.openings == log.openings
        else { throw .unavailable("It isn't known now who writes the room '\(room)'.") }
        try await markAgain(log)
    }

    func markAgain(_ log: Log) async throws(JournalError) {
        _ = try await mark(log) { state in
            LogMessage(kind: .term, state: state.adding(.term, count: 0, []))
        }
    }

    /// - Returns: where it ends then, and whether that was marked, as others may have written
    ///   before.
    func takeOver(
        _ log: Log, _ mayOpen: @Sendable () async throws(JournalError) -> Void = {}
    ) async throws(JournalError) -> (state: LogState, isMarked: Bool) {
        var problem = "others write it"
        var mark: LogState?
        for attempt in 0..<Self.mostTries {
            await pause(before: attempt)
            let (end, connection) = try await endForWriting(log)
            if let end, let mark, end.term == mark.term {
                return (own(log, end, on: connection), true)
            }
            if let end, end.isImport { throw Self.unfinished(log.room) }
            let isOurs = log.uncertain == nil && isOurs(end, log)
            var next = end ?? beginning(of: log)
            next.term = isOurs ? log.state?.term ?? "" : randomID(using: &random)
            // Nobody could have written anything that isn't known here, and a room in which nothing
            // happens leaves no trace.
            if end == nil {
                if try await isEmpty(log) { return (own(log, next, on: connection), false) }
                problem = "NATS doesn't agree about where it ends"
                continue
            }
            // Also where this process has written last: the end that it is shown may be an old one.
            next = next.adding(.term, count: 0, [])
            mark = isOurs ? nil : next
            let written = await write(
                LogMessage(kind: .term, state: next), to: log, behind: end?.sequence ?? 0,
                on: connection)
            switch written {
            case .kept(let number):
                return (own(log, next.numbered(number, count: 0), on: connection), !isOurs)
            case .notAtEnd: try await mayOpen()
            case .refused(let text): throw .unavailable(text)
            case .busy(let text), .unknown(let text): problem = text
            }
        }
        throw .unavailable("The room '\(log.room)' can't be taken over: \(problem)")
    }

    /// Whether this process was the last to write a log that ends there.
    private func isOurs(_ end: LogState?, _ log: Log) -> Bool {
        switch (log.role, log.state) {
        case (.writer, _): Self.isEnd(end, log.state)
        // Nothing follows what it wrote but its own marks and parts.
        case (.unsure, let state?):
            end.map {
                $0.term == state.term && $0.epoch == state.epoch && $0.head == state.head
            } ?? (state.sequence == 0)
        default: false
        }
    }

    /// Makes sure that a room whose last mark or part may not be kept is still this process's:
    /// nothing follows what it wrote but its own marks and parts. Marks that then.
    func regain(_ log: Log) async throws(JournalError) {
        guard log.role == .unsure, let state = log.state else { return }
        let (end, connection) = try await endForWriting(log)
        guard isOurs(end, log) else { throw replaced(log) }
        // In its own term: what the room's clients know goes on.
        let next = (end ?? state).adding(.term, count: 0, [])
        let written = await write(
            LogMessage(kind: .term, state: next), to: log, behind: end?.sequence ?? 0,
            on: connection)
        switch written {
        case .kept(let number): _ = own(log, next.numbered(number, count: 0), on: connection)
        case .notAtEnd: throw replaced(log)
        case .refused(let text), .busy(let text), .unknown(let text): throw .unavailable(text)
        }
    }

    /// Whether the log still ends where this process has left it. That is marked: who only looks may
    /// be shown an old end.
    package func isAlone(in room: String) async throws(JournalError) -> Bool {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        switch log.role {
        case .none: return true
        case .replaced: return false
        case .unsure:
            do throws(JournalError) { try await regain(log) } catch {
                if case .replaced = error { return false }
                throw error
            }
            return true
        case .writer:
            guard log.uncertain == nil else {
                throw .unavailable("It isn't known now who writes the room '\(room)'.")
            }
            do throws(JournalError) { try await markAgain(log) } catch {
                if case .replaced = error { return false }
                throw error
            }
            return true
        }
    }

    /// Whether the log of a room that is open here doesn't end any more where this process has left
    /// it: NATS has lost its end, or another has taken it over, who opened it before and was late.
    /// O(1), in requests.
    func hasLostEnd(of room: String) async throws(JournalError) -> Bool {
        guard let log = logs[ExactString(room)] else { return false }
        await enter(log)
        defer { leave(log) }
        do throws(JournalError) {
            switch log.role {
            case .none: return false
            case .replaced: return true
            case .unsure: try await regain(log)
            // Of a batch that may be kept the room itself finds out.
            case .writer:
                guard log.uncertain == nil else { return false }
                try await lookAgain(log, always: true)
            }
        } catch {
            if case .replaced = error { return true }
            throw error
        }
        return false
    }

    /// Whether nothing ever happened in a room.
    func isEmpty(_ room: String) async throws(JournalError) -> Bool {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        // What was there once, and isn't any more, is lost.
        guard log.state?.sequence ?? 0 == 0, log.uncertain == nil else { return false }
        guard try await end(of: log) == nil else { return false }
        // Anybody may ask for any number of rooms.
        if log.waiting.isEmpty { logs[ExactString(room)] = nil }
        return true
    }

    /// Whether another server of the stream has nothing of it either: what was its leader may not
    /// know that it isn't any more, and nothing is marked in an empty room.
    private func isEmpty(_ log: Log) async throws(JournalError) -> Bool {
        do throws(NATSError) {
            return try await jetStream.page(of: log.subject, in: log.stream, from: 1, count: 1)
                .messages.isEmpty
        } catch {
            throw .unavailable(error.description)
        }
    }
}
