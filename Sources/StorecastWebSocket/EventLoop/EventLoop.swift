import CLibWebSockets
import Glibc
import Synchronization

/// One thread with a libuv loop, on which libwebsockets runs as a foreign loop.
///
/// A turn of the loop is: timers and sockets that are ready, then the jobs and closures that were
/// queued (first in, first out), then the handlers given to `onTurnEnd`, then a wait for the next
/// event. Everything that belongs to a loop is used on its thread only; an actor whose
/// `unownedExecutor` is the loop is entered from a callback without a hop by `assumeIsolated`.
///
/// The thread keeps the loop alive until `shutDown()`.
public final class EventLoop: Sendable {
    /// The name of the loop's thread; the system shows its first 15 bytes.
    public let name: String

    let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    private let confined: LoopConfined

    /// Starts the thread.
    ///
    /// - Throws: `EventLoopError` if libuv can't make a loop (usually: no more file descriptors)
    ///   or the system no thread.
    public init(name: String = "storecast") throws(EventLoopError) {
        self.name = name
        confined = LoopConfined(try LoopCore())
        confined.unchecked.loop = self
        try startThread { loop in loop.serve() }
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

    /// Runs `work` on the loop's thread, after everything queued before.
    ///
    /// From any thread. Called on the loop itself it still queues: the work runs before the turn
    /// ends. After `shutDown()` it runs on a short-lived thread, still one piece at a time, so that
    /// no caller waits for ever.
    public func execute(_ work: @escaping @Sendable () -> Void) { submit(.closure(work)) }

    /// Gives memory that the process has freed back to the system.
    package static func trimMemory() { sc_trim_memory() }

    /// Closes what runs on the loop, ends its thread and waits for that; can be called again.
    ///
    /// Open connections are told 1001 (going away) and closed without waiting for an answer; close
    /// servers and clients first where a close handshake matters.
    @concurrent public func shutDown() async {
        await withCheckedContinuation { continuation in
            let isOver = inbox.withLock { inbox in
                if inbox.phase == .stopped { return true }
                inbox.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() } else { execute { self.core.stop() } }
        }
        let joinable = inbox.withLock { inbox in inbox.joinable.take() }
        if let joinable { pthread_join(joinable, nil) }
    }

    /// What only the loop's thread may use. Stops the process on any other.
    var core: LoopCore {
        precondition(isCurrent, "An event loop's parts are used on its own thread only.")
        return confined.unchecked
    }

    /// Queues one piece of work, and wakes the loop unless it has been woken already.
    func submit(_ work: Inbox.Work) {
        let isHere = isCurrent
        let needsThread = inbox.withLock { inbox in
            inbox.work.append(work)
            if inbox.isSignalled { return false }
            inbox.isSignalled = true
            switch inbox.phase {
            case .running:
                // On the loop's thread the turn itself comes to the inbox before it waits. The
                // signal is sent under the lock, so that it can't meet a handle being closed.
                if !isHere { confined.unchecked.wake() }
                return false
            case .stopping: return false
            case .stopped: return true
            }
        }
        if needsThread { startLateWorkThread() }
    }

    /// Runs what is queued at this moment; false if nothing was.
    func runQueuedWork(reusing spare: inout [Inbox.Work]) -> Bool {
        inbox.withLock { inbox in
            swap(&inbox.work, &spare)
            // A short-lived thread comes back until nothing is left, so no second one may start.
            inbox.isSignalled = inbox.phase == .stopped && !spare.isEmpty
        }
        if spare.isEmpty { return false }
        for work in spare {
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .closure(let closure): closure()
            }
        }
        spare.removeAll(keepingCapacity: true)
        return true
    }

    private func serve() {
        let core = confined.unchecked
        core.run()
        inbox.withLock { inbox in inbox.phase = .stopping }
        core.tearDown()
        var spare: [Inbox.Work] = []
        while runQueuedWork(reusing: &spare) {}
        // Before a short-lived thread may start and set its own.
        thread.store(0, ordering: .relaxed)
        let (waiters, late) = inbox.withLock { inbox in
            inbox.phase = .stopped
            inbox.isSignalled = !inbox.work.isEmpty
            return (inbox.waiters.take(), inbox.isSignalled)
        }
        if late { startLateWorkThread() }
        for waiter in waiters { waiter.resume() }
    }

