import Dispatch
import Foundation
public import StorecastMirror

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Connects by URLSession's WebSocket tasks: the standard on Apple platforms.
///
/// On Linux it compiles, but URLSession's WebSockets don't work there; use `WebSocketTransport`.
public struct URLSessionTransport: Transport {
    private let queue: SerialQueue

    /// A transport with a queue of its own.
    public init() {
        queue = SerialQueue(label: "storecast-client")
    }

    /// The queue on which every event arrives.
    public var executor: any TransportExecutor { queue }

    /// Starts to connect.
    public func connect(
        to url: String, subprotocol: String,
        handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        URLSessionConnection(url, subprotocol: subprotocol, queue: queue, handler: handler)
    }
}

/// One connection of a ``URLSessionTransport``.
final class URLSessionConnection: TransportConnection {
    private let observer: TaskObserver
    private let session: URLSession?
    private let task: URLSessionWebSocketTask?

    init(
        _ url: String, subprotocol: String, queue: SerialQueue,
        handler: @escaping @Sendable (TransportEvent) -> Void
    ) {
        observer = TaskObserver(queue: queue, handler: handler)
        guard ServerURL(url) != nil, let url = URL(string: url) else {
            (session, task) = (nil, nil)
            observer.end(1008, problem: "The address must look like ws://host:port/path.")
            return
        }
        let session = URLSession(
            configuration: .ephemeral, delegate: observer, delegateQueue: nil)
        let task = session.webSocketTask(with: url, protocols: [subprotocol])
        task.maximumMessageSize = 64 << 20
        (self.session, self.task) = (session, task)
        task.resume()
    }

    deinit {
        // A session keeps its delegate, and with it the handler, until it is told that this is
        // over, however the connection ended.
        session?.finishTasksAndInvalidate()
    }

    func send(_ text: [UInt8]) {
        task?.send(.string(String(decoding: text, as: UTF8.self))) { [observer] error in
            if let error { observer.end(1006, problem: error.localizedDescription) }
        }
    }

    func close(code: UInt16, reason: String) {
        let closeCode = URLSessionWebSocketTask.CloseCode(rawValue: Int(code)) ?? .normalClosure
        task?.cancel(with: closeCode, reason: Data(reason.utf8))
    }
}

/// Takes what URLSession says to the queue.
///
/// Unchecked: its state, `isOver`, is touched on the queue only; the rest never changes.
private final class TaskObserver: NSObject, URLSessionWebSocketDelegate, @unchecked Sendable {
    private let queue: SerialQueue
    private let handler: @Sendable (TransportEvent) -> Void
    private var isOver = false

    init(queue: SerialQueue, handler: @escaping @Sendable (TransportEvent) -> Void) {
        self.queue = queue
        self.handler = handler
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        queue.execute { [self] in if !isOver { handler(.opened) } }
        receive(webSocketTask)
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        end(UInt16(clamping: closeCode.rawValue), reason: reason ?? Data())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let code = (task as? URLSessionWebSocketTask)?.closeCode.rawValue ?? 0
        end(
            code > 0 ? UInt16(clamping: code) : 1006,
            problem: error?.localizedDescription ?? "The connection was lost.")
    }

    func end(_ code: UInt16, reason: Data = Data(), problem: String? = nil) {
        queue.execute { [self] in
            guard !isOver else { return }
            isOver = true
            handler(
                .closed(
                    code: code, reason: String(decoding: reason, as: UTF8.self), problem: problem))
        }
    }

    private func receive(_ task: URLSessionWebSocketTask) {
        task.receive { [self] result in
            guard case .success(let message) = result else { return }
            queue.execute { [self] in deliver(message, from: task) }
            receive(task)
        }
    }

    private func deliver(
        _ message: URLSessionWebSocketTask.Message, from task: URLSessionWebSocketTask
    ) {
        guard !isOver else { return }
        switch message {
        case .string(var text): text.withUTF8 { handler(.received(UnsafeRawBufferPointer($0))) }
        default: task.cancel(with: .unsupportedData, reason: nil)
        }
    }
}

/// A dispatch queue as a serial executor.
final class SerialQueue: TransportExecutor {
    private let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: key, value: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let nanoseconds = Int(clamping: Int64(delay / .nanoseconds(1)))
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: work)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    func isIsolatingCurrentContext() -> Bool? {
        DispatchQueue.getSpecific(key: key) == true
    }
}
