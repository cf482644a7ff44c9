package import StorecastRoom

/// What a room's writer does to its log: it appends batches, sets marks, and forgets entries.
extension JetStreamLogs {
    /// Keeps a batch behind all that is there; returns the offset of its last entry.
    ///
    /// - Parameter opening: whose batch it is; nil for any. One that comes late, when the room has
    ///   left memory and been opened again, isn't kept: who opened it wouldn't know of it.
    package func append(
        _ batch: [JournalEntry], to room: String, since opening: Int? = nil
    ) async throws(JournalError) -> UInt64 {
        try await append(records: try LogMessage.records(batch), to: room, since: opening)
    }

    /// The same with entries as they are kept.
    func append(
        records batch: [JournalRecord], to room: String, since opening: Int? = nil
    ) async throws(JournalError) -> UInt64 {
        guard batch.count <= LogOffset.mostEntries else {
            throw .unavailable(
                "\(batch.count) actions at once are too many: at most \(LogOffset.mostEntries).")
        }
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        try check(log, isOf: opening)
        if let uncertain = log.uncertain {
            let isSame =
                batch.count == uncertain.batch.count
                && zip(batch, uncertain.batch).allSatisfy {
                    $0.seq == $1.seq && $0.client == $1.client
                }
            let head = try await settle(log, uncertain, offersAgain: isSame)
            if isSame, let head { return head }
        }
        switch log.role {
        case .none: _ = try await takeOver(log)
        case .unsure: try await regain(log)
        case .writer: break
        case .replaced: throw replaced(log)
        }
        let payload = try LogMessage.payload(batch)
        let (parts, rest) = try await writeParts(of: payload, to: log)
        guard let state = log.state else { throw replaced(log) }
        let next = state.adding(.entries, count: batch.count, rest)
        return try await finish(
            Offer(batch: batch, payload: rest, next: next, parts: parts), of: log)
    }

    private func check(_ log: Log, isOf opening: Int?) throws(JournalError) {
        guard opening ?? log.openings == log.openings else {
            throw .replaced("The room '\(log.room)' has been opened again here.")
        }
    }

    /// Offers a batch until it is kept, or is known not to be.
    ///
    /// - Parameter mayBeKept: it was offered before.
    func finish(
        _ offer: Offer, of log: Log, mayBeKept: Bool = false
    ) async throws(JournalError) -> UInt64 {
        let count = offer.batch.count
        let message = LogMessage(
            kind: offer.kind, state: offer.next, count: count, parts: offer.parts,
            payload: offer.payload)
        var mayBeKept = mayBeKept
        var problem = ""
        for attempt in 0..<Self.mostTries {
            await pause(before: attempt)
            do throws(JournalError) {
                if !mayBeKept {
                    try await lookAgain(log)
                } else if let state = try await found(offer, of: log) {
                    return state.head
                }
            } catch {
                if case .replaced = error { throw error }
                problem = "\(error)"
                continue
            }
            let (end, connection) = (log.state?.sequence ?? 0, log.connection)
            switch await write(message, to: log, behind: end, on: connection) {
            case .kept(let number):
                return own(log, offer.next.numbered(number, count: count), on: connection).head
            case .notAtEnd:
                guard mayBeKept else { throw replaced(log) }
            case .busy(let text): problem = text
            case .refused(let text):
                problem = text
                guard mayBeKept else {
                    // The parts of it that are kept mean nothing without it.
                    if offer.parts != nil { log.role = .unsure }
                    throw .unavailable(text)
                }
            case .unknown(let text):
                problem = text
                mayBeKept = true
            }
        }
        guard mayBeKept else { throw .unavailable(problem) }
        log.uncertain = offer
        throw .unknownOutcome(problem)
    }

    /// Where the log stands with a batch that was offered, if that is its end; nil if what was the
    /// end before still is. Throws ``JournalError/replaced(_:)`` if others have written meanwhile.
    private func found(_ offer: Offer, of log: Log) async throws(JournalError) -> LogState? {
        let (end, connection) = try await endForWriting(log)
        if Self.isEnd(end, log.state) {
            log.connection = connection
            return nil
        }
        if let end, end == offer.next.numbered(end.sequence, count: offer.batch.count) {
            return own(log, end, on: connection)
        }
        throw replaced(log)
    }

