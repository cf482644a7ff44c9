package import StorecastRoom
import StorecastSync
package import StorecastWebSocket
import StorecastWire

/// The logs of a process's rooms at JetStream: who writes them, and where they end. On the loop of
/// its connection.
///
/// What a writer may do is decided by the log alone: each message is kept only behind the one that
/// its writer knows to be the last. Whoever takes a room over reads where its log ends, and marks
/// that with a new term: from then on nothing is kept of whoever wrote before (Docs/Decisions/41).
package actor JetStreamLogs {
    /// Where the streams are, and the subjects in them.
    package struct Layout: Sendable {
        /// What all names begin with, so that several clusters share NATS: letters and digits.
        package var name: String
        package var streams: Int
        package var replicas: Int

        package init(name: String = "storecast", streams: Int = 32, replicas: Int = 3) {
            self.name = name
            self.streams = streams
            self.replicas = replicas
        }

        func stream(_ number: Int) -> String { "\(name)-rooms-\(number)" }

        func subjects(_ number: Int) -> String { "\(name).rooms.\(number).*" }

        func stream(of room: String) -> Int {
            Int(FNV1a(of: room).value % UInt64(streams))
        }

        func subject(of room: String) -> String {
            "\(name).rooms.\(stream(of: room)).\(Self.token(room))"
        }

        var snapshotStream: String { "\(name)-snapshots" }

        var snapshotSubjects: String { "\(name).snapshots.>" }

        /// A room's name as a part of a subject: what isn't a letter, a digit, `-`, `_` or `/` as
        /// `=` and two hexadecimal digits.
        static func token(_ room: String) -> String {
            var bytes: [UInt8] = []
            let digits = Array("0123456789ABCDEF".utf8)
            for byte in room.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "/"):
                    bytes.append(byte)
                default:
                    bytes += [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// What this process knows of a room's log. One at a time writes to it.
    private final class Log {
        enum Role { case none, writer, replaced }

        let room: String
        let stream: String
        let subject: String
        var role = Role.none
        /// As of the last message that this process wrote, or read from the stream's leader.
        var state: LogState?
        /// A batch of which nobody can tell whether it was kept.
        var uncertain: Uncertain?
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        init(_ room: String, _ layout: Layout) {
            self.room = room
            stream = layout.stream(layout.stream(of: room))
            subject = layout.subject(of: room)
        }
    }

    private struct Uncertain {
        var batch: [JournalEntry]
        var payload: [UInt8]
        /// The message's state, without its number.
        var next: LogState
    }

    nonisolated let layout: Layout
    nonisolated let jetStream: JetStream
    private nonisolated let loop: EventLoop
    private var logs: [ExactString: Log] = [:]
    private var random = SystemRandomNumberGenerator()
    private var isClosed = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    package init(_ jetStream: JetStream, _ layout: Layout, on loop: EventLoop) {
        self.jetStream = jetStream
        self.layout = layout
        self.loop = loop
    }

    /// Finds or makes the streams.
    package func prepare() async throws(NATSError) {
        for number in 0..<layout.streams {
            try await jetStream.stream(
                layout.stream(number), subjects: [layout.subjects(number)],
                replicas: layout.replicas)
        }
        try await jetStream.stream(
            layout.snapshotStream, subjects: [layout.snapshotSubjects], replicas: layout.replicas)
    }

    package func close() { isClosed = true }

    // MARK: Taking over

    /// Becomes the writer of a room, if this process isn't already.
    package func open(_ room: String) async throws(JournalError) -> RoomHistory {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        let state = try await takeOver(log)
        return RoomHistory(epoch: state.epoch, head: state.head)
    }

    private func takeOver(_ log: Log) async throws(JournalError) -> LogState {
        var problem = "others write it"
        var marker: LogState?
        for _ in 0..<Self.mostTries {
            let end = try await end(of: log)
            if let end, let marker, end.term == marker.term { return own(log, end) }
            if log.role == .writer, let end, end == log.state, log.uncertain == nil { return end }
            var next = end ?? begin(log)
            // What this process saw there is lost.
            let seen = log.state?.sequence ?? 0
            if seen > end?.sequence ?? 0 { next.epoch = randomID(using: &random) }
            next.term = randomID(using: &random)
            next = next.adding(.term, count: 0, [])
            marker = next
            switch await write([], .term, next, count: 0, to: log, behind: end?.sequence ?? 0) {
            case .kept(let number): return own(log, next.numbered(number, count: 0))
            case .notAtEnd: break
            case .refused(let text): throw .unavailable(text)
            case .unknown(let text): problem = text
            }
        }
        throw .unavailable("The room '\(log.room)' can't be taken over: \(problem)")
    }

    private func begin(_ log: Log) -> LogState {
        LogState(beginningOf: log.room, epoch: randomID(using: &random), term: "")
    }

    private func own(_ log: Log, _ state: LogState) -> LogState {
        log.state = state
        log.role = .writer
        log.uncertain = nil
        return state
    }

    // MARK: Appending

    /// Keeps a batch behind all that is there; returns the offset of its last entry.
    package func append(
        _ batch: [JournalEntry], to room: String
    ) async throws(JournalError) -> UInt64 {
        guard batch.count <= LogOffset.mostEntries else {
            throw .unavailable(
                "\(batch.count) actions at once are too many: at most \(LogOffset.mostEntries).")
        }
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        if let uncertain = log.uncertain {
            if let head = try await settle(uncertain, of: log, whenAppending: batch) { return head }
        }
        switch log.role {
        case .none: _ = try await takeOver(log)
        case .writer: break
        case .replaced: throw replaced(log)
        }
        let payload = try LogMessage.payload(batch)
        return try await commit(batch, payload, to: log)
    }

    private func commit(
        _ batch: [JournalEntry], _ payload: [UInt8], to log: Log
    ) async throws(JournalError) -> UInt64 {
        let rest = try await writeParts(of: payload, to: log)
        guard let state = log.state else { throw replaced(log) }
        let next = state.adding(.entries, count: batch.count, rest)
        return try await finish(Uncertain(batch: batch, payload: rest, next: next), of: log)
    }

    /// Offers a message until it is kept, or is known not to be.
    private func finish(
        _ offer: Uncertain, of log: Log
    ) async throws(JournalError) -> UInt64 {
        let count = offer.batch.count
        var problem = ""
        for attempt in 0..<Self.mostTries {
            if attempt > 0 {
                await jetStream.pause(Self.pause * (1 << attempt))
                switch await found(offer.next, count: count, of: log) {
                case .success(let state?): return own(log, state).head
                case .success(nil): break
                case .failure(let error):
                    if case .replaced = error { throw error }
                    continue
                }
            }
            let written = await write(
                offer.payload, .entries, offer.next, count: count, to: log,
                behind: log.state?.sequence ?? 0)
            switch written {
            case .kept(let number):
                return own(log, offer.next.numbered(number, count: count)).head
            case .notAtEnd:
                // Perhaps by what an earlier try has left.
                if attempt > 0 { continue }
                throw replaced(log)
            case .refused(let text):
                guard attempt > 0 else { throw .unavailable(text) }
                problem = text
            case .unknown(let text): problem = text
            }
        }
        log.uncertain = offer
        throw .unknownOutcome(problem)
    }

    /// Whether a message that was offered is at the end of the log; nil if it isn't, and what was
    /// the end still is. Throws ``JournalError/replaced(_:)`` if others have written meanwhile.
    private func found(
        _ offered: LogState, count: Int, of log: Log
    ) async -> Result<LogState?, JournalError> {
        do throws(JournalError) {
            let end = try await end(of: log)
            if end == log.state { return .success(nil) }
            if let end, end == offered.numbered(end.sequence, count: count) {
                return .success(end)
            }
            throw replaced(log)
        } catch {
            return .failure(error)
        }
    }

    /// What became of a batch that nobody could tell of, which is appended again now: the offset of
    /// its last entry if it is kept.
    private func settle(
        _ uncertain: Uncertain, of log: Log, whenAppending batch: [JournalEntry]
    ) async throws(JournalError) -> UInt64? {
        let isSame =
            batch.count == uncertain.batch.count
            && zip(batch, uncertain.batch).allSatisfy { $0.seq == $1.seq && $0.client == $1.client }
        let count = uncertain.batch.count
        let state = try await found(uncertain.next, count: count, of: log).get()
        log.uncertain = nil
        if let state {
            let head = own(log, state).head
            return isSame ? head : nil
        }
        // The same bytes again: whichever of them comes first, the other isn't kept.
        return isSame ? try await finish(uncertain, of: log) : nil
    }

    /// Writes what doesn't fit into one message, and returns the rest.
    private func writeParts(
        of payload: [UInt8], to log: Log
    ) async throws(JournalError) -> [UInt8] {
        let most = await jetStream.mostBytes - Self.headBytes
        var rest = payload[...]
        while rest.count > most {
            guard let state = log.state else { throw replaced(log) }
            let part = Array(rest.prefix(most))
            let next = state.adding(.part, count: 0, part)
            switch await write(part, .part, next, count: 0, to: log, behind: state.sequence) {
            case .kept(let number): _ = own(log, next.numbered(number, count: 0))
            case .notAtEnd: throw replaced(log)
            case .refused(let text), .unknown(let text):
                // Without their end, parts are nothing. Where the log ends now has to be read.
                log.role = .none
                throw .unavailable(text)
            }
            rest = rest.dropFirst(most)
        }
        return Array(rest)
    }

    // MARK: Forgetting

    /// Forgets the entries up to an offset.
    package func forget(
        _ room: String, through offset: UInt64
    ) async throws(JournalError) {
        let log = log(of: room)
        await enter(log)
        defer { leave(log) }
        if log.role == .none { _ = try await takeOver(log) }
        guard log.role == .writer, var state = log.state else { throw replaced(log) }
        let floor = min(offset, state.head)
        guard floor > state.floor else { return }
        // Whoever reads finds this before it can miss anything.
        state.floor = floor
        let next = state.adding(.floor, count: 0, [])
        switch await write([], .floor, next, count: 0, to: log, behind: state.sequence) {
        case .kept(let number): _ = own(log, next.numbered(number, count: 0))
        case .notAtEnd: throw replaced(log)
        case .refused(let text), .unknown(let text):
            log.role = .none
            throw .unavailable(text)
        }
        do throws(NATSError) {
            try await jetStream.purge(
                log.subject, of: log.stream, below: LogOffset(floor).sequence)
        } catch {
            throw .unavailable(error.description)
        }
    }

    // MARK: Reading

    /// Where the next entries are read from.
    package struct Place: Sendable {
        /// Entries up to this offset aren't wanted.
        var offset: UInt64
        /// The last message that was read, with the parts before it that wait for their end; nil
        /// before the first.
        var last: LogState?
        var parts: [UInt8] = []
        /// The end that the log had at least when the reader began.
        var goal: UInt64?

        package init(after offset: UInt64) { self.offset = offset }
    }

    /// The next entries of a room, some of them.
    package func page(
        of room: String, from start: Place
    ) async throws(JournalError) -> PagedTail<Place>.Page {
        try checkOpen()
        let layout = layout
        let (subject, stream) = (
            layout.subject(of: room), layout.stream(layout.stream(of: room))
        )
        var place = start
        if place.goal == nil {
            let end = try await end(subject, stream)
            place.goal = end?.sequence ?? 0
            if let floor = end?.floor, start.offset < floor {
                throw .truncated(below: floor + 1)
            }
        }
        let first = place.last.map { $0.sequence + 1 } ?? max(1, LogOffset(place.offset).sequence)
        let page: (messages: [JetStream.Kept], hasMore: Bool)
        do throws(NATSError) {
            page = try await jetStream.page(of: subject, in: stream, from: first)
        } catch {
            throw .unavailable(error.description)
        }
        var entries: [(offset: UInt64, record: JournalRecord)] = []
        for kept in page.messages {
            let message = try LogMessage(kept)
            try place.take(message, &entries)
        }
        var isLast = !page.hasMore
        if isLast, place.last?.sequence ?? 0 < place.goal ?? 0 {
            // A server of the stream answered that doesn't have everything yet.
            isLast = false
            if page.messages.isEmpty { await jetStream.pause(Self.pause) }
        }
        return PagedTail.Page(entries: entries, end: place, isLast: isLast)
    }

    // MARK: The end of a log

    private func end(of log: Log) async throws(JournalError) -> LogState? {
        try await end(log.subject, log.stream)
    }

    private func end(
        _ subject: String, _ stream: String
    ) async throws(JournalError) -> LogState? {
        try checkOpen()
        let kept: JetStream.Kept?
        do throws(NATSError) { kept = try await jetStream.last(of: subject, in: stream) } catch {
            throw .unavailable(error.description)
        }
        guard let kept else { return nil }
        return try LogMessage(kept).state
    }

    private func write(
        _ payload: [UInt8], _ kind: LogMessage.Kind, _ state: LogState, count: Int, to log: Log,
        behind sequence: UInt64
    ) async -> JetStream.Written {
        if isClosed { return .refused("The journal is closed.") }
        return await jetStream.write(
            payload, to: log.subject, headers: LogMessage.headers(kind, state, count: count),
            behind: sequence)
    }

    private func replaced(_ log: Log) -> JournalError {
        log.role = .replaced
        log.uncertain = nil
        return .replaced("Another server writes the room '\(log.room)' now.")
    }

    private func checkOpen() throws(JournalError) {
        if isClosed { throw .unavailable("The journal is closed.") }
    }

    private static let mostTries = 4
    private static let pause = Duration.milliseconds(50)
    /// What the headers of a message take, at most.
    private static let headBytes = 2 << 10

    // MARK: One at a time

    private func log(of room: String) -> Log {
        if let log = logs[ExactString(room)] { return log }
        let log = Log(room, layout)
        logs[ExactString(room)] = log
        return log
    }

    private func enter(_ log: Log) async {
        if log.isBusy {
            await withCheckedContinuation { log.waiting.append($0) }
        } else {
            log.isBusy = true
        }
    }

    private func leave(_ log: Log) {
        if log.waiting.isEmpty {
            log.isBusy = false
        } else {
            log.waiting.removeFirst().resume()
        }
    }
}

extension JetStreamLogs.Place {
    /// Takes the next message; adds the entries that end with it.
    fileprivate mutating func take(
        _ message: LogMessage, _ entries: inout [(offset: UInt64, record: JournalRecord)]
    ) throws(JournalError) {
        let state = message.state
        if let last {
            var before = state
            (before.checksum, before.head) = (last.checksum, last.head)
            let expected = before.adding(message.kind, count: message.count, message.payload)
            guard expected.checksum == state.checksum else {
                if state.floor > last.head { throw .truncated(below: state.floor + 1) }
                throw .damaged(
                    "The message \(state.sequence) isn't what was written, or not what was written "
                        + "behind the message \(last.sequence).")
            }
        }
        last = state
        switch message.kind {
        case .part: parts += message.payload
        case .term, .floor: parts = []
        case .entries:
            let all = try LogMessage.entries(parts + message.payload, at: state.sequence)
            parts = []
            guard all.count == message.count else {
                throw .damaged("The message \(state.sequence) lacks entries.")
            }
            entries += all.filter { $0.offset > offset }
        }
    }
}
