import StorecastClient
import Synchronization
import TestSupport

/// A network in the hands of a test, with the server behind it and the time: connections do what
/// the test says, and time passes when it says so, all on the main actor.
final class ManualNetwork: Transport, TransportExecutor {
    private struct Schedule {
        var now = Duration.zero
        var work: [(due: Duration, run: @Sendable () -> Void)] = []
        var connections: [ManualConnection] = []
    }

    private let schedule = Mutex(Schedule())

    /// A connection of its client, which is seeded.
    @MainActor func connect(
        to url: String = "ws://host/", room: (any RoomDefinitionProtocol)? = nil,
        token: (@Sendable () async throws -> String)? = nil,
        identity: Identity? = nil, holding object: any AnyObject & Sendable = Tally(),
        outbox: RemoteConnection.Outbox = .memory, cache: RemoteConnection.Cache = .none,
        seed: UInt64 = 1
    ) -> RemoteConnection {
        let connection = RemoteConnection(
            url, room: room, token: token, identity: identity, outbox: outbox, cache: cache,
            transport: self, random: SeededGenerator(seed: seed),
            wallClock: { [self] in withExtendedLifetime(object) { time } })
        settle()
        return connection
    }

    /// Every connection that was asked for, oldest first.
    @MainActor var connections: [ManualConnection] { schedule.withLock(\.connections) }

    /// The newest.
    @MainActor var connection: ManualConnection { connections[connections.count - 1] }

    /// The time of day: the clock starts in 1970.
    var time: Timestamp { Timestamp(secondsSince1970: now / .seconds(1)) }

    // MARK: What the test does

    /// Does everything that is due by then, in order.
    @MainActor func advance(by duration: Duration) {
        let end = now + duration
        while let run = takeDue(by: end) { run() }
        schedule.withLock { $0.now = end }
    }

    /// Does everything that is due now.
    @MainActor func settle() { advance(by: .zero) }

    /// The server takes the newest connection and welcomes its client.
    ///
    /// - Parameter identity: whom it takes the client for, as JSON; it doesn't say if it is nil.
    @MainActor func welcome(
        epoch: String = "e", version: Int = 1, lastSeq: Int = 0, identity: String? = nil
    ) {
        tell(.opened)
        say(
            TestSupport.welcome(
                epoch: epoch, version: version, lastSeq: lastSeq, heartbeat: 3600,
                identity: identity))
    }

    /// The server says something on the newest connection.
    @MainActor func say(_ text: String) {
        Array(text.utf8).withUnsafeBytes { connection.tell(.received($0)) }
        settle()
    }

    /// The newest connection is over.
    @MainActor func lose(_ code: UInt16 = 1006, _ problem: String? = "The cable is cut.") {
        tell(.closed(code: code, reason: "", problem: problem))
    }

    @MainActor func tell(_ event: TransportEvent) {
        connection.tell(event)
        settle()
    }

    private func takeDue(by end: Duration) -> (@Sendable () -> Void)? {
        schedule.withLock { schedule in
            let first = schedule.work.indices.min { schedule.work[$0].due < schedule.work[$1].due }
            guard let first, schedule.work[first].due <= end else { return nil }
            let (due, run) = schedule.work.remove(at: first)
            schedule.now = max(schedule.now, due)
            return run
        }
    }

    // MARK: Transport

    var executor: any TransportExecutor { self }

    func connect(
        to url: String, subprotocol: String, handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        let connection = ManualConnection(on: self, handler)
        schedule.withLock { $0.connections.append(connection) }
        return connection
    }

    // MARK: TransportExecutor

    var now: Duration { schedule.withLock(\.now) }

    func execute(_ work: @escaping @Sendable () -> Void) { execute(after: .zero, work) }

    func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        schedule.withLock { $0.work.append(($0.now + delay, work)) }
    }

    func enqueue(_ job: consuming ExecutorJob) { MainActor.shared.enqueue(UnownedJob(job)) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { MainActor.sharedUnownedExecutor }
}

/// The client's end of one connection of a ``ManualNetwork``.
@MainActor final class ManualConnection {
    /// The frames that the client has sent.
    private(set) var sent: [JSON] = []
    /// With what the client has closed it.
    private(set) var closeCode: UInt16?
    private let network: ManualNetwork
    /// Nil when it is over, so that it keeps nobody alive.
    private var handler: (@Sendable (TransportEvent) -> Void)?

    nonisolated init(
        on network: ManualNetwork, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) {
        self.network = network
        self.handler = handler
    }

    /// The refs of the client's subscriptions, oldest first.
    var refs: [Int] { sent.filter { $0.op == "subscribe" }.compactMap { $0["ref"]?.int } }

    /// Whether neither side has ended it.
    var isThere: Bool { handler != nil && closeCode == nil }

    func tell(_ event: TransportEvent) {
        guard let handler else { return }
        if case .closed = event { self.handler = nil }
        handler(event)
    }

    private func take(_ text: [UInt8]) {
        let message = parsed(String(decoding: text, as: UTF8.self))
        sent += message.array ?? [message]
    }

    private func end(_ code: UInt16) {
        closeCode = code
        network.execute {
            MainActor.assumeIsolated { self.tell(.closed(code: code, reason: "", problem: nil)) }
        }
    }
}

extension ManualConnection: nonisolated TransportConnection {
    nonisolated func send(_ text: [UInt8]) { MainActor.assumeIsolated { take(text) } }

    nonisolated func close(code: UInt16, reason: String) { MainActor.assumeIsolated { end(code) } }
}
