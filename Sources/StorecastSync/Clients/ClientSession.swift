package import StorecastWire

/// A client's half of one connection and all that follow it, without I/O: it is told of
/// connections and messages, and pulled for messages.
///
/// It keeps the client's id, the dispatches without an outcome and the mirrors across connections.
package final class ClientSession {
    package enum Phase { case offline, greeting, live, closed }

    /// The client's id, for life; a secret of client and server.
    package let client: String
    package private(set) var phase = Phase.offline
    /// The newest position that was heard of.
    package private(set) var position: Position?
    /// Seconds of silence after which to ping.
    package private(set) var heartbeat: UInt64 = 30
    package weak var delegate: (any ClientSessionDelegate)?

    var outbox = Outbox()
    var mirrors = MirrorTable()
    var transaction: IncomingTransaction?
    var isHeld = false
    /// The last dispatch that `welcome` said to be settled, while mirrors are still to show it.
    private var resumed: UInt64 = 0
    private var limits = ServerFrame.Limits(
        message: 1 << 20, window: 1024, subscriptions: 256, depth: 64)
    private var outgoing: [[UInt8]] = []
    private var refs: UInt64 = 0

    /// - Parameter client: 16 to 64 letters, digits, `-` or `_` that hold 128 random bits.
    package init(client: String) {
        self.client = client
    }

    /// How many dispatches have no outcome.
    package var pendingCount: Int { outbox.count }

    // MARK: Connections

    /// A connection is there: queues hello and all subscriptions.
    package func connected(token: String?) {
        guard phase != .closed else { return }
        phase = .greeting
        let hello = ClientFrame.Hello(
            client: client, settled: outbox.settled, seen: position, token: token)
        outgoing = []
        say { $0.write(hello) }
        for mirror in mirrors.all { subscribe(mirror) }
    }

    /// The connection is gone; everything else stays.
    package func disconnected() {
        guard phase != .closed else { return }
        phase = .offline
        outgoing = []
        transaction = nil
        resumed = 0
        isHeld = false
        mirrors.forgetSubs()
    }

    /// Ends it for good: every dispatch without an outcome gets `rejection`.
    package func close(_ rejection: Rejection) {
        phase = .closed
        outgoing = []
        outbox.abandon(rejection)
    }

    // MARK: Dispatches

    /// Numbers an action and sends it when it may be sent.
    package func dispatch(type: String, payload: [UInt8], outcome: DispatchOutcome) {
        guard phase != .closed else { return outcome.settle(.failure(Self.closed)) }
        if let problem = problem(type, payload) { return outcome.settle(.failure(problem)) }
        outbox.append(
            type: type, payload: payload, base: position?.version ?? 0, outcome: outcome)
    }

    /// The answer to a dispatch on a connection that is closed for good.
    package static var closed: Rejection {
        Rejection(.closed, "The connection is closed.")
    }

    private func problem(_ type: String, _ payload: [UInt8]) -> Rejection? {
        let size = Outbox.frameSize(type: type, payload: payload)
        guard size <= limits.message else {
            return Rejection(
                .invalid, "The action is too large.",
                detail: "\(size) bytes; the server takes \(limits.message).")
        }
        let depth = nesting(of: payload) + 3
        guard depth <= limits.depth else {
            return Rejection(
                .invalid, "The action is nested too deep.",
                detail: "\(depth) levels; the server takes \(limits.depth).")
        }
        return nil
    }

    // MARK: Mirrors

    /// The mirror of a selection, shared by all who ask for it with equal parameters.
    package func mirror(_ selection: String, _ parameters: JSON?) -> Mirror {
        if let mirror = mirrors[selection, parameters] { return mirror }
        let mirror = Mirror(selection: selection, parameters: parameters)
        mirrors.insert(mirror)
        if phase == .greeting || phase == .live { subscribe(mirror) }
        return mirror
    }

    /// Ends a mirror that nobody observes.
    package func release(_ mirror: Mirror) {
        guard mirror.observers.isEmpty, mirrors.remove(mirror) else { return }
        let ref = mirror.ref
        guard phase == .greeting || phase == .live, mirror.failure == nil else { return }
        say { $0.writeUnsubscribe(ref: ref) }
        settleResumed()
    }

    func subscribe(_ mirror: Mirror, afresh: Bool = false) {
        refs += 1
        mirror.ref = refs
        mirror.sub = nil
        mirror.isAnswered = false
        mirrors.note(ref: refs, of: mirror)
        let at = afresh ? nil : mirror.resumePoint
        var writer = JSONWriter()
        writer.writeSubscribe(
            ref: refs, select: mirror.selection, params: mirror.parameters, at: at)
        let depth = (mirror.parameters?.depth ?? 0) + 2
        guard writer.bytes.count <= limits.message, depth <= limits.depth else {
            return mirror.fail(
                Rejection(.invalidParameters, "The parameters are too large or too deep."))
        }
        outgoing.append(writer.bytes)
    }

    private func say(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        outgoing.append(writer.bytes)
    }

    /// The mirror can't be brought forward by what came: asks for a snapshot.
    func restart(_ mirror: Mirror) {
        let ref = mirror.ref
        say { $0.writeUnsubscribe(ref: ref) }
        subscribe(mirror, afresh: true)
    }

    // MARK: Messages out

    /// Asks for a sign of life.
    package func ping() {
        guard phase == .live else { return }
        say { $0.writePing() }
    }

    /// Whether there is something to pull.
    package var hasMessages: Bool {
        !outgoing.isEmpty || mayDispatch && outbox.hasUnsent(window: limits.window)
    }

    /// The next message to send, with as many frames as fit, or nil.
    package func nextMessage() -> [UInt8]? {
        guard hasMessages else { return nil }
        // Several frames share a message only as far as the server takes it.
        let most = Int(min(limits.message, 64 << 10)) - 1
        var writer = JSONWriter(reserving: 512)
        writer.beginArray()
        var taken = 0
        while taken < outgoing.count,
            taken == 0 || writer.bytes.count + 1 + outgoing[taken].count <= most
        {
            writer.write(raw: outgoing[taken])
            taken += 1
        }
        outgoing.removeFirst(taken)
        if outgoing.isEmpty, mayDispatch {
            taken += outbox.write(
                to: &writer, window: limits.window, bytes: most, isEmpty: taken == 0)
        }
        writer.endArray()
        return taken == 1 ? Array(writer.bytes.dropFirst().dropLast()) : writer.bytes
    }

    private var mayDispatch: Bool { phase == .live && !isHeld }

    // MARK: Welcome

    func welcomed(_ welcome: ServerFrame.Welcome) {
        if position?.epoch != welcome.position.epoch {
            outbox.rebase(to: welcome.position.version, isFirst: position == nil)
        }
        phase = .live
        limits = welcome.limits
        heartbeat = min(max(1, welcome.heartbeat), 3600)
        reached(welcome.position)
        for reject in welcome.rejected { outbox.reject(reject.seq, Rejection(reject)) }
        outbox.resume(after: welcome.lastSeq)
        resumed = welcome.lastSeq
        settleResumed()
        delegate?.welcomed()
    }

    /// Settles what `welcome` said to be settled when every mirror shows it.
    func settleResumed() {
        guard resumed > 0, phase == .live, let position,
            mirrors.all.allSatisfy({ $0.isAnswered })
        else { return }
        outbox.settle(through: resumed, at: position)
        resumed = 0
    }

    func reached(_ new: Position) {
        guard let old = position, old.epoch == new.epoch, old.version > new.version else {
            position = new
            return
        }
    }
}

/// How deep arrays and objects are nested in JSON text that is known to be valid.
private func nesting(of text: [UInt8]) -> Int {
    var depth = 0
    var deepest = 0
    var isString = false
    var isEscaped = false
    for byte in text {
        if isEscaped {
            isEscaped = false
        } else if isString {
            isEscaped = byte == UInt8(ascii: "\\")
            isString = byte != UInt8(ascii: "\"")
        } else if byte == UInt8(ascii: "\"") {
            isString = true
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            depth += 1
            deepest = max(deepest, depth)
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            depth -= 1
        }
    }
    return deepest
}
