import StorecastWebSocket
import StorecastWire

/// One client of a soak: dispatches in numbered order, comes back after its connection ended, sends
/// again what has no outcome, and sees whether the server still has what it has acked. Belongs to
/// its crew's thread.
final class SoakClient: WebSocketClientDelegate {
    enum Kind {
        /// Stays.
        case steady
        /// Comes and goes, as itself or as somebody new.
        case passing
        /// Takes the whole document, and stops reading for a time again and again.
        case slow
        /// Asks for the counter, once.
        case reader
    }

    let kind: Kind
    private unowned let crew: SoakCrew
    private let id = randomID()
    private var client: WebSocketClient?
    private var writer = JSONWriter()
    private var isWelcome = false
    private var window: UInt64 = 0
    private var version: UInt64 = 0
    /// The highest number that is known to be settled, and the highest that there is.
    private var settled: UInt64 = 0
    private var made: UInt64 = 0
    /// The highest number sent on this connection.
    private var sent: UInt64 = 0
    /// When the actions above `settled` were due; 0 for one that an earlier connection has sent,
    /// whose time says more of the restart than of the server.
    private var dues: [Int64] = []
    private var rejected: Set<UInt64> = []
    /// Whether the server has asked to wait.
    private var isHeld = false
    /// How often it has connected; timers of earlier connections do nothing.
    private var life = 0
    private var isLeaving = false
    /// What all clients had acked of the counter when this one connected: it is to see no less.
    private var expected = 0

    init(_ kind: Kind, in crew: SoakCrew) {
        self.kind = kind
        self.crew = crew
    }

    /// Whether it can be given an action.
    var isReady: Bool { isWelcome && !isLeaving && made - settled < window }
    var isLive: Bool { isWelcome }
    var pending: Int { Int(made - settled) }

    // MARK: Coming and going

    func connect() {
        guard let server = crew.server, client == nil else { return }
        life += 1
        expected = crew.counted
        let client = WebSocketClient(on: crew.loop, configuration: server, delegate: self)
        self.client = client
        client.connect()
    }

    func close() { client?.close() }

    private func later(_ delay: Double, _ work: @escaping () -> Void) {
        let life = life
        crew.loop.schedule(after: .seconds(delay)) { [weak self] in
            if let self, self.life == life { work() }
        }
    }

    private func settleIn() {
        switch kind {
        case .steady, .reader: break
        case .passing:
            later(.random(in: 0.1...2) * crew.pause) { [unowned self] in leave() }
        case .slow: readSlowly()
        }
    }

    /// Half of those that go come back as themselves, with actions under way; the others have an
    /// outcome for each, and are followed by somebody new.
    private func leave() {
        isLeaving = true
        if pending == 0 || Bool.random() { client?.close() }
    }

    private func readSlowly() {
        client?.pauseReading()
        later(.random(in: 0.5...6) * crew.pause) { [unowned self] in
            client?.resumeReading()
            later(0.2) { [unowned self] in readSlowly() }
        }
    }

    // MARK: Dispatching

    func dispatch(due: Int64) {
        made += 1
        dues.append(due)
        sendDue()
    }

    private func sendDue() {
        guard isWelcome, !isHeld, let client else { return }
        while sent < made, sent - settled < window {
            let seq = sent + 1
            let (type, payload) = crew.action(seq)
            writer.bytes.removeAll(keepingCapacity: true)
            writer.writeDispatch(
                seq: seq, base: version, settled: settled, type: type, payload: payload)
            // If there is no room, `writable` comes.
            guard client.send(writer.bytes) else { return }
            sent = seq
        }
    }

    private func settle(upTo seq: UInt64) {
        let seq = min(seq, made)
        guard seq > settled else { return }
        let now = Clock.now
        for number in (settled + 1)...seq where rejected.remove(number) == nil {
            let due = dues[Int(number - settled - 1)]
            crew.acked(isCounted: number % 2 == 1, after: due > 0 ? now - due : nil)
        }
        dues.removeFirst(Int(seq - settled))
        settled = seq
        sent = max(sent, seq)
        if isLeaving, pending == 0 { client?.close() }
        sendDue()
    }

    private func reject(_ reject: ServerFrame.Reject) {
        guard reject.retryable else {
            rejected.insert(reject.seq)
            return crew.trouble("An action was rejected (\(reject.code)): \(reject.title)")
        }
        guard reject.seq > settled, reject.seq <= sent else { return }
        sent = reject.seq - 1
        isHeld = true
        later(reject.retryAfter ?? 1) { [unowned self] in
            isHeld = false
            sendDue()
        }
    }

    // MARK: What the server says

    private func welcome(_ welcome: ServerFrame.Welcome) {
        isWelcome = true
        window = welcome.limits.window
        version = welcome.position.version
        crew.entered(epoch: welcome.position.epoch)
        for reject in welcome.rejected { self.reject(reject) }
        // What this client was told, the server must still know.
        if welcome.lastSeq < settled {
            crew.trouble(
                "The server has forgotten \(settled - welcome.lastSeq) acked actions of a client.")
        }
        settle(upTo: welcome.lastSeq)
        sent = max(settled, welcome.lastSeq)
        sendDue()
        settleIn()
    }

    private func hear(_ frame: ServerFrame) {
        switch frame {
        case .welcome(let welcome): self.welcome(welcome)
        case .snapshot(_, let version, let value):
            self.version = max(self.version, version)
            guard kind != .slow else { return }
            // Nothing is there until the first action.
            let count = value.int ?? 0
            crew.saw(count, atLeast: expected)
            if kind == .reader { crew.read(count) }
        case .patch(_, _, let version, _): self.version = max(self.version, version)
        case .transaction(let version, _, let acked):
            self.version = max(self.version, version)
            if let acked { settle(upTo: acked) }
        case .reject(let reject): self.reject(reject)
        case .lapse(_, let code): crew.trouble("The server ended a subscription (\(code)).")
        case .error(let error): crew.trouble("The server found an error: \(error.title)")
        default: break
        }
    }

    // MARK: WebSocketClientDelegate

    func connected(_ client: WebSocketClient, subprotocol: String?) {
        writer.bytes.removeAll()
        writer.write(
            ClientFrame.Hello(client: id, settled: settled > 0 ? settled : nil, token: crew.token))
        client.send(writer.bytes)
        writer.bytes.removeAll()
        writer.writeSubscribe(
            ref: 1, select: "value",
            params: ["path": .string(kind == .slow ? "" : "/\(crew.counter)")], at: nil)
        client.send(writer.bytes)
    }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
        do throws(FrameError) {
            hear(try ServerFrame(reading: text, limits: .trusted))
        } catch {
            // A later version of a server may send more.
            if error.code != .unknownOp { crew.trouble("A message can't be read: \(error.title)") }
        }
    }

    func writable(_ client: WebSocketClient) { sendDue() }

    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?) {
        self.client = nil
        life += 1
        isWelcome = false
        isHeld = false
        for index in dues.indices { dues[index] = 0 }
        let isOver = isLeaving && pending == 0
        isLeaving = false
        crew.left(self, isOver: isOver)
        if !isOver { later(.random(in: 0.05...0.5)) { [unowned self] in connect() } }
    }
}
