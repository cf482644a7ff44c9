import StorecastMirror
import StorecastRoom
import StorecastWire

/// Both ends of a connection in memory. What is sent at one end arrives at the other in a later
/// turn of the loop, at the same time by the clock.
@MainActor final class TestLink {
    nonisolated let line: TestLine
    /// Its number among the connections that the server has accepted.
    var id: UInt64 = 0
    private(set) var session: ServerSession?

    private nonisolated let loop: TestLoop
    private let handler: @Sendable (TransportEvent) -> Void
    private var isOver = false
    private var isReading = true
    /// What the client sent while the server didn't read.
    private var unread: [[UInt8]] = []

    nonisolated init(
        on loop: TestLoop, _ line: TestLine,
        handler: @escaping @Sendable (TransportEvent) -> Void
    ) {
        self.loop = loop
        self.line = line
        self.handler = handler
    }

    /// The server accepts the connection.
    func begin() {
        guard !isOver else { return }
        session = line.begin(self)
        handler(.opened)
    }

    /// The connection is over for both.
    func end(code: UInt16 = 1006, reason: String = "", because problem: String? = nil) {
        guard !isOver else { return }
        isOver = true
        unread = []
        if session != nil { line.end(self) }
        session = nil
        handler(.closed(code: code, reason: reason, problem: problem))
    }

    // MARK: To the client

    private func deliver(_ message: ServerMessage) {
        guard !isOver else { return }
        message.text.withUnsafeBytes { handler(.received($0)) }
    }

    // MARK: To the server

    private func read() {
        while isReading, !isOver, !unread.isEmpty {
            unread.removeFirst().withUnsafeBytes { session?.receive($0) }
        }
    }
}

extension TestLink: nonisolated TransportConnection {
    nonisolated func send(_ text: [UInt8]) {
        loop.post { [self] in
            guard !isOver else { return }
            unread.append(text)
            read()
        }
    }

    nonisolated func close(code: UInt16, reason: String) {
        loop.post { self.end(code: code, reason: reason) }
    }
}

extension TestLink: ServerLink {
    var isWritable: Bool { !isOver }

    func write(_ messages: [ServerMessage]) {
        for message in messages {
            loop.post { self.deliver(message) }
        }
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        for message in last {
            loop.post { self.deliver(message) }
        }
        loop.post { self.end(code: code.rawValue, reason: reason) }
    }

    func setReading(_ reads: Bool) {
        isReading = reads
        if reads { loop.post { self.read() } }
    }
}

/// The network between one client and the server of a ``TestRoom``, which the test can break.
@MainActor final class TestLine {
    /// The result of the server's authentication of the client.
    var answer: Result<Identity, Rejection>
    var isOnline: Bool
    let begin: (TestLink) -> ServerSession?
    let end: (TestLink) -> Void
    private weak var link: TestLink?

    init(
        _ identity: Identity, isOnline: Bool, begin: @escaping (TestLink) -> ServerSession?,
        end: @escaping (TestLink) -> Void
    ) {
        answer = .success(identity)
        self.isOnline = isOnline
        self.begin = begin
        self.end = end
    }

    /// Lets an attempt to connect succeed, or fail.
    func open(_ link: TestLink) {
        guard isOnline else { return link.end(because: "The test keeps the client offline.") }
        self.link = link
        link.begin()
    }

    /// The connection is lost, with everything that is under way in either direction.
    func cut() {
        link?.end(because: "The test cut the connection.")
    }

    /// The server refuses the client's token from now on.
    func refuse(_ rejection: Rejection) {
        answer = .failure(rejection)
        link?.session?.authenticated(answer)
    }
}

/// Connects a client to the server of a ``TestRoom``.
struct TestTransport: Transport {
    let loop: TestLoop
    let line: TestLine

    var executor: any TransportExecutor { loop }

    func connect(
        to url: String, subprotocol: String, handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        let link = TestLink(on: loop, line, handler: handler)
        loop.post { line.open(link) }
        return link
    }
}
