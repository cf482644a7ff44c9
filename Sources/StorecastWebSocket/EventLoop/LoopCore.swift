import CLibWebSockets
import Synchronization

/// The part of an event loop that only its thread uses: libuv's handles, and what is to be called.
final class LoopCore {
    var uv: UnsafeMutablePointer<uv_loop_t> { parts.uv }
    /// Lent to one `SocketReader` at a time, for the length of its callback.
    var receiveBuffer: UnsafeMutableRawBufferPointer { parts.receiveBuffer }
    /// What came encrypted, for the same time.
    var plainBuffer: UnsafeMutableRawBufferPointer { parts.plainBuffer }
    /// The loop that owns this object, and so outlives it.
    unowned var loop: EventLoop!
    /// How many bytes of messages that aren't whole have come in this turn.
    var turnBytes = 0
    /// How many come at most, and as much as one socket brings; about 0.1 ms.
    static let mostTurnBytes = 128 << 10
    var turnEndHandlers: [() -> Void] = []
    /// Run once, after the handlers of the turn.
    var flushes: [() -> Void] = []
    var timers: [ObjectIdentifier: LoopTimer] = [:]
    var signals: [UnsafeMutablePointer<uv_signal_t>: (Int32) -> Void] = [:]
    /// The connections of the loop, by id.
    var sockets: [UInt64: any LoopSocket] = [:]
    let attempts = AttemptQueue()
    /// Servers and clients, which are told when the loop stops.
    var endpoints: [ObjectIdentifier: any LoopEndpoint] = [:]

    private let async: UnsafeMutablePointer<uv_async_t>
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    /// Whether the loop has stopped: nothing new may be begun on the parts, which soon are
    /// another loop's.
    private(set) var isOver = false

    private var parts: LoopParts
    /// Handles that libuv hasn't let go of yet.
    private var closingHandles = 0
    private var needsService = false
    /// Sockets that are to end, the first first.
    private var ending: [any LoopSocket] = []
    private var spare: [Inbox.Work] = []
    private var scratch: [UInt8] = []
    private var cipher: [UInt8] = []

