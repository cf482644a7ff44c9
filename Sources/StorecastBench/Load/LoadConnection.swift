import StorecastWebSocket
import StorecastWire

/// One connection of a load: subscribes, and dispatches what is due, as far as the server's window
/// allows. Belongs to its thread.
final class LoadConnection: WebSocketClientDelegate {
    /// Counted from 0, among those that dispatch or among the mirrors.
    let number: Int
    let isMirror: Bool
    /// The version that its mirrors have reached.
    private(set) var reached: UInt64 = 0

    private unowned let crew: LoadCrew
    private var client: WebSocketClient?
    private var writer = JSONWriter()

    private var isWelcome = false
    private var isReady = false
    private var expectedAnswers: Int
    /// Whether each subscription has its first value.
    private var values: [UInt64: Bool] = [:]
    private var version: UInt64 = 0
    /// The messages that are to come of a transaction, and its version.
    private var parts: (left: UInt64, version: UInt64) = (0, 0)

    private var window: UInt64 = 0
    private var lastSent: UInt64 = 0
    private var acked: UInt64 = 0
    /// The `seq` of the step's first action.
    private var first: UInt64 = 1
    /// How many of the step's actions are due.
    private var due = 0
    private var rejected: Set<UInt64> = []
    /// Whether the server has asked to wait.
    private var isHeld = false
    /// What the server said before it ended the connection.
    private var farewell: String?

    init(_ number: Int, isMirror: Bool, in crew: LoadCrew) {
        self.number = number
        self.isMirror = isMirror
        self.crew = crew
        expectedAnswers = crew.plan.subscriptions.count
    }

    /// How many of its actions are due and have no outcome yet.
    var open: Int { isReady ? due - Int(acked + 1 - min(first, acked + 1)) : 0 }

    private var sentOfStep: Int { Int(lastSent + 1 - first) }

    func connect(on loop: EventLoop) {
        let client = WebSocketClient(
            on: loop, configuration: crew.plan.server, delegate: self)
        self.client = client
        client.connect()
    }

    func close() { client?.close() }

    // MARK: Dispatching

    func beginStep() {
        first = lastSent + 1
        due = 0
    }

    /// One more action is due.
    func addDue() {
        due += 1
        dispatchDue()
    }

    /// Leaves out what isn't sent yet; what it has waited counts.
    func stopSending(at now: Int64) {
        guard let pace = crew.pace else { return }
        for index in sentOfStep..<max(due, sentOfStep) {
            let moment = pace.moment(of: index, on: number)
            guard pace.isMeasured(moment) else { continue }
            crew.tally.acks.record(now - moment)
            crew.tally.unsent += 1
        }
        due = sentOfStep
    }

    /// Waits no longer for outcomes; what they have taken so far counts.
    func giveUp(at now: Int64) {
        if let pace = crew.pace, lastSent > acked {
            for seq in max(acked + 1, first)...max(lastSent, first) where seq <= lastSent {
                let moment = pace.moment(of: Int(seq - first), on: number)
                guard pace.isMeasured(moment), !rejected.contains(seq) else { continue }
                crew.tally.acks.record(now - moment)
                crew.tally.unanswered += 1
            }
        }
        beginStep()
    }

    private func dispatchDue() {
        guard let pace = crew.pace, let client else { return }
        while sentOfStep < due, lastSent - acked < window, !isHeld {
            let action = pace.number(of: sentOfStep, on: number)
            writer.bytes.removeAll(keepingCapacity: true)
            writer.writeDispatch(
                seq: lastSent + 1, base: version, settled: acked, type: crew.plan.action,
                payload: crew.plan.payload?.bytes(action: action, connection: number) ?? [])
            // If there is no room, `writable` comes.
            guard client.send(writer.bytes) else { return }
            crew.tally.sent += 1
            crew.tally.bytesSent += writer.bytes.count
            lastSent += 1
        }
    }

    private func settle(upTo seq: UInt64, version: UInt64) {
        let seq = min(seq, lastSent)
        guard seq > acked else { return }
        let now = Clock.now
        for seq in (acked + 1)...seq where rejected.remove(seq) == nil && seq >= first {
            crew.ack(Int(seq - first), on: number, version: version, at: now)
        }
        acked = seq
        dispatchDue()
    }

    private func reject(_ reject: ServerFrame.Reject) {
        let text = [reject.title, reject.detail ?? ""].joined(separator: " ")
        crew.tally.refuse(reject.code, text)
        guard reject.retryable else {
            rejected.insert(reject.seq)
            return
        }
        // It takes nothing until this one comes again.
        guard reject.seq > acked, reject.seq <= lastSent else { return }
        lastSent = reject.seq - 1
        first = min(first, reject.seq)
        isHeld = true
        crew.loop.schedule(after: .seconds(reject.retryAfter ?? 1)) { [weak self] in
            self?.isHeld = false
            self?.dispatchDue()
        }
    }

    // MARK: Subscribing

    private func hear(_ heard: Heard) {
        switch heard {
        case .welcome(let version, let lastSeq, let window):
            isWelcome = true
            self.version = version
            self.window = window
            lastSent = lastSeq
            acked = lastSeq
            beginStep()
        case .subscribed(let sub):
            expectedAnswers -= 1
            if values[sub] == nil { values[sub] = false }
        case .value(let sub, let version): take(sub, version)
        case .transaction(let version, let count, let acked):
            parts = (count, version)
            if let acked { settle(upTo: acked, version: version) }
            if count == 0 { reach(version) }
        case .reject(let reject): self.reject(reject)
        case .refusal(let code, let text):
            if isReady { crew.tally.refuse(code, text) } else { crew.fail(text) }
        case .bye(let title): farewell = title
        case .other: break
        }
        if !isReady, isWelcome, expectedAnswers == 0, values.values.allSatisfy({ $0 }) {
            isReady = true
            crew.ready()
        }
    }

    private func take(_ sub: UInt64, _ version: UInt64) {
        values[sub] = true
        guard parts.left > 0 else { return reach(version) }
        parts.left -= 1
        if parts.left == 0 { reach(parts.version) }
    }

    private func reach(_ version: UInt64) {
        self.version = max(self.version, version)
        guard version > reached else { return }
        let old = reached
        reached = version
        if isMirror { crew.mirrorMoved(from: old) }
    }

    // MARK: WebSocketClientDelegate

    func connected(_ client: WebSocketClient, subprotocol: String?) {
        let token = crew.plan.token?.bytes(action: 0, connection: number)
        writer.write(
            ClientFrame.Hello(
                client: randomID(),
                token: token.map { String(decoding: $0, as: UTF8.self) }))
        client.send(writer.bytes)
        for (index, selection) in crew.plan.subscriptions.enumerated() {
            writer.bytes.removeAll()
            writer.writeSubscribe(
                ref: UInt64(index + 1), select: selection.name, params: selection.parameters,
                at: nil)
            client.send(writer.bytes)
        }
    }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
        crew.tally.bytesReceived += text.count
        crew.tally.messagesReceived += 1
        hear(crew.hearing.hear(text))
    }

    func writable(_ client: WebSocketClient) { dispatchDue() }

    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?) {
        self.client = nil
        let wasReady = isReady
        isReady = false
        let why = farewell ?? error ?? (reason.isEmpty ? "It didn't say why." : reason)
        crew.lost(
            self, "The server ended the connection: \(why) (code \(code))", wasReady: wasReady,
            problem: farewell == nil ? error : nil)
    }
}

/// A client's id, as every connection of a load has one.
func randomID() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
        let digits = String(random.next() as UInt32, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
}
