import StorecastWebSocket
import Synchronization

@testable import StorecastNATS

/// NATS in memory, as ``RoomPlaces`` sees it: what is published is written down, and a test says
/// what is heard, what is kept and what time it is.
final class MemoryNATS: LogService {
    typealias Receiver = @Sendable (NATSMessage) -> Void

    struct State {
        /// The newest message of each subject.
        var kept: [String: JetStream.Kept] = [:]
        var receivers: [(subject: String, receive: Receiver)] = []
        var published: [(subject: String, text: String)] = []
        var reconnections: [@Sendable () -> Void] = []
        var pauses: [Duration] = []
        var time = Duration.zero
        /// What may not be listened to.
        var refused: [String: NATSError] = [:]
        /// What is answered to whoever asks; nobody is there without it.
        var answer: Result<String, NATSError> = .failure(.noResponders)
        /// What became of writing instead of keeping, one after the other.
        var written: [JetStream.Written] = []
        /// Whoever asks for a last message waits.
        var holds = false
        fileprivate(set) var held: [CheckedContinuation<Void, Never>] = []
        fileprivate var waiting: [CheckedContinuation<Void, Never>] = []
        fileprivate var isOver = false
    }

    private let loop: EventLoop
    let state = Mutex(State())

    init() throws { loop = try EventLoop(name: "nats in memory") }

    // MARK: What a test does

    /// Calls those who listen to `subject`, on the loop, for each message; returns when they have
    /// heard them.
    func say(_ texts: [[UInt8]], to subject: String, reply: String? = nil) async {
        let receivers = state.withLock { state in
            state.receivers.filter { $0.subject == subject }.map(\.receive)
        }
        await onLoop {
            for text in texts {
                let message = NATSMessage(subject: subject, reply: reply, payload: text)
                for receive in receivers { receive(message) }
            }
        }
    }

    func say(_ text: String, to subject: String, reply: String? = nil) async {
        await say([Array(text.utf8)], to: subject, reply: reply)
    }

    /// NATS is connected again.
    func reconnect() async {
        let bodies = state.withLock(\.reconnections)
        await onLoop { for body in bodies { body() } }
    }

    /// Answers all who wait, and holds nobody any more.
    func answerHeld() {
        let held = state.withLock { state in
            state.holds = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Ends all pauses, also those to come.
    func end() async {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
        await loop.shutDown()
    }

    private func onLoop(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            loop.execute {
                body()
                continuation.resume()
            }
        }
    }

    // MARK: What is asked of it

    var executor: any SerialExecutor { loop }
    var tasks: (any TaskExecutor)? { nil }
    var mostBytes: Int { 1 << 20 }
    var now: Duration { state.withLock(\.time) }
    var connections: (isConnected: Bool, reconnects: Int) { (true, 0) }

    func pause(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.pauses.append(time)
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    func stream(
        _ name: String, subjects: [String], replicas: Int, keepsNewestOnly: Bool
    ) async throws(NATSError) -> String { "2026" }

    func subjects(_ filter: String, of stream: String) async throws(NATSError) -> [String] { [] }

    func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
        on connection: Int?
    ) async -> JetStream.Written {
        state.withLock { state in
            if !state.written.isEmpty { return state.written.removeFirst() }
            let last = state.kept[subject]?.sequence ?? 0
            guard expected == nil || expected == last else { return .notAtEnd }
            let next = (state.kept.values.map(\.sequence).max() ?? 0) + 1
            state.kept[subject] = JetStream.Kept(
                sequence: next, subject: subject, headers: headers, payload: payload)
            return .kept(next)
        }
    }

    func last(of subject: String, in stream: String) async throws(NATSError) -> JetStream.Kept? {
        if state.withLock(\.holds) {
            await withCheckedContinuation { continuation in
                state.withLock { $0.held.append(continuation) }
            }
        }
        return state.withLock { $0.kept[subject] }
    }

    func count(of subject: String, in stream: String) async throws(NATSError) -> Int { 0 }

    func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int, bytes: Int
    ) async throws(NATSError) -> (messages: [JetStream.Kept], hasMore: Bool) {
        let found = state.withLock { state in
            state.kept.values.filter { $0.sequence >= sequence }.sorted {
                $0.sequence < $1.sequence
            }
        }
        return (Array(found.prefix(2)), found.count > 2)
    }

    func purge(
        _ subject: String, of stream: String, below sequence: UInt64?
    ) async throws(NATSError) {
        state.withLock { state in
            if state.kept[subject]?.sequence ?? 0 < sequence ?? .max { state.kept[subject] = nil }
        }
    }

    func publish(_ payload: [UInt8], to subject: String) async throws(NATSError) {
        state.withLock {
            $0.published.append((subject, String(decoding: payload, as: UTF8.self)))
        }
    }

    func onReconnection(_ body: @escaping @Sendable () -> Void) async {
        state.withLock { $0.reconnections.append(body) }
    }

    func listen(to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void) async {
        state.withLock { $0.receivers.append((subject, receive)) }
    }

    func refusal(ofListeningTo subject: String) async -> NATSError? {
        state.withLock { $0.refused[subject] }
    }

    func ask(
        _ subject: String, _ payload: [UInt8], timeout: Duration
    ) async throws(NATSError) -> NATSMessage {
        let answer = state.withLock { state in
            state.published.append((subject, String(decoding: payload, as: UTF8.self)))
            return state.answer
        }
        return NATSMessage(subject: subject, payload: Array(try answer.get().utf8))
    }
}
