import CLibWebSockets
import Synchronization

/// The part of an event loop that only its thread touches: libuv's handles, and who is told what.
final class LoopCore {
    var uv: UnsafeMutablePointer<uv_loop_t> { parts.uv }
    /// Lent to one `SocketReader` at a time, for the length of its callback.
    var receiveBuffer: UnsafeMutableRawBufferPointer { parts.receiveBuffer }
    /// The loop that owns this object, and so outlives it.
    unowned var loop: EventLoop!
    var turnEndHandlers: [() -> Void] = []
    /// Run once, after the handlers of this turn.
    var flushes: [() -> Void] = []
    var timers: [ObjectIdentifier: LoopTimer] = [:]
    var signals: [UnsafeMutablePointer<uv_signal_t>: (Int32) -> Void] = [:]
    /// All that libwebsockets has an object for.
    var connections: [UInt64: WebSocketConnection] = [:]
    /// Servers and clients, to be told when the loop stops.
    var residents: [ObjectIdentifier: any LoopResident] = [:]

    private let async: UnsafeMutablePointer<uv_async_t>
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    /// Whether the loop has stopped: nothing new may be begun on the parts, which soon are
    /// another loop's.
    private(set) var isOver = false

    private var parts: LoopParts
    /// Handles that libuv hasn't let go of yet.
    private var closingHandles = 0
    private var needsService = false
    private var spare: [Inbox.Work] = []
    private var scratch: [UInt8] = []

    init() throws(EventLoopError) {
        parts = try LoopParts.take()
        async = .allocate(capacity: 1)
        prepare = .allocate(capacity: 1)
        // The callback has nothing to do: the turn that was woken comes to the inbox by itself.
        uv_async_init(uv, async) { _ in }
        uv_prepare_init(uv, prepare)
        prepare.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_prepare_start(prepare) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<LoopCore>.fromOpaque(data).takeUnretainedValue().endTurn()
        }
    }

    /// Milliseconds of the loop's own clock, read once a turn.
    var milliseconds: UInt64 { uv_now(uv) }

    /// The libwebsockets context of this loop, made when first needed.
    func libWebSockets() throws(WebSocketError) -> LibWebSockets {
        if isOver { throw WebSocketError(description: "The event loop has stopped.") }
        if let library = parts.library { return library }
        let made = try LibWebSockets(on: uv)
        parts.library = made
        return made
    }

    /// Makes libwebsockets look at its own timers in the next turn. They are served behind its
    /// socket events only, so one that is set elsewhere could wait for ever.
    func serviceLibrary() { needsService = true }

    /// Makes the loop look at its inbox; the one function for any thread.
    func wake() { uv_async_send(async) }

    /// Lends a buffer for bytes on their way to a socket, so that sending doesn't allocate.
    func withScratch(_ body: (inout [UInt8]) -> Void) {
        var bytes = scratch.take()
        body(&bytes)
        // What one large message needed isn't kept.
        if bytes.capacity > 1 << 20 { return }
        bytes.removeAll(keepingCapacity: true)
        scratch = bytes
    }

    func run() { uv_run(uv, UV_RUN_DEFAULT) }

    func stop() { if !isOver { uv_stop(uv) } }

    /// The end of a turn, just before the loop would wait.
    private func endTurn() {
        runQueue()
        for handler in turnEndHandlers { handler() }
        while !flushes.isEmpty {
            for flush in flushes.take() { flush() }
        }
        if needsService {
            needsService = false
            parts.library?.service()
        }
        if loop.inbox.withLock({ !$0.work.isEmpty }) { wake() }
    }

    /// Runs what is queued, and what that queues, but not for ever: sockets must get their turn.
    private func runQueue() {
        for _ in 0..<64 where !loop.runQueuedWork(reusing: &spare) { return }
    }

    /// Closes everything, runs the loop until libuv and the library have let go of it, and keeps
    /// the parts for the next loop.
    func tearDown() {
        isOver = true
        for resident in residents.values { resident.loopStops() }
        residents = [:]
        turnEndHandlers = []
        for timer in timers.values { timer.cancel() }
        for signal in signals.keys { closeHandle(signal) }
        signals = [:]
        // Two or three rounds; the bound is for an object that the library should never let go of.
        for _ in 0..<10_000 {
            for connection in connections.values { connection.kill() }
            parts.library?.service()
            uv_run(uv, UV_RUN_NOWAIT)
            runQueue()
            if connections.isEmpty { break }
        }
        flushes = []
        closeHandle(async)
        closeHandle(prepare)
        while closingHandles > 0 { uv_run(uv, UV_RUN_NOWAIT) }
        parts.park()
    }

    /// Closes a libuv handle that was made with `allocate`, and frees it when libuv is done with
    /// it.
    func closeHandle<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
        closingHandles += 1
        let raw = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
        raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_close(raw) { handle in
            guard let handle, let data = handle.pointee.data else { return }
            Unmanaged<LoopCore>.fromOpaque(data).takeUnretainedValue().closingHandles -= 1
            UnsafeMutableRawPointer(handle).deallocate()
        }
    }
}

/// Something that lives on a loop and must end with it.
protocol LoopResident: AnyObject {
    /// The loop stops: say goodbye where that needs no waiting, and let go of handles.
    func loopStops()
}