    init() throws(EventLoopError) {
        parts = try LoopParts.take()
        async = .allocate(capacity: 1)
        prepare = .allocate(capacity: 1)
        // The callback has nothing to do: the turn that it begins looks into the inbox anyway.
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
    ///
    /// - Parameter callback: what libwebsockets calls for its events; the same for every context.
    func libWebSockets(
        calling callback: @escaping LibWebSockets.Callback
    ) throws(WebSocketError) -> LibWebSockets {
        if isOver { throw WebSocketError(description: "The event loop has stopped.") }
        if let library = parts.library { return library }
        let made = try LibWebSockets(on: uv, calling: callback)
        parts.library = made
        return made
    }

    /// Makes libwebsockets look at its own timers in the next turn. They are served behind its
    /// socket events only, so one that is set elsewhere could wait for ever.
    func serviceLibrary() { needsService = true }

    /// Ends the socket in this turn or, behind others, in a later one: thousands that end at once
    /// would hold up everybody else.
    func end(_ socket: any LoopSocket) {
        ending.append(socket)
    }

    private func endSockets() {
        // About two milliseconds.
        let count = min(32, ending.count)
        guard count > 0 else { return }
        for socket in ending[..<count] { socket.endNow() }
        ending.removeFirst(count)
        if !ending.isEmpty { wake() }
    }

    /// Wakes the loop, which then runs what is in its inbox; the one function for any thread.
    func wake() { uv_async_send(async) }

    /// Lends a buffer for bytes on their way to a socket, so that sending doesn't allocate.
    func withScratch(_ body: (inout [UInt8]) -> Void) {
        var bytes = scratch.take()
        body(&bytes)
        scratch = Self.emptied(bytes)
    }

    /// Lends a buffer for encrypted bytes on their way to a socket.
    func withCipher(_ body: (inout [UInt8]) -> Void) {
        var bytes = cipher.take()
        body(&bytes)
        cipher = Self.emptied(bytes)
    }

    /// The memory of a large message isn't kept.
    private static func emptied(_ bytes: consuming [UInt8]) -> [UInt8] {
        if bytes.capacity > 1 << 20 { return [] }
        bytes.removeAll(keepingCapacity: true)
        return bytes
    }

    func run() { uv_run(uv, UV_RUN_DEFAULT) }

    func stop() { if !isOver { uv_stop(uv) } }

    /// The end of a turn, just before the loop would wait.
    private func endTurn() {
        turnBytes = 0
        runQueue()
        for handler in turnEndHandlers { handler() }
        while !flushes.isEmpty {
            for flush in flushes.take() { flush() }
        }
        endSockets()
        if needsService {
            needsService = false
            parts.library?.service()
        }
        if loop.inbox.withLock({ !$0.work.isEmpty }) { wake() }
    }

    /// Runs queued work, and the work that this queues, up to a bound, so that sockets get their
    /// turn.
    private func runQueue() {
        for _ in 0..<64 where !loop.runQueuedWork(reusing: &spare) { return }
    }

    /// Closes everything, runs the loop until libuv and the library have let go of it, and keeps
    /// the parts for the next loop.
    func tearDown() {
        isOver = true
        for endpoint in endpoints.values { endpoint.loopStops() }
        endpoints = [:]
        turnEndHandlers = []
        for timer in timers.values { timer.cancel() }
        for signal in signals.keys { closeHandle(signal) }
        signals = [:]
        // Two or three rounds; the bound is for an object that the library should never let go of.
        for _ in 0..<10_000 {
            for socket in sockets.values { socket.endNow() }
            parts.library?.service()
            uv_run(uv, UV_RUN_NOWAIT)
            runQueue()
            if sockets.isEmpty { break }
        }
        (flushes, ending) = ([], [])
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

/// A server or client, which must end with its loop.
protocol LoopEndpoint: AnyObject {
    /// Called when the loop stops: sends what needs no waiting, and closes libuv handles.
    func loopStops()
}

/// A connection, as its loop sees it.
protocol LoopSocket: AnyObject {
    /// Ends it without a close handshake. It leaves `LoopCore.sockets` in this turn or the next.
    func endNow()
}

/// A reference from the `Sendable` loop to what belongs to its thread.
///
/// Unchecked, because the compiler can't see the rule that makes it safe: `EventLoop.core` is the
/// way in and stops the process on any thread but the loop's. The three other uses are `init`
/// (nobody else has the loop yet), the loop's own thread function, and `wake()`, which only reads a
/// constant pointer and calls the one libuv function that any thread may call.
struct LoopConfined: @unchecked Sendable {
    let unchecked: LoopCore

    init(_ core: LoopCore) { unchecked = core }
}

/// A libuv loop, and the libwebsockets context on it if one was ever needed.
///
/// They are used again by later event loops, since a context can't be destroyed safely (see
/// `LibWebSockets`): a process has as many as it ever had loops at the same time.
///
/// Unchecked `Sendable`: between `park` and `take` nobody else has the parts, and the mutex orders
/// what the last loop did with them before what the next one does.
struct LoopParts: @unchecked Sendable {
    let uv: UnsafeMutablePointer<uv_loop_t>
    /// What sockets are read into, one at a time.
    let receiveBuffer: UnsafeMutableRawBufferPointer
    /// What `receiveBuffer` says that came encrypted; made when first needed.
    lazy var plainBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TLSSession.largestPlain(of: Self.receiveBufferSize), alignment: 16)
    var library: LibWebSockets?

    /// The most bytes that are read from a socket at once.
    static let receiveBufferSize = 64 << 10

    private static let parked = Mutex<[LoopParts]>([])

    /// Parts that no loop uses, or new ones.
    static func take() throws(EventLoopError) -> LoopParts {
        if let parts = parked.withLock({ $0.popLast() }) { return parts }
        let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let code = uv_loop_init(uv)
        guard code == 0 else {
            uv.deallocate()
            throw EventLoopError(what: "make an event loop", code: code)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: receiveBufferSize, alignment: 16)
        return LoopParts(uv: uv, receiveBuffer: buffer)
    }

    /// Keeps the parts for another loop. No handle but the library's own may be left on them.
    func park() { Self.parked.withLock { $0.append(self) } }
}
