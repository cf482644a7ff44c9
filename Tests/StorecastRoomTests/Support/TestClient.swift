import StorecastMirror
import StorecastRoom

/// A client session with a connection in memory, driven by hand.
final class TestClient: ClientSessionDelegate {
    let session: ClientSession
    private(set) var wire: Wire?
    private(set) var troubles: [String] = []
    private(set) var byes: [ServerFrame.Bye] = []
    private(set) var moves = 0
    private(set) var holds: [Duration] = []
    private(set) var renewals: [Duration] = []
    /// Everything that the client said, oldest first.
    private(set) var said: [JSON] = []
    /// Messages on their way to the server.
    private var underway: [[UInt8]] = []
    private var loop: TestLoop

    /// Told of what is pending when that has changed.
    var optimistic: [(PendingActions) -> Void] = []
    private(set) var storageProblems: [Rejection?] = []

    convenience init(_ client: String = .ada, on loop: TestLoop) {
        self.init(ClientSession(client: client), on: loop)
    }

    init(_ session: ClientSession, on loop: TestLoop) {
        self.session = session
        self.loop = loop
        session.delegate = self
    }

    // MARK: The connection

    /// - Parameter loop: where the room is, if that isn't where the last one was.
    func connect(to room: any AnyRoom, on loop: TestLoop? = nil, token: String? = nil) {
        if let loop { self.loop = loop }
        wire = Wire(to: room, on: self.loop)
        session.connected(token: token)
    }

    /// The connection breaks: what is under way either way is lost.
    func cut() {
        wire?.session.disconnected()
        wire = nil
        underway = []
        session.disconnected()
    }

    /// The connection breaks, and the server doesn't notice.
    func lose() {
        wire = nil
        underway = []
        session.disconnected()
    }

    /// Stores what there is to store, and puts what the session wants to say on its way, if there
    /// is one.
    func speak() {
        if session.isStoreDue { session.store() }
        while let message = session.nextMessage() {
            said.append(parsed(String(decoding: message, as: UTF8.self)))
            if wire != nil { underway.append(message) }
        }
    }

    /// The oldest message on its way arrives.
    func arrive() {
        guard let wire, !underway.isEmpty else { return }
        wire.push(underway.removeFirst())
    }

    var hasUnderway: Bool { !underway.isEmpty }

    /// Reads the next message; closes when the server did.
    func read() {
        guard let wire else { return }
        if let message = wire.hearOne() {
            let isFine = message.text.withUnsafeBytes { session.receive($0) }
            if !isFine { cut() }
        } else if wire.closeCode != nil {
            cut()
        }
    }

    /// Lets everything flow until nothing is left to say.
    func settle() {
        repeat {
            speak()
            while hasUnderway { arrive() }
            loop.endTurn()
            while let wire, !wire.messages.isEmpty || wire.closeCode != nil { read() }
        } while session.isStoreDue || wire != nil && session.hasMessages
    }

    /// Everything that was said since the last call, one frame each.
    func takeSaid() -> [JSON] {
        defer { said = [] }
        return said.flatMap { $0.array ?? [$0] }
    }

    /// The number of the connection, by the hello that is next to be said; says it.
    var helloNumber: Int? {
        speak()
        return takeSaid().first("hello")?["connection"]?.int
    }

    // MARK: Dispatches

    /// Dispatches an action; `show` is called with it before anything else happens.
    @discardableResult
    func dispatch(
        _ action: any SyncAction, show: (PendingAction) -> Void = { _ in }
    ) -> DispatchOutcome {
        let outcome = DispatchOutcome()
        do {
            let outgoing = OutgoingAction(
                type: type(of: action).wireName, payload: try JSONCoding.encode(action),
                action: action)
            let (pending, opensAdmission) = try session.outbox.withLock { outbox in
                try outbox.append(outgoing, outcome)
            }
            if let pending { show(pending) }
            if opensAdmission { session.admit() }
        } catch let rejection as Rejection {
            outcome.settle(.failure(rejection))
        } catch {
            preconditionFailure("The test's own action can't be encoded: \(error)")
        }
        return outcome
    }

    // MARK: From the session

    func welcomed() {}
    func mirrorsMoved() { moves += 1 }
    func pendingChanged() {
        let pending = session.outbox.withLock(\.pendingActions)
        for take in optimistic { take(pending) }
    }
    func storageChanged(_ problem: Rejection?) { storageProblems.append(problem) }
    func held(for time: Duration) {
        holds.append(time)
        let wire = wire
        loop.after(time / .seconds(1)) { [weak self] in
            if let self, self.wire === wire { session.release() }
        }
    }
    func renew(within time: Duration) { renewals.append(time) }
    func bye(_ bye: ServerFrame.Bye) { byes.append(bye) }
    func trouble(_ message: String) { troubles.append(message) }
}
