package import StorecastWebSocket
import StorecastWire
import Synchronization

/// JetStream, NATS's replicated log: the calls that are needed of it. On the loop of its
/// connection.
package actor JetStream: LogService {
    /// A message that a stream keeps.
    package struct Kept: Sendable {
        package var sequence: UInt64
        package var subject: String
        package var headers: NATSHeaders
        package var payload: [UInt8]

        package init(
            sequence: UInt64, subject: String, headers: NATSHeaders, payload: [UInt8]
        ) {
            self.sequence = sequence
            self.subject = subject
            self.headers = headers
            self.payload = payload
        }
    }

    /// What a writer was told.
    package enum Written: Equatable, Sendable {
        /// The message is kept, under this number.
        case kept(UInt64)
        /// Another message stands where the writer expected the end: nothing was kept.
        case notAtEnd
        /// Nothing was kept, as the stream isn't ready; it soon will be.
        case busy(String)
        /// Nothing was kept.
        case refused(String)
        /// Nobody can tell.
        case unknown(String)
    }

    /// Why nothing was sent on a connection that isn't the one it was meant for.
    package static let reconnected = "NATS was connected anew."

    private let loop: EventLoop
    private var connection: NATSConnection?
    /// Whether it is connected, and how often it was.
    private nonisolated let link = Mutex((isConnected: false, count: 0))
    private let timeout: Duration
    private var pauses: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastPause: UInt64 = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    package nonisolated var executor: any SerialExecutor { loop }
    package nonisolated var tasks: (any TaskExecutor)? { nil }
    package nonisolated var now: Duration { loop.now() }

    /// Begins to connect.
    ///
    /// - Parameter timeout: of each call.
    package init(
        on loop: EventLoop, _ configuration: NATSConfiguration, timeout: Duration = .seconds(5)
    ) async {
        self.loop = loop
        self.timeout = timeout
        connection = nil
        connection = NATSConnection(on: loop, configuration)
        connection?.statusChanged = { [weak self] status in self?.note(status) }
    }

    private nonisolated func note(_ status: NATSConnection.Status) {
        link.withLock { link in
            link.isConnected = if case .connected = status { true } else { false }
            if link.isConnected { link.count += 1 }
        }
    }

    /// Whether it is connected, and how often it was connected again; from any thread.
    package nonisolated var connections: (isConnected: Bool, reconnects: Int) {
        link.withLock { ($0.isConnected, max(0, $0.count - 1)) }
    }

    package func close() {
        connection?.close()
        connection = nil
        for number in pauses.keys { endPause(number) }
    }

    /// Waits until NATS is connected; throws the reason if it isn't in time.
    ///
    /// - Parameter waits: called once, with a sentence, if it isn't connected at the first try, or
    ///   within a second.
    package func connected(
        within time: Duration, waits: (@Sendable (String) -> Void)? = nil
    ) async throws(NATSError) {
        let begin = loop.now()
        var waits = waits
        while true {
            guard let connection else { throw Self.closed }
            if connection.isConnected { return }
            var (problem, waited) = ("NATS doesn't answer.", loop.now() - begin)
            if case .connecting(let reason?) = connection.status {
                problem = "NATS can't be reached: \(reason)"
                waited = max(waited, .seconds(1))
            }
            if waited >= .seconds(1), let tell = waits.take() { tell(problem) }
            guard loop.now() < begin + time else { throw .unavailable(problem) }
            await pause(.milliseconds(10))
        }
    }

    /// Has `body` called on the loop whenever NATS is connected again, after it wasn't.
    package func onReconnection(_ body: @escaping @Sendable () -> Void) {
        connection?.statusChanged = { [weak self] status in
            self?.note(status)
            if case .connected = status { body() }
        }
    }

    /// Waits, but not once it is closed.
    package func pause(_ time: Duration) async {
        if connection == nil { return }
        await withCheckedContinuation { continuation in
            lastPause += 1
            let number = lastPause
            pauses[number] = continuation
            loop.schedule(after: time) { [weak self] in
                self?.assumeIsolated { $0.endPause(number) }
            }
        }
    }

    private func endPause(_ number: UInt64) { pauses.removeValue(forKey: number)?.resume() }

    /// The most bytes of a message, its headers included; what NATS takes usually if it isn't
    /// connected.
    package var mostBytes: Int { connection?.mostBytes ?? 1 << 20 }

    // MARK: Streams

    /// Finds or makes a stream, and checks that it keeps what it takes as well as is asked.
    ///
    /// - Parameters:
    ///   - replicas: on how many servers each message is before it is acknowledged.
    ///   - keepsNewestOnly: whether of each subject only the newest message is kept.
    /// - Returns: when it was made, as a text that is always the same.
    /// - Throws: a sentence if there is one of this name that is less.
    package func stream(
        _ name: String, subjects: [String], replicas: Int, keepsNewestOnly: Bool
    ) async throws(NATSError) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", name)
        writer.write(key: "subjects")
        writer.beginArray()
        for subject in subjects { writer.write(subject) }
        writer.endArray()
        writer.member("retention", "limits")
        writer.member("storage", "file")
        writer.member("discard", "new")
        writer.member("num_replicas", replicas)
        writer.member("allow_direct", true)
        writer.member("max_msgs", -1)
        writer.member("max_bytes", -1)
        writer.member("max_age", 0)
        writer.member("max_msgs_per_subject", keepsNewestOnly ? 1 : -1)
        writer.member("duplicate_window", 1_000_000_000)
        writer.endObject()
        var answer = try await call("STREAM.CREATE.\(name)", writer.bytes)
        if answer["error"]?["err_code"]?.int == ErrorCode.streamInUse {
            answer = try await call("STREAM.INFO.\(name)")
        }
        try Self.check(answer)
        guard let found = answer["config"], let created = answer["created"]?.string else {
            throw .violation("JetStream answers in a way that can't be read.")
        }
        try Self.check(found, name, replicas: replicas, mostOfSubject: keepsNewestOnly ? 1 : -1)
        return created
    }

    private static func check(
        _ found: JSON, _ name: String, replicas: Int, mostOfSubject: Int
    ) throws(NATSError) {
        let count = found["num_replicas"]?.int ?? 0
        let problem: String? =
            if count < replicas {
                "is on \(count) \(count == 1 ? "server" : "servers"), not on \(replicas)"
            } else if found["storage"]?.string != "file" {
                "is in memory, not in files"
            } else if found["retention"]?.string != "limits" || found["max_age"]?.int ?? 0 != 0
                || found["max_msgs"]?.int ?? -1 != -1 || found["max_bytes"]?.int ?? -1 != -1
                || max(found["max_msgs_per_subject"]?.int ?? -1, -1) != mostOfSubject
            {
                "forgets messages by itself"
            } else if found["allow_direct"]?.bool != true {
                "doesn't let them be read directly"
            } else {
                nil
            }
        guard let problem else { return }
        throw .unavailable("The stream '\(name)' of NATS \(problem): it can't be used.")
    }

    // MARK: Messages that nothing keeps

    /// Sends a message to who listens to its subject; nobody says whether somebody does.
    package func publish(_ payload: [UInt8], to subject: String) throws(NATSError) {
        guard let connection else { throw Self.closed }
        try connection.publish(payload, to: subject)
    }

    /// Hears what is sent to a subject, on the loop, until it is closed.
    package func listen(
        to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void
    ) {
        _ = connection?.subscribe(subject, receive: receive)
    }

    /// Why nothing is heard of a subject that is listened to; nil as far as NATS permits it.
    package func refusal(ofListeningTo subject: String) -> NATSError? {
        connection?.refusal(ofListeningTo: subject)
    }

    /// Sends a message, and waits for one answer.
    package func ask(
        _ subject: String, _ payload: [UInt8], timeout: Duration
    ) async throws(NATSError) -> NATSMessage {
        try await request(subject, payload, timeout: timeout)
    }

    // MARK: Messages of streams

    /// Keeps a message behind the one that is expected to be the last of its subject.
    ///
    /// - Parameters:
    ///   - expected: the number of that one; 0 if there is to be none, nil for whatever there is.
    ///   - connection: nothing is sent if NATS was connected again since it was, more often than
    ///     this; nil for whatever connection there is.
    package func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
        on connection: Int?
    ) async -> Written {
        if let connection, connection != connections.reconnects { return .busy(Self.reconnected) }
        var headers = headers
        if let expected { headers.add("Nats-Expected-Last-Subject-Sequence", "\(expected)") }
        let answer: JSON
        do throws(NATSError) {
            answer = try Self.json(try await request(subject, payload, headers: headers))
        } catch {
            switch error {
            case .unanswered(let text), .forbidden(let text), .violation(let text):
                return .unknown(text)
            case .unavailable(let text), .missing(let text), .refused(let text):
                return .refused(text)
            // The stream has no leader now.
            case .noResponders: return .refused("NATS keeps nothing now: no stream answers.")
            }
        }
        if let sequence = answer["seq"]?.uint64, answer["error"] == nil { return .kept(sequence) }
        switch answer["error"]?["err_code"]?.int {
        case ErrorCode.wrongLastSequence: return .notAtEnd
        case ErrorCode.otherUnderWay, ErrorCode.noQuorumYet:
            return .busy(Self.problem(answer) ?? "")
        default: break
        }
        // What a stream that changes its leader answers doesn't say what became of the message.
        return .unknown(Self.problem(answer) ?? "JetStream answers in a way that can't be read.")
    }

    /// The newest message of a subject, which may have wildcards, as the stream's leader has it;
    /// nil if there is none.
    package func last(of subject: String, in stream: String) async throws(NATSError) -> Kept? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("last_by_subj", subject)
        writer.endObject()
        let answer = try await call("STREAM.MSG.GET.\(stream)", writer.bytes)
        if answer["error"]?["err_code"]?.int == ErrorCode.noMessage { return nil }
        try Self.check(answer)
        guard let message = answer["message"], let sequence = message["seq"]?.uint64,
            let subject = message["subject"]?.string,
            let payload = Base64.bytes(of: message["data"]?.string ?? ""),
            let head = Base64.bytes(of: message["hdrs"]?.string ?? "")
        else { throw .violation("JetStream answers in a way that can't be read.") }
        return Kept(
            sequence: sequence, subject: subject, headers: try NATSHeaders(head), payload: payload)
    }

    /// The next messages of a subject from a number on, in order, as one of the stream's servers
    /// has them, which may be a little behind; and whether it has more.
    ///
    /// The others may not know for a minute that the server which is asked is dead; so it is asked
    /// again soon, and then probably of another one.
    ///
    /// - Parameters:
    ///   - count: how many at most.
    ///   - bytes: of their payloads, about, at most; one message comes in any case.
    package func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int,
        bytes: Int
    ) async throws(NATSError) -> (messages: [Kept], hasMore: Bool) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("seq", sequence)
        writer.member("next_by_subj", subject)
        writer.member("batch", count)
        writer.member("max_bytes", bytes)
        writer.endObject()
        var (patience, left) = (Duration.seconds(1), timeout)
        while true {
            do throws(NATSError) {
                return try await page(writer.bytes, of: stream, patience: min(patience, left))
            } catch {
                left -= patience
                guard case .unanswered = error, left > .zero else { throw error }
                patience *= 2
            }
        }
    }

    private func page(
        _ request: [UInt8], of stream: String, patience: Duration
    ) async throws(NATSError) -> (messages: [Kept], hasMore: Bool) {
        guard let connection else { throw Self.closed }
        let result: Result<([Kept], Bool), NATSError> = await withCheckedContinuation {
            continuation in
            var messages: [Kept] = []
            connection.requestMany(
                "$JS.API.DIRECT.GET.\(stream)", request, patience: patience, timeout: timeout
            ) { answer in
                do throws(NATSError) {
                    let message = try answer.get()
                    switch message.headers.status {
                    // The end of the page; nothing was found.
                    case 204, 404: break
                    case nil:
                        messages.append(try Self.kept(message))
                        return true
                    case let status?:
                        throw .unavailable(
                            "JetStream answers with status \(status): \(message.headers.reason).")
                    }
                    let rest = message.headers["Nats-Num-Pending"].flatMap { Int($0) } ?? 0
                    continuation.resume(returning: .success((messages, rest > 0)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
                return false
            }
        }
        return try result.get()
    }

    /// How many messages a subject of a stream has, as the stream's leader knows.
    package func count(of subject: String, in stream: String) async throws(NATSError) -> Int {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("subjects_filter", subject)
        writer.endObject()
        let answer = try await call("STREAM.INFO.\(stream)", writer.bytes)
        try Self.check(answer)
        return answer["state"]?["subjects"]?[subject]?.int ?? 0
    }

    /// Forgets the messages of a subject below a number, or all of them.
    package func purge(
        _ subject: String, of stream: String, below sequence: UInt64?
    ) async throws(NATSError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("filter", subject)
        if let sequence { writer.member("seq", sequence) }
        writer.endObject()
        try Self.check(try await call("STREAM.PURGE.\(stream)", writer.bytes))
    }

    /// The subjects of a stream that match and have messages.
    package func subjects(
        _ filter: String, of stream: String
    ) async throws(NATSError) -> [String] {
        var found: [String] = []
        while true {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("subjects_filter", filter)
            writer.member("offset", found.count)
            writer.endObject()
            let answer = try await call("STREAM.INFO.\(stream)", writer.bytes)
            try Self.check(answer)
            guard case .object(let subjects)? = answer["state"]?["subjects"] else { return found }
            found += subjects.map(\.key)
            guard let total = answer["total"]?.int, total > found.count, !subjects.isEmpty else {
                return found
            }
        }
    }

    // MARK: Requests

    private static let closed = NATSError.unavailable("The connection to NATS was closed.")

    private enum ErrorCode {
        static let streamInUse = 10058
        static let wrongLastSequence = 10071
        static let noMessage = 10037
        static let noSuitablePeers = 10005
        static let noStream = 10059
        /// Another message with an expected end is being kept.
        static let otherUnderWay = 10164
        /// The stream's leader has just become it.
        static let noQuorumYet = 10163
    }

    private func call(
        _ name: String, _ payload: [UInt8] = []
    ) async throws(NATSError) -> JSON {
        do throws(NATSError) {
            return try Self.json(try await request("$JS.API.\(name)", payload))
        } catch {
            guard error == .noResponders else { throw error }
            throw .unanswered("JetStream isn't there: is it enabled on the NATS servers?")
        }
    }

    private func request(
        _ subject: String, _ payload: [UInt8], headers: NATSHeaders = NATSHeaders(),
        timeout: Duration? = nil
    ) async throws(NATSError) -> NATSMessage {
        guard let connection else { throw Self.closed }
        let timeout = timeout ?? self.timeout
        let result = await withCheckedContinuation { continuation in
            connection.request(subject, payload, headers: headers, timeout: timeout) {
                continuation.resume(returning: $0)
            }
        }
        return try result.get()
    }

    private static func json(_ message: NATSMessage) throws(NATSError) -> JSON {
        guard
            let document = try? JSONDocument(message.payload, limits: .trusted),
            document.root.isObject
        else { throw .violation("JetStream answers in a way that can't be read.") }
        return document.root.json
    }

    private static func check(_ answer: JSON) throws(NATSError) {
        guard let problem = problem(answer) else { return }
        // Without a leader, or with too few servers that know of one another yet.
        let isEarly =
            answer["error"]?["code"]?.int == 503
            || answer["error"]?["err_code"]?.int == ErrorCode.noSuitablePeers
        if answer["error"]?["err_code"]?.int == ErrorCode.noStream { throw .missing(problem) }
        throw isEarly ? .unanswered(problem) : .unavailable(problem)
    }

    private static func problem(_ answer: JSON) -> String? {
        guard let error = answer["error"] else { return nil }
        let text = error["description"]?.string ?? "no reason given"
        let advice =
            text.hasPrefix("replicas > 1 not supported")
            ? " With one NATS server: --nats-replicas 1, NATSServers(replicas: 1)." : ""
        return "JetStream refuses: \(text).\(advice)"
    }

    private static func kept(_ message: NATSMessage) throws(NATSError) -> Kept {
        guard let sequence = message.headers["Nats-Sequence"].flatMap({ UInt64($0) }),
            let subject = message.headers["Nats-Subject"]
        else { throw .violation("JetStream answers in a way that can't be read.") }
        return Kept(
            sequence: sequence, subject: subject, headers: message.headers,
            payload: message.payload)
    }
}