    private func startLateWorkThread() {
        do throws(EventLoopError) {
            try startThread(isJoinable: false) { loop in
                var spare: [Inbox.Work] = []
                while loop.runQueuedWork(reusing: &spare) {}
            }
        } catch {
            // Without a thread there is nowhere to run the work; the next piece tries again.
            inbox.withLock { inbox in inbox.isSignalled = false }
        }
    }

    private func startThread(
        isJoinable: Bool = true, _ body: @escaping @Sendable (EventLoop) -> Void
    ) throws(EventLoopError) {
        let start = Unmanaged.passRetained(ThreadStart(loop: self, body: body))
        var handle = pthread_t()
        let result = pthread_create(
            &handle, nil,
            { pointer in
                guard let pointer else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(pointer).takeRetainedValue()
                start.loop.thread.store(pthread_self(), ordering: .relaxed)
                sc_name_thread(String(start.loop.name.prefix(15)))
                start.body(start.loop)
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            start.release()
            throw EventLoopError(what: "start a thread", code: result)
        }
        if isJoinable {
            inbox.withLock { [handle] in $0.joinable = handle }
        } else {
            pthread_detach(handle)
        }
    }
}

/// The argument of a new thread.
private final class ThreadStart: Sendable {
    let loop: EventLoop
    let body: @Sendable (EventLoop) -> Void

    init(loop: EventLoop, body: @escaping @Sendable (EventLoop) -> Void) {
        self.loop = loop
        self.body = body
    }
}

extension EventLoop: SerialExecutor {
    /// Queues a job of an actor that runs on this loop; first in, first out with `execute`.
    public func enqueue(_ job: consuming ExecutorJob) { submit(.job(UnownedJob(job))) }

    /// Stops the process unless the caller is on the loop's thread.
    public func checkIsolated() {
        precondition(isCurrent, "Not on the event loop \(name).")
    }

    /// Whether the caller is on the loop's thread, so that `assumeIsolated` holds in callbacks.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}

/// Why an event loop could not start.
public struct EventLoopError: Error, Sendable, CustomStringConvertible {
    /// One sentence with the system's reason.
    public let description: String

    init(what: String, code: Int32) {
        description = "Could not \(what): \(EventLoopError.text(of: code))."
    }

    /// The system's words for an error number; libuv's are the negative of the system's.
    static func text(of code: Int32) -> String {
        guard let text = strerror(abs(code)) else { return "error \(code)" }
        return String(cString: text)
    }
}

/// The state of a loop that other threads share: queued work, and its phase. Guarded by a mutex.
struct Inbox {
    enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    enum Phase { case running, stopping, stopped }

    var work: [Work] = []
    /// Whether the loop will run the queued work without being woken again.
    var isSignalled = false
    var phase = Phase.running
    /// The callers of `shutDown()` that wait for the thread to end.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The thread, until `shutDown()` has joined it.
    var joinable: pthread_t?
}

extension EventLoop {
    /// Calls `handler` at the end of each turn of the loop, from now on; on the loop's thread.
    ///
    /// That is after every callback and every queued job of the turn, and before the loop waits
    /// for the next event. Work that a handler queues runs in the next turn, which then comes at
    /// once. Handlers are called in the order in which they were added.
    package func onTurnEnd(_ handler: @escaping () -> Void) {
        core.turnEndHandlers.append(handler)
    }

    /// Does `work` on the loop once `delay` has passed; on the loop's thread.
    ///
    /// Never early; up to two milliseconds late, and as late as the loop is busy. Not done if the
    /// loop shuts down before.
    @discardableResult
    package func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
        LoopTimer(on: core, after: delay, work)
    }

    /// The time since a fixed moment in the past, which never goes back; from any thread.
    package func now() -> Duration { .nanoseconds(Int64(clamping: uv_hrtime())) }

    /// Calls `handler` on the loop whenever the process gets one of these signals, which then no
    /// longer have their usual effect; on the loop's thread. Ends with the loop.
    package func handleSignals(_ signals: [Int32], _ handler: @escaping (Int32) -> Void) {
        let core = core
        if core.isOver { return }
        for signal in signals {
            let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
            uv_signal_init(core.uv, handle)
            handle.pointee.data = Unmanaged.passUnretained(core).toOpaque()
            core.signals[handle] = handler
            uv_signal_start(
                handle,
                { handle, signal in
                    guard let handle, let data = handle.pointee.data else { return }
                    let core = Unmanaged<LoopCore>.fromOpaque(data).takeUnretainedValue()
                    core.signals[handle]?(signal)
                }, signal)
        }
    }

    /// Runs `body` on the loop and returns what it returns; from any task.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Result(catching: body)) }
        }
    }
}
