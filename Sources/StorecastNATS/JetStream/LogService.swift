/// What the logs of rooms, their snapshots and their places need of ``JetStream``, which says what
/// each call does. The simulator has another one.
package protocol LogService: Sendable {
    /// Where it runs, and all that belongs to it, one thing at a time.
    var executor: any SerialExecutor { get }
    /// What runs tasks that belong to nobody; nil for Swift's own threads.
    var tasks: (any TaskExecutor)? { get }
    var mostBytes: Int { get async }
    /// From any thread, as ``connections``.
    var now: Duration { get }
    var connections: (isConnected: Bool, reconnects: Int) { get }

    func pause(_ time: Duration) async

    func stream(
        _ name: String, subjects: [String], replicas: Int, keepsNewestOnly: Bool
    ) async throws(NATSError) -> String
    func subjects(_ filter: String, of stream: String) async throws(NATSError) -> [String]

    func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
        on connection: Int?
    ) async -> JetStream.Written
    func last(of subject: String, in stream: String) async throws(NATSError) -> JetStream.Kept?
    func count(of subject: String, in stream: String) async throws(NATSError) -> Int
    func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int, bytes: Int
    ) async throws(NATSError) -> (messages: [JetStream.Kept], hasMore: Bool)
    func purge(
        _ subject: String, of stream: String, below sequence: UInt64?
    ) async throws(NATSError)

    func publish(_ payload: [UInt8], to subject: String) async throws(NATSError)
    func onReconnection(_ body: @escaping @Sendable () -> Void) async
    func listen(to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void) async
    func refusal(ofListeningTo subject: String) async -> NATSError?
    func ask(
        _ subject: String, _ payload: [UInt8], timeout: Duration
    ) async throws(NATSError) -> NATSMessage
}

extension LogService {
    package func refusal(ofListeningTo subject: String) async -> NATSError? { nil }

    func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?
    ) async -> JetStream.Written {
        await write(payload, to: subject, headers: headers, behind: expected, on: nil)
    }

    func stream(
        _ name: String, subjects: [String], replicas: Int
    ) async throws(NATSError) -> String {
        try await stream(name, subjects: subjects, replicas: replicas, keepsNewestOnly: false)
    }

    func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int = 256
    ) async throws(NATSError) -> (messages: [JetStream.Kept], hasMore: Bool) {
        try await page(of: subject, in: stream, from: sequence, count: count, bytes: 4 << 20)
    }

    func purge(_ subject: String, of stream: String) async throws(NATSError) {
        try await purge(subject, of: stream, below: nil)
    }
}
