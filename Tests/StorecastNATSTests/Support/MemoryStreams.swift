import StorecastWebSocket
import StorecastWire
import Synchronization

@testable import StorecastNATS

/// A stream of NATS in memory, as ``JetStreamSnapshots`` sees it: all messages, in order.
final class MemoryStreams: LogService {
    struct State {
        var messages: [JetStream.Kept] = []
        var last: UInt64 = 0
        /// The most bytes of a message.
        var mostBytes = 1 << 20
        /// What becomes of writing to subjects that contain a text, instead of keeping.
        var written: [(text: String, outcome: JetStream.Written)] = []
        /// Which of its pages are empty, as of a server that has nothing yet; of all if it is nil.
        var emptyPages: Int? = 0
        var pages = 0
        var pauses: [Duration] = []
        /// What was removed, with the number below which.
        var purged: [String] = []
    }

    let state = Mutex(State())

    /// Keeps a message, under the next number, which it returns.
    @discardableResult func keep(_ payload: [UInt8], at subject: String) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.messages.append(
                JetStream.Kept(
                    sequence: state.last, subject: subject, headers: NATSHeaders(),
                    payload: payload))
            return state.last
        }
    }

    /// What is there: the texts of a subject's messages.
    func texts(of subject: String) -> [String] {
        state.withLock(\.messages).filter { $0.subject == subject }.map {
            String(decoding: $0.payload, as: UTF8.self)
        }
    }

    /// Of which subjects it has messages, in order.
    var subjects: [String] { Set(state.withLock(\.messages).map(\.subject)).sorted() }

    private static func matches(_ subject: String, _ filter: String) -> Bool {
        guard let wildcard = filter.last, wildcard == "*" || wildcard == ">" else {
            return subject == filter
        }
        let prefix = filter.dropLast()
        return subject.hasPrefix(prefix) && subject.count > prefix.count
            && (wildcard == ">" || !subject.dropFirst(prefix.count).contains("."))
    }

    // MARK: What is asked of it

    var executor: any SerialExecutor { preconditionFailure("Snapshots need no executor.") }
    var tasks: (any TaskExecutor)? { nil }
    var mostBytes: Int { state.withLock(\.mostBytes) }
    var now: Duration { .zero }
    var connections: (isConnected: Bool, reconnects: Int) { (true, 0) }

    func pause(_ time: Duration) async { state.withLock { $0.pauses.append(time) } }

    func stream(
        _ name: String, subjects: [String], replicas: Int, keepsNewestOnly: Bool
    ) async throws(NATSError) -> String { "2026" }

    func subjects(_ filter: String, of stream: String) async throws(NATSError) -> [String] {
        subjects.filter { Self.matches($0, filter) }
    }

    func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
        on connection: Int?
    ) async -> JetStream.Written {
        let other = state.withLock { state in
            state.written.first { subject.contains($0.text) }?.outcome
        }
        if let other { return other }
        let last = state.withLock(\.messages).last { $0.subject == subject }?.sequence ?? 0
        guard expected == nil || expected == last else { return .notAtEnd }
        return .kept(keep(payload, at: subject))
    }

    func last(of subject: String, in stream: String) async throws(NATSError) -> JetStream.Kept? {
        state.withLock(\.messages).last { Self.matches($0.subject, subject) }
    }

    func count(of subject: String, in stream: String) async throws(NATSError) -> Int {
        texts(of: subject).count
    }

    func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int, bytes: Int
    ) async throws(NATSError) -> (messages: [JetStream.Kept], hasMore: Bool) {
        let isEmpty = state.withLock { state in
            state.pages += 1
            return state.emptyPages.map { state.pages <= $0 } ?? true
        }
        if isEmpty { return ([], false) }
        let found = state.withLock(\.messages).filter {
            $0.subject == subject && $0.sequence >= sequence
        }
        return (Array(found.prefix(2)), found.count > 2)
    }

    func purge(
        _ subject: String, of stream: String, below sequence: UInt64?
    ) async throws(NATSError) {
        state.withLock { state in
            state.purged.append("\(subject) \(sequence.map { "below \($0)" } ?? "all")")
            state.messages.removeAll {
                Self.matches($0.subject, subject) && $0.sequence < sequence ?? .max
            }
        }
    }

    func publish(_ payload: [UInt8], to subject: String) async throws(NATSError) {}

    func onReconnection(_ body: @escaping @Sendable () -> Void) async {}

    func listen(to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void) async {}

    func ask(
        _ subject: String, _ payload: [UInt8], timeout: Duration
    ) async throws(NATSError) -> NATSMessage { throw .noResponders }
}
