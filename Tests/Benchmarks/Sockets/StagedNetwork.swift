import StorecastClient
import Synchronization
import TestSupport

/// A network with one connection, whose server says what the program has it say, at once. Nothing
/// that waits for a time ever happens. On the main actor.
final class StagedNetwork: Transport, TransportExecutor, TransportConnection {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var handler: (@Sendable (TransportEvent) -> Void)?
        var sent: [UInt8] = []
    }

    private let state = Mutex(State())

    /// A connection that the server has welcomed.
    @MainActor func connect() -> RemoteConnection {
        let connection = RemoteConnection("ws://host/", transport: self)
        settle()
        tell(.opened)
        say(welcome(heartbeat: 3600))
        return connection
    }

    /// The message that the client sent last.
    var sent: String { String(decoding: state.withLock(\.sent), as: UTF8.self) }

    @MainActor func say(_ text: String) {
        Array(text.utf8).withUnsafeBytes { tell(.received($0)) }
    }

    @MainActor private func tell(_ event: TransportEvent) {
        state.withLock(\.handler)?(event)
        settle()
    }

    /// Does what the client has to do.
    @MainActor func settle() {
        while let work = state.withLock({ state in
            state.work.isEmpty ? nil : state.work.removeFirst()
        }) {
            work()
        }
    }

    // MARK: Transport

    var executor: any TransportExecutor { self }

    func connect(
        to url: String, subprotocol: String, handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        state.withLock { $0.handler = handler }
        return self
    }

    func send(_ text: [UInt8]) { state.withLock { $0.sent = text } }
    func close(code: UInt16, reason: String) { state.withLock { $0.handler = nil } }

    // MARK: TransportExecutor

    func execute(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work.append(work) } }
    func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        if delay == .zero { execute(work) }
    }

    func enqueue(_ job: consuming ExecutorJob) { MainActor.shared.enqueue(UnownedJob(job)) }
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { MainActor.sharedUnownedExecutor }
}
