package import StorecastRoom
import StorecastSync
import StorecastWire

/// The logs of a process's rooms at JetStream: who writes them, and where they end. On the loop of
/// its connection.
///
/// What a writer may do is decided by the log alone: each message is kept only behind the one that
/// its writer knows to be the last. Whoever takes a room over reads where its log ends, and marks
/// that with a new term: from then on nothing is kept of whoever wrote before (Docs/Decisions/41).
package actor JetStreamLogs {
    /// What this process knows of a room's log. One at a time writes to it.
    final class Log {
        enum Role {
            /// It hasn't been opened here.
            case none
            case writer
            /// It was the writer, and doesn't know whether its last mark or part is kept.
            case unsure
            /// Others have written since.
            case replaced
        }

        let room: String
        let stream: String
        let subject: String
        var role = Role.none
        /// How often it was taken over here.
        var openings = 0
        /// As of the last message that this process wrote, or read when it took the room over.
        var state: LogState?
        /// A batch of which nobody can tell whether it is kept.
        var uncertain: Offer?
        /// How often NATS had been connected anew when the end was known. All its servers may have
        /// gone, and come back with less.
        var connection = 0
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        init(_ room: String, _ layout: JetStreamLayout) {
            self.room = room
            stream = layout.stream(of: room)
            subject = layout.subject(of: room)
        }
    }

    /// A message with entries, or a mark that is offered as these are, before it is kept.
    struct Offer {
        var kind = LogMessage.Kind.entries
        var batch: [JournalRecord] = []
        var payload: [UInt8] = []
        /// The message's state, without its number.
        var next: LogState
        var parts: LogMessage.Parts?
    }

    nonisolated let layout: JetStreamLayout
    nonisolated let jetStream: any LogService
    private var logs: [ExactString: Log] = [:]
    /// What the epochs of rooms without entries are computed from, by stream.
    private var seeds: [String: String] = [:]
    var random: any RandomNumberGenerator & Sendable
    private var isClosed = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        jetStream.executor.asUnownedSerialExecutor()
    }

    /// - Parameter random: where the ids of terms come from.
    package init(
        _ jetStream: any LogService, _ layout: JetStreamLayout,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.jetStream = jetStream
        self.layout = layout
        self.random = random
    }

    /// Finds or makes the streams.
    package func prepare() async throws(NATSError) {
        for number in 0..<layout.streams {
            let name = layout.stream(number)
            seeds[name] = try await jetStream.stream(
                name, subjects: [layout.subjects(number)], replicas: layout.replicas)
        }
        _ = try await jetStream.stream(
            layout.snapshotStream, subjects: [layout.snapshotSubjects], replicas: layout.replicas)
    }

    package func close() { isClosed = true }

    // MARK: Taking over

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
    private func takeOver(
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
    private func regain(_ log: Log) async throws(JournalError) {
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
    /// it: NATS has lost its end, or another has taken it over. Asks only after a reconnection.
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
            case .writer: if log.uncertain == nil { try await lookAgain(log) }
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

    func beginning(of log: Log) -> LogState {
        let seed = seeds[log.stream] ?? ""
        let epoch = SHA256.hexadecimalDigest(of: "\(seed)/\(log.room)".utf8).prefix(32)
        return LogState(beginningOf: log.room, epoch: String(epoch), term: "")
    }

    /// - Parameter connection: of NATS, on which that was found out.
    func own(_ log: Log, _ state: LogState, on connection: Int) -> LogState {
        log.state = state
        log.connection = connection
        log.role = .writer
        log.uncertain = nil
        return state
    }

    // MARK: Appending

    /// Keeps a batch behind all that is there; returns the offset of its last entry.
    package func append(
        _ batch: [JournalEntry], to room: String
    ) async throws(JournalError) -> UInt64 {
        try await append(records: try LogMessage.records(batch), to: room)
    }

    /// The same with entries as they are kept.
    func append(
        records batch: [JournalRecord], to room: String
    ) async throws(JournalError) -> UInt64 {
        guard batch.count <= LogOffset.mostEntries else {
            throw .unavailable(
                "\(batch.count) actions at once are too many: at most \(LogOffset.mostEntries).")
        }
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
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
    private func mark(
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

    // MARK: Forgetting

    /// Forgets the entries up to an offset.
    package func forget(
        _ room: String, through offset: UInt64
    ) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
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

    /// The offset of the newest entry, as far as this process knows.
    package func head(of room: String) -> UInt64 { log(of: room).state?.head ?? .max }

    // MARK: The end of a log

    /// Where a room's log ends; nil if there is no such room.
    func end(of room: String) async throws(JournalError) -> LogState? {
        try await end(of: log(of: room))
    }

    func end(of log: Log) async throws(JournalError) -> LogState? {
        try checkOpen()
        let kept: JetStream.Kept?
        do throws(NATSError) {
            kept = try await jetStream.last(of: log.subject, in: log.stream)
        } catch {
            throw .unavailable(error.description)
        }
        guard let kept else { return nil }
        return try LogMessage(kept).state
    }

    /// The same for a writer, who looks what has become of the end that it knows; and how often
    /// NATS had been connected anew.
    func endForWriting(
        _ log: Log
    ) async throws(JournalError) -> (end: LogState?, connection: Int) {
        var attempt = 0
        while true {
            let connection = jetStream.connections.reconnects
            let end = try await end(of: log)
            // Who was the leader may say so and not know that it isn't any more. It does soon; or the
            // end is lost.
            let isOlder = end?.sequence ?? 0 < log.state?.sequence ?? 0
            guard isOlder, log.role == .writer || log.role == .unsure,
                attempt < Self.mostTries - 1
            else { return (end, connection) }
            attempt += 1
            await pause(before: attempt)
        }
    }

    /// Looks whether what is known as the end still is, if NATS was connected anew since.
    private func lookAgain(_ log: Log) async throws(JournalError) {
        guard log.connection != jetStream.connections.reconnects else { return }
        let (end, connection) = try await endForWriting(log)
        guard Self.isEnd(end, log.state) else { throw replaced(log) }
        log.connection = connection
    }

    /// Whether a log that ends there stands where it is said to.
    private static func isEnd(_ end: LogState?, _ state: LogState?) -> Bool {
        guard let end else { return state?.sequence ?? 0 == 0 }
        return end == state
    }

    /// - Parameter connection: of NATS, on which the end was read. After a reconnection it is read
    ///   again first: with all servers of the stream, what was the end may have gone, and others may
    ///   have written up to the same number since.
    private func write(
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

    private func pause(before attempt: Int) async {
        if attempt > 0 { await jetStream.pause(.milliseconds(10 << attempt)) }
    }

    func replaced(_ log: Log) -> JournalError {
        log.role = .replaced
        log.uncertain = nil
        return .replaced("Another server writes the room '\(log.room)' now.")
    }

    private func checkOpen() throws(JournalError) {
        if isClosed { throw .unavailable("The journal is closed.") }
    }

    /// About two and a half seconds.
    private static let mostTries = 8
    static let pause = Duration.milliseconds(50)
    /// How many pauses are made at most until something is there: ten seconds.
    static let mostWaits = 200

    // MARK: One at a time

    func log(of room: String) -> Log {
        if let log = logs[ExactString(room)] { return log }
        let log = Log(room, layout)
        logs[ExactString(room)] = log
        return log
    }

    func enter(_ log: Log) async {
        if log.isBusy {
            await withCheckedContinuation { log.waiting.append($0) }
        } else {
            log.isBusy = true
        }
    }

    func leave(_ log: Log) {
        if log.waiting.isEmpty {
            log.isBusy = false
        } else {
            log.waiting.removeFirst().resume()
        }
    }
}
