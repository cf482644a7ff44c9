import StorecastWebSocket

/// A client that records what it hears.
final class TestClient: Sendable {
    enum Event: Equatable {
        case connected(String?)
        case received(String)
        case writable
        case closed(UInt16, String, error: String?)
    }

    let loop: EventLoop
    let events = Mailbox<Event>()
    private let owned: OnLoop<Box>

    /// - Parameter connectTimeout: in place of the configuration's, which a machine that has much
    ///   else to do may exceed.
    init(
        _ configuration: WebSocketClientConfiguration, on loop: EventLoop? = nil,
        connectTimeout: Duration = .seconds(600)
    ) async throws {
        let loop = try loop ?? EventLoop(name: "test client")
        var configuration = configuration
        configuration.connectTimeout = connectTimeout
        self.loop = loop
        let events = events
        owned = try await loop.perform { [configuration] in
            let recorder = ClientRecorder(events)
            let client = WebSocketClient(
                on: loop, configuration: configuration, delegate: recorder)
            client.connect()
            return OnLoop(Box(client: client, recorder: recorder), loop)
        }
    }

    func with<Value: Sendable>(
        _ body: @escaping @Sendable (WebSocketClient) throws -> Value
    ) async throws -> Value {
        let owned = owned
        return try await loop.perform { try body(owned.value.client) }
    }

    @discardableResult
    func send(_ text: String) async throws -> Bool {
        try await with { $0.send(Array(text.utf8)) }
    }

    private struct Box {
        let client: WebSocketClient
        let recorder: ClientRecorder
    }
}

private final class ClientRecorder: WebSocketClientDelegate {
    private let events: Mailbox<TestClient.Event>

    init(_ events: Mailbox<TestClient.Event>) { self.events = events }

    func connected(_ client: WebSocketClient, subprotocol: String?) {
        events.post(.connected(subprotocol))
    }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
        events.post(.received(String(decoding: text, as: UTF8.self)))
    }

    func writable(_ client: WebSocketClient) { events.post(.writable) }

    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?) {
        events.post(.closed(code, reason, error: error))
    }
}
