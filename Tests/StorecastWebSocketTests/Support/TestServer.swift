import StorecastWebSocket

/// A server on a loop of its own that records what it hears and does what the test says.
final class TestServer: Sendable {
    enum Event: Equatable {
        case opened(path: String, subprotocol: String?)
        case received(String)
        case writable
        case closed(UInt16, String)
    }

    let loop: EventLoop
    let events = Mailbox<Event>()
    /// Whose encryption failed, and why.
    let problems = Mailbox<String>()
    let port: Int
    private let owned: OnLoop<Recorder>

    init(
        _ change: (inout WebSocketServerConfiguration) -> Void = { _ in },
        on loop: EventLoop? = nil, _ behaviour: Behaviour = Behaviour()
    ) async throws {
        let loop = try loop ?? EventLoop(name: "test server")
        self.loop = loop
        var configuration = WebSocketServerConfiguration()
        // A machine that has much else to do may take longer than the usual limit.
        configuration.handshakeTimeout = .seconds(600)
        change(&configuration)
        let (events, problems) = (events, problems)
        (owned, port) = try await loop.perform { [configuration] in
            let recorder = Recorder(events, problems, behaviour)
            let server = try WebSocketServer(
                on: loop, configuration: configuration, delegate: recorder)
            recorder.server = server
            return (OnLoop(recorder, loop), server.port)
        }
    }

    /// Does something with the server and the connections that are open, on the loop.
    func with<Value: Sendable>(
        _ body: @escaping @Sendable (Recorder) throws -> Value
    ) async throws -> Value {
        let owned = owned
        return try await loop.perform { try body(owned.value) }
    }

    func stop() async { await loop.shutDown() }
}

/// What a test server does beside recording.
struct Behaviour: Sendable {
    var accept: @Sendable (UpgradeRequest) -> UpgradeDecision = {
        .accept(subprotocol: $0.subprotocols.first)
    }
    var opened: @Sendable (WebSocketConnection) -> Void = { _ in }
    var received: @Sendable (WebSocketConnection, UnsafeRawBufferPointer) -> Void = { _, _ in }
    var oddments: @Sendable (WebSocketConnection) -> Void = { _ in }
    var writable: @Sendable (WebSocketConnection) -> Void = { _ in }
    var respond: @Sendable (UpgradeRequest) -> HTTPResponse? = { _ in nil }

    static let echo = Behaviour(received: { connection, text in connection.send(text: text) })
}

/// The delegate; used on the loop only.
final class Recorder: WebSocketServerDelegate {
    var server: WebSocketServer?
    var connections: [WebSocketConnection] = []
    private let events: Mailbox<TestServer.Event>
    private let problems: Mailbox<String>
    private let behaviour: Behaviour

    init(
        _ events: Mailbox<TestServer.Event>, _ problems: Mailbox<String>, _ behaviour: Behaviour
    ) {
        self.events = events
        self.problems = problems
        self.behaviour = behaviour
    }

    func accept(_ request: UpgradeRequest) -> UpgradeDecision { behaviour.accept(request) }

    func opened(_ connection: WebSocketConnection, _ request: UpgradeRequest) {
        connections.append(connection)
        events.post(.opened(path: request.path, subprotocol: connection.subprotocol))
        behaviour.opened(connection)
    }

    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {
        events.post(.received(String(decoding: text, as: UTF8.self)))
        behaviour.received(connection, text)
    }

    func received(_ connection: WebSocketConnection, oddments: Int) {
        behaviour.oddments(connection)
    }

    func writable(_ connection: WebSocketConnection) {
        events.post(.writable)
        behaviour.writable(connection)
    }

    func closed(_ connection: WebSocketConnection, code: UInt16, reason: String) {
        connections.removeAll { $0 === connection }
        events.post(.closed(code, reason))
    }

    func respond(to request: UpgradeRequest) -> HTTPResponse? { behaviour.respond(request) }

    func encryptionFailed(from address: String, _ problem: String) {
        problems.post("\(address): \(problem)")
    }
}

/// Something that lives on a loop, carried through code that doesn't.
///
/// Unchecked, because the rule is checked when it runs: only the loop's thread gets at the value.
final class OnLoop<Value>: @unchecked Sendable {
    private let content: Value
    private let loop: EventLoop

    init(_ value: Value, _ loop: EventLoop) {
        content = value
        self.loop = loop
    }

    var value: Value {
        loop.checkIsolated()
        return content
    }
}

extension TestServer {
    convenience init(_ behaviour: Behaviour) async throws {
        try await self.init({ _ in }, on: nil, behaviour)
    }

    convenience init(
        _ change: (inout WebSocketServerConfiguration) -> Void, _ behaviour: Behaviour
    ) async throws {
        try await self.init(change, on: nil, behaviour)
    }
}

extension WebSocketFrameHeader {
    /// A whole unmasked text frame.
    static func frame(text: some Collection<UInt8>) -> [UInt8] {
        var frame: [UInt8] = []
        append(.text, payloadLength: text.count, to: &frame)
        frame.append(contentsOf: text)
        return frame
    }
}

extension WebSocketConnection {
    /// Sends one text message; as `write(raw:)`.
    @discardableResult
    func send(text: UnsafeRawBufferPointer) -> Bool {
        write(WebSocketFrameHeader.frame(text: text))
    }
}
