import StorecastWebSocket
import StorecastWire

/// What the clients of a soak did since this was last taken, and since they began.
struct SoakCounts: Sendable {
    /// From when actions were due until their acks, since this was last taken.
    var acks = Histogram()
    /// How many actions were acked.
    var acked = 0
    /// What the counter in the document must be by the acks.
    var counted = 0
    /// How many actions have no outcome.
    var pending = 0
    /// How many clients are connected.
    var live = 0
    /// How many connections were made, and how many clients there were.
    var connections = 0
    var clients = 0
    /// What must not happen, with how often it did; bounded.
    var troubles: [ExactString: Int] = [:]
}

/// The thread of a soak's clients.
actor SoakThread {
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let crew: SoakCrew

    init(_ plan: SoakPlan) throws(EventLoopError) {
        let loop = try EventLoop(name: "storecast-soak")
        self.loop = loop
        crew = SoakCrew(plan, on: loop)
    }

    /// The server is there now; nil: it isn't, and nothing is dispatched.
    func setServer(_ server: WebSocketClientConfiguration?) { crew.setServer(server) }

    func take() -> SoakCounts { crew.take() }

    /// Dispatches nothing more.
    func rest() { crew.isResting = true }

    /// The counter in the document, asked of the server; nil if it doesn't say it in time.
    func readCounter() async -> Int? {
        await withCheckedContinuation { continuation in
            crew.readCounter { continuation.resume(returning: $0) }
        }
    }

    func close() async {
        crew.close()
        await loop.shutDown()
    }
}

/// The clients of a soak, and what they share. Belongs to its thread.
final class SoakCrew {
    let loop: EventLoop
    let token: String?
    /// The member of the document that the actions count in.
    let counter: String
    /// For about how many seconds clients stay or read nothing.
    let pause: Double
    private(set) var server: WebSocketClientConfiguration?
    var isResting = false

    private let plan: SoakPlan
    private var clients: [SoakClient] = []
    private var counts = SoakCounts()
    private var epoch: String?
    /// When the next action is due, and whose it is.
    private var due: Int64 = 0
    private var next = 0
    private var isTicking = false
    private var readers: [(client: SoakClient, done: (Int?) -> Void)] = []

    /// How many sentences are kept about what must not happen.
    private static let mostTroubles = 20
    private static let rows = 64
    private static let text = String(repeating: "x", count: 1000)

    init(_ plan: SoakPlan, on loop: EventLoop) {
        self.plan = plan
        self.loop = loop
        token = plan.token
        pause = min(10, max(0.5, plan.duration / .seconds(20)))
        // Its own, as the document may be one that others have used.
        counter = "soak-" + String(UInt32.random(in: 0 ... .max), radix: 16)
    }

    /// What the acks say that the counter is.
    var counted: Int { counts.counted }

    func setServer(_ server: WebSocketClientConfiguration?) {
        self.server = server
        guard server != nil else { return }
        due = Clock.now
        if clients.isEmpty {
            let slow = max(1, plan.clients / 5)
            for _ in 0..<plan.clients { add(.steady) }
            for _ in 0..<plan.clients { add(.passing) }
            for _ in 0..<slow { add(.slow) }
        }
        // Those that found nobody meanwhile.
        for client in clients { client.connect() }
        tick()
    }

    /// Every second action counts; the others write one of some rows of a thousand bytes, so that
    /// whoever doesn't read has something waiting.
    func action(_ seq: UInt64) -> (type: String, payload: [UInt8]) {
        guard seq % 2 == 0 else { return ("increment", Array(#"{"path":"/\#(counter)"}"#.utf8)) }
        let row = Int(seq / 2) % Self.rows
        let payload = #"{"path":"/\#(counter)-\#(row)","value":"\#(seq) \#(Self.text)"}"#
        return ("set", Array(payload.utf8))
    }

    private func add(_ kind: SoakClient.Kind) {
        let client = SoakClient(kind, in: self)
        clients.append(client)
        counts.clients += 1
        client.connect()
    }

    /// Hands out what is due by now; a client that can't take it leaves it to the next.
    private func tick() {
        guard !isTicking, server != nil else { return }
        isTicking = true
        let now = Clock.now
        let interval = Int64(1e9 / plan.rate)
        // What nobody could take for a second isn't made up for.
        due = max(due, now - 1_000_000_000)
        while due <= now, !isResting {
            let places = clients.indices.map { (next + $0) % clients.count }
            let place = places.first { clients[$0].kind != .slow && clients[$0].isReady }
            guard let place else { break }
            clients[place].dispatch(due: due)
            next = (place + 1) % clients.count
            due += interval
        }
        loop.schedule(after: .milliseconds(5)) { [weak self] in
            self?.isTicking = false
            self?.tick()
        }
    }

    // MARK: What clients tell

    func acked(isCounted: Bool, after nanoseconds: Int64?) {
        counts.acked += 1
        if isCounted { counts.counted += 1 }
        if let nanoseconds { counts.acks.record(nanoseconds) }
    }

    func entered(epoch: String) {
        counts.connections += 1
        if let known = self.epoch, known != epoch {
            trouble("The room has begun a new history, as one that may have lost something does.")
        }
        self.epoch = epoch
    }

    func saw(_ value: Int, atLeast expected: Int) {
        guard value < expected else { return }
        trouble("A client saw \(expected - value) fewer increments than were acked before.")
    }

    func trouble(_ sentence: String) {
        let key = ExactString(sentence)
        guard counts.troubles[key] != nil || counts.troubles.count < Self.mostTroubles else {
            return
        }
        counts.troubles[key, default: 0] += 1
    }

    func left(_ client: SoakClient, isOver: Bool) {
        guard isOver, client.kind == .passing else { return }
        clients.removeAll { $0 === client }
        add(.passing)
    }

    func read(_ value: Int) {
        for (client, done) in readers {
            client.close()
            done(value)
        }
        readers = []
    }

    func readCounter(_ done: @escaping (Int?) -> Void) {
        let reader = SoakClient(.reader, in: self)
        readers.append((reader, done))
        reader.connect()
        loop.schedule(after: .seconds(10)) { [weak self] in
            guard let self, let place = readers.firstIndex(where: { $0.client === reader })
            else { return }
            readers.remove(at: place).done(nil)
        }
    }

    func take() -> SoakCounts {
        var taken = counts
        taken.pending = clients.reduce(0) { $0 + $1.pending }
        taken.live = clients.count { $0.isLive }
        counts.acks = Histogram()
        return taken
    }

    func close() {
        server = nil
        isResting = true
        for client in clients { client.close() }
    }
}