    /// Finds out what became of a batch that nobody could tell of.
    ///
    /// - Parameter offersAgain: whether it is wanted: then it is kept.
    /// - Returns: the offset of its last entry if it is kept.
    private func settle(
        _ log: Log, _ uncertain: Offer, offersAgain: Bool
    ) async throws(JournalError) -> UInt64? {
        if offersAgain { return try await finish(uncertain, of: log, mayBeKept: true) }
        // It may still come, unless something else stands in its place.
        if let state = try await found(uncertain, of: log) { return state.head }
        log.uncertain = nil
        log.role = .unsure
        try await regain(log)
        return nil
    }

    /// Writes what doesn't fit into one message; returns where that is, and the rest.
    private func writeParts(
        of payload: [UInt8], to log: Log
    ) async throws(JournalError) -> (parts: LogMessage.Parts?, rest: [UInt8]) {
        let most = min(await jetStream.mostBytes, layout.mostBytes) - LogMessage.headBytes
        var rest = payload[...]
        var parts: LogMessage.Parts?
        while rest.count > most {
            let part = Array(rest.prefix(most))
            let number = try await mark(log) { state in
                LogMessage(kind: .part, state: state.adding(.part, count: 0, part), payload: part)
            }
            parts = LogMessage.Parts(first: parts?.first ?? number, count: (parts?.count ?? 0) + 1)
            rest = rest.dropFirst(most)
        }
        return (parts, Array(rest))
    }

    /// Writes a message without entries; returns its number.
    func mark(
        _ log: Log, _ message: (LogState) -> LogMessage
    ) async throws(JournalError) -> UInt64 {
        guard log.role == .writer, let state = log.state else { throw replaced(log) }
        try await lookAgain(log)
        let message = message(state)
        let connection = log.connection
        switch await write(message, to: log, behind: state.sequence, on: connection) {
        case .kept(let number):
            return own(log, message.state.numbered(number, count: 0), on: connection).sequence
        case .notAtEnd: throw replaced(log)
        case .refused(let text), .busy(let text), .unknown(let text):
            log.role = .unsure
            throw .unavailable(text)
        }
    }

    /// - Parameter connection: of NATS, on which the end was read. After a reconnection it is read
    ///   again first: with all servers of the stream, what was the end may have gone, and others may
    ///   have written up to the same number since.
    func write(
        _ message: LogMessage, to log: Log, behind sequence: UInt64, on connection: Int
    ) async -> JetStream.Written {
        var written = JetStream.Written.busy("")
        // The stream still has to do with the message before, or has just got another leader.
        for attempt in 0..<Self.mostWaits {
            if isClosed { return .refused("The journal is closed.") }
            written = await jetStream.write(
                message.payload, to: log.subject, headers: message.headers, behind: sequence,
                on: connection)
            guard case .busy = written, connection == jetStream.connections.reconnects else {
                return written
            }
            await jetStream.pause(.milliseconds(attempt < 10 ? 2 : 50))
        }
        return written
    }

    // MARK: Forgetting

    /// Forgets the entries up to an offset.
    ///
    /// - Parameter opening: who asks for it; nil for any.
    package func forget(
        _ room: String, through offset: UInt64, since opening: Int? = nil
    ) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        try check(log, isOf: opening)
        if let uncertain = log.uncertain {
            _ = try await settle(log, uncertain, offersAgain: false)
        }
        switch log.role {
        case .none: _ = try await takeOver(log)
        case .unsure: try await regain(log)
        case .writer: break
        case .replaced: throw replaced(log)
        }
        guard let state = log.state else { throw replaced(log) }
        let floor = min(offset, state.head)
        guard floor > state.floor else { return }
        // Whoever reads finds this before it can miss anything.
        _ = try await mark(log) { state in
            var next = state
            next.floor = floor
            return LogMessage(kind: .floor, state: next.adding(.floor, count: 0, []))
        }
        let found: (messages: [JetStream.Kept], hasMore: Bool)
        let place = LogOffset(floor)
        do throws(NATSError) {
            found = try await jetStream.page(
                of: log.subject, in: log.stream, from: place.sequence, count: 1)
        } catch {
            throw .unavailable(error.description)
        }
        // A server that is behind: what isn't purged now is the next time.
        guard let kept = found.messages.first, kept.sequence == place.sequence else { return }
        let first = try LogMessage(kept).parts?.first
        try await purge(log, below: first ?? place.sequence)
    }

    func purge(_ log: Log, below sequence: UInt64) async throws(JournalError) {
        do throws(NATSError) {
            try await jetStream.purge(log.subject, of: log.stream, below: sequence)
        } catch {
            throw .unavailable(error.description)
        }
    }
}
