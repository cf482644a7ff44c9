package import StorecastSync
package import StorecastWire

/// A client's half of the protocol, without I/O: it is told of connections and messages, and pulled
/// for messages.
///
/// It keeps the client's id, the dispatches without an outcome and the mirrors across connections.
/// When to connect is decided by its owner, a ``Connector``.
package final class ClientSession {
    package enum Phase { case offline, greeting, live, closed }

    /// The dispatches without an outcome, and the client's id.
    package let outbox: SharedOutbox
    package private(set) var phase = Phase.offline
    /// The newest position that was heard of.
    package private(set) var position: Position?
    /// Who the server takes the client for, as of its last welcome; nil if none has said it.
    package private(set) var identity: Identity?
    /// In which term that is; nil if the server says none.
    package internal(set) var term: String?
    /// Seconds of silence after which to ping.
    package private(set) var heartbeat: UInt64 = 30
    package weak var delegate: (any ClientSessionDelegate)?

    /// Why dispatches can't be stored, and so aren't sent.
    package internal(set) var storageProblem: Rejection?

    /// Whether the storage was let go of, so that nothing is stored.
    private(set) var isSuspended = false

    /// The largest value that is taken in parts, in bytes of its text; 64 MiB. The server is asked
    /// to send whole values only if it is 0.
    package var largestValue = 64 << 20

    var mirrors = MirrorTable()
    var transaction: IncomingTransaction?
    /// The value that comes in parts; the server sends one at a time.
    var parted: PartedValue?
    /// Whether the server sends large values in parts.
    private(set) var takesParts = false
    var isHeld = false
    /// The last dispatch that the server has settled, and its position then.
    var acknowledged: (seq: UInt64, position: Position)?
    /// Stores the outbox, until the session is closed.
    private(set) var recorder: OutboxRecorder?
    /// Keeps the mirrors for the next session.
    let cache: MirrorCache?
    /// Where the session before this one was, whose values the mirrors may have.
    private let start: (position: Position, term: String?)?
    /// The revision of the outbox that the delegate was told of last.
    private var toldRevision: UInt64 = 0
    private var outgoing: [[UInt8]] = []
    private var refs: UInt64 = 0
    /// How many connections there were.
    private var connections: UInt64 = 0
    /// The newest of this program's connections that had no number; 0 if all had.
    private var unnumbered: UInt64 = 0
    /// Whether nobody can say which of the client's connections was made later, this program's or
    /// an earlier one's: the server may have heard late of one, before or after one without a
    /// number. After a few more it has heard of it.
    var isUnsure: Bool {
        unnumbered > 0 && connections - unnumbered < 4
            && (connections > 1 || recorder?.wasOpened == true)
    }

    /// - Parameters:
    ///   - outbox: the client's dispatches, which other threads may number.
    ///   - recorder: stores them; nil for an outbox in memory.
    ///   - cache: keeps the mirrors; nil for none.
    package init(
        outbox: SharedOutbox, recorder: OutboxRecorder? = nil, cache: MirrorCache? = nil
    ) {
        self.outbox = outbox
        self.recorder = recorder
        self.cache = cache
        start = cache?.start
    }

    /// A session with an outbox in memory.
    ///
    /// - Parameter client: 16 to 64 letters, digits, `-` or `_` that hold 128 random bits.
    package convenience init(client: String) {
        self.init(outbox: SharedOutbox(client: client))
    }

    /// The client's id, for life; a secret of client and server.
    package var client: String { outbox.client }

    /// How many dispatches have no outcome.
    package var pendingCount: Int { outbox.withLock { $0.count } }

    // MARK: Connections

    /// A connection is there: queues hello and all subscriptions.
    package func connected(token: String?) {
        guard phase != .closed else { return }
        store()
        phase = .greeting
        connections += 1
        let number = recorder.map { $0.connection(connections) } ?? connections
        if number == nil { unnumbered = connections }
        let hello = ClientFrame.Hello(
            client: client, connection: number, settled: outbox.withLock { $0.greet() },
            seen: position ?? start?.position, term: position == nil ? start?.term : term,
            token: token,
            parts: largestValue > 0 ? SnapshotPart.form : nil)
        takesParts = false
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
        parted = nil
        isHeld = false
        let live = mirrors.all.filter(\.isLive)
        mirrors.forgetSubs()
        outbox.withLock { $0.disconnected() }
        cache?.noteStandstill(at: position)
        // They aren't live any more.
        for mirror in live { mirror.tell() }
        if !live.isEmpty { delegate?.mirrorsMoved() }
    }

    /// Stores what there is and lets go of the storage; only without a connection.
    package func suspend() {
        guard phase == .offline, !isSuspended else { return }
        store()
        saveCache()
        isSuspended = true
        recorder?.release()
    }

    /// Goes on with the storage; throws if somebody else had it meanwhile.
    package func resume() throws(Rejection) {
        guard isSuspended else { return }
        try recorder?.reclaim()
        isSuspended = false
    }

    /// Ends it for good: every dispatch without an outcome gets `rejection`, which says nothing
    /// about what became of it. What is stored of it goes on with the next session that opens it.
    package func close(_ rejection: Rejection) {
        // What was dispatched meanwhile is stored if nobody else has the storage.
        try? resume()
        store()
        saveCache()
        // Its storage is there for the next one.
        recorder = nil
        phase = .closed
        outgoing = []
        announce(settled: outbox.withLock { $0.abandon(rejection) })
    }

    /// Tells of mirrors that have moved and dispatches that have gone; then those who wait for the
    /// outcomes, who find the stores up to date.
    func announce(_ moved: [Mirror] = [], settled: Settlements = Settlements()) {
        for mirror in moved { mirror.tell() }
        let revision = outbox.withLock { $0.revision }
        if revision != toldRevision {
            toldRevision = revision
            delegate?.pendingChanged()
        }
        if !moved.isEmpty {
            cache?.noteChange()
            delegate?.mirrorsMoved()
        }
        settled.tell()
    }

    // MARK: Mirrors

    /// The mirror of a selection, shared by all who ask for it with equal parameters.
    package func mirror(_ selection: String, _ parameters: JSON?) -> Mirror {
        if let mirror = mirrors[selection, parameters] { return mirror }
        let mirror = Mirror(selection: selection, parameters: parameters)
        cache?.restore(mirror, in: position?.epoch)
        mirrors.insert(mirror)
        if phase == .greeting || phase == .live { subscribe(mirror) }
        // Else a client that goes on making mirrors would never hear of an outcome.
        if phase == .live { mirror.isAwaited = false }
        return mirror
    }

    /// Ends a mirror that nobody observes.
    package func release(_ mirror: Mirror) {
        guard mirror.observers.isEmpty, mirrors.remove(mirror) else { return }
        cache?.keep(mirror)
        guard phase == .greeting || phase == .live, !mirror.isRefused else { return }
        unsubscribe(mirror)
        announce(settled: takeSettled())
    }

    func subscribe(_ mirror: Mirror, afresh: Bool = false) {
        refs += 1
        mirrors.note(ref: refs, of: mirror)
        let at = afresh ? nil : mirror.resumePoint
        var writer = JSONWriter()
        writer.writeSubscribe(
            ref: refs, select: mirror.selection, params: mirror.parameters, at: at)
        let depth = (mirror.parameters?.depth ?? 0) + 2
        let limits = outbox.withLock { $0.frameLimits }
        guard writer.bytes.count <= limits.message, depth <= limits.depth else {
            return mirror.fail(
                Rejection(.invalidParameters, "The parameters are too large or too deep."))
        }
        outgoing.append(writer.bytes)
    }

    func unsubscribe(_ mirror: Mirror) {
        let ref = mirror.ref
        say { $0.writeUnsubscribe(ref: ref) }
        endParts(of: mirror.sub)
    }

    private func say(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        outgoing.append(writer.bytes)
    }

    /// A message didn't fit the mirrors' value: subscribes again, for a snapshot. The server sends
    /// one only if none of the connection's subscriptions has the value, so all of them end first.
    func restart(_ mirrors: [Mirror]) {
        for mirror in mirrors { unsubscribe(mirror) }
        for mirror in mirrors { subscribe(mirror, afresh: true) }
    }

    // MARK: Messages out

    /// Asks the server for a sign of life.
    package func ping() {
        guard phase == .live else { return }
        say { $0.writePing() }
    }

    /// Shows the server a newer token of the same identity; only on a live connection.
    package func authenticate(token: String) {
        guard phase == .live else { return }
        say { $0.writeAuthenticate(token: token) }
    }

    /// Whether there is something to pull.
    package var hasMessages: Bool {
        !outgoing.isEmpty || mayDispatch && outbox.withLock { $0.hasUnsent }
    }

    /// The next message to send, with as many frames as fit, or nil.
    package func nextMessage() -> [UInt8]? {
        guard hasMessages else { return nil }
        if storageProblem == nil { store() }
        // Several frames share a message only as far as the server takes it.
        let most = Int(min(outbox.withLock { $0.frameLimits.message }, 64 << 10)) - 1
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
        if outgoing.isEmpty, mayDispatch { taken += writeDispatches(&writer, most, taken == 0) }
        writer.endArray()
        guard taken > 0 else { return nil }
        return taken == 1 ? Array(writer.bytes.dropFirst().dropLast()) : writer.bytes
    }

    var mayDispatch: Bool { phase == .live && !isHeld }

    // MARK: Welcome

    func welcomed(_ welcome: ServerFrame.Welcome) {
        let isFirst = position == nil
        let isNew = position?.isOfSameHistory(as: welcome.position) != true
        phase = .live
        takesParts = welcome.parts != nil
        heartbeat = min(max(1, welcome.heartbeat), 3600)
        reached(welcome.position)
        term = welcome.term
        if let identity = welcome.identity { self.identity = Identity(vouched: identity) }
        let settled = outbox.withLock { outbox in
            if let identity { outbox.sends(as: identity) }
            if isNew { outbox.rebase(to: welcome.position.version, isFirst: isFirst) }
            outbox.resume(after: welcome.lastSeq)
            for reject in welcome.rejected { outbox.reject(reject.seq, Rejection(reject)) }
            outbox.adopt(welcome.limits)
            return outbox.settled
        }
        acknowledged = (max(settled, welcome.lastSeq), welcome.position)
        announce(settled: takeSettled())
        delegate?.welcomed()
    }

    func reached(_ new: Position) {
        if let old = position, old.isLater(than: new) { return }
        position = new
    }
}

/// What a client session tells its owner.
package protocol ClientSessionDelegate: AnyObject {
    /// The connection is live.
    func welcomed()
    /// Mirrors have moved, all that the server moved together; their observers were called.
    func mirrorsMoved()
    /// Dispatches came or went; their outcomes are told when this has returned.
    func pendingChanged()
    /// Why dispatches can't be stored; nil when they can again. Until then they aren't sent, and
    /// `store()` is to be called from time to time.
    func storageChanged(_ problem: Rejection?)
    /// Dispatches may be sent again when this time is over; call `release()` then.
    func held(for time: Duration)
    /// The server asks for a newer token.
    func renew(within time: Duration)
    /// The server is about to close.
    func bye(_ bye: ServerFrame.Bye)
    /// The server broke the protocol; worth a line in a log.
    func trouble(_ message: String)
}

extension ClientSessionDelegate {
    package func pendingChanged() {}
    package func storageChanged(_ problem: Rejection?) {}
}
