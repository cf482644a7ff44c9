import StorecastRoom
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
    var logs: [ExactString: Log] = [:]
    /// What the epochs of rooms without entries are computed from, by stream.
    private var seeds: [String: String] = [:]
    var random: any RandomNumberGenerator & Sendable
    private(set) var isClosed = false

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

    /// The offset of the newest entry, as far as this process knows.
    package func head(of room: String) -> UInt64 { log(of: room).state?.head ?? .max }

    /// About two and a half seconds.
    static let mostTries = 8
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
    ///
    /// - Parameter always: also if it wasn't.
    func lookAgain(_ log: Log, always: Bool = false) async throws(JournalError) {
        guard always || log.connection != jetStream.connections.reconnects else { return }
        let (end, connection) = try await endForWriting(log)
        guard Self.isEnd(end, log.state) else { throw replaced(log) }
        log.connection = connection
    }

    /// Whether a log that ends there stands where it is said to.
    static func isEnd(_ end: LogState?, _ state: LogState?) -> Bool {
        guard let end else { return state?.sequence ?? 0 == 0 }
        return end == state
    }

    func pause(before attempt: Int) async {
        if attempt > 0 { await jetStream.pause(.milliseconds(10 << attempt)) }
    }

    private func checkOpen() throws(JournalError) {
        if isClosed { throw .unavailable("The journal is closed.") }
    }

    // MARK: What is known of a log

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

    func replaced(_ log: Log) -> JournalError {
        log.role = .replaced
        log.uncertain = nil
        return .replaced("Another server writes the room '\(log.room)' now.")
    }
}
