import StorecastWebSocket

/// An address beside the server's own, where it tells those who run it how it is: `/healthz`,
/// `/readyz` and `/metrics`, as OpenMetrics text.
///
/// Nobody is asked who they are: let it be an address that only those can reach.
public struct OperationsAddress: Sendable {
    /// The address to listen on.
    public var host: String
    /// 0 … 65,535; 0 for any free one.
    public var port: Int

    /// - Parameters:
    ///   - host: the address to listen on; `0.0.0.0` for every IPv4 address of the machine.
    ///   - port: 0 … 65,535; 0 for any free one.
    public init(host: String = "127.0.0.1", port: Int) {
        self.host = host
        self.port = port
    }
}

/// Answers at such an address, on a loop of its own, so that it also does while others are busy.
actor OperationsLoop {
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let metrics: ServerMetrics
    private let text: @Sendable () -> String
    private var endpoint: OperationsEndpoint?
    private var server: WebSocketServer?

    init(_ metrics: ServerMetrics, _ text: @escaping @Sendable () -> String) throws(ServerError) {
        do {
            loop = try EventLoop(name: "storecast-ops")
        } catch {
            throw ServerError(.noResources, "The system gives no event loop: \(error)")
        }
        self.metrics = metrics
        self.text = text
    }

    /// Returns the URL.
    func listen(_ address: OperationsAddress) throws(ServerError) -> String {
        var configuration = WebSocketServerConfiguration()
        configuration.host = address.host
        configuration.port = address.port
        // Enough for whoever looks; nobody else is to hold more.
        configuration.maxConnections = 64
        let endpoint = OperationsEndpoint(
            metrics, ServedHosts(listeningOn: address.host, allowed: []), text)
        do {
            let server = try WebSocketServer(
                on: loop, configuration: configuration, delegate: endpoint)
            (self.server, self.endpoint) = (server, endpoint)
            return "http://\(address.host.asURLHost):\(server.port)/"
        } catch {
            throw ServerError(.cannotListen, "\(error)")
        }
    }

    func stop() async {
        server?.close {}
        server = nil
        await loop.shutDown()
    }
}

private final class OperationsEndpoint: WebSocketServerDelegate {
    private let metrics: ServerMetrics
    private let hosts: ServedHosts
    private let text: @Sendable () -> String

    init(_ metrics: ServerMetrics, _ hosts: ServedHosts, _ text: @escaping @Sendable () -> String) {
        self.metrics = metrics
        self.hosts = hosts
        self.text = text
    }

    func respond(to request: UpgradeRequest) -> HTTPResponse? {
        if let health = metrics.answer(to: request) { return health }
        guard hosts.admits(request.headers["host"]) else {
            return HTTPResponse(status: 421, "This server isn't known by that name.")
        }
        guard request.path == "/metrics" else {
            return HTTPResponse(status: 404, "Here are /healthz, /readyz and /metrics.")
        }
        metrics.noteDescriptors()
        return HTTPResponse(
            status: 200, headers: [("Cache-Control", "no-store")],
            contentType: OpenMetrics.contentType, body: Array(text().utf8))
    }

    func accept(_ request: UpgradeRequest) -> UpgradeDecision {
        .refuse(status: 404, reason: "Here are /healthz, /readyz and /metrics.")
    }

    func opened(_ connection: WebSocketConnection, _ request: UpgradeRequest) {}
    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {}
    func writable(_ connection: WebSocketConnection) {}
    func closed(_ connection: WebSocketConnection, code: UInt16, reason: String) {}
}

extension ServerMetrics {
    /// The answer to a request for the server's health; nil for another.
    func answer(to request: UpgradeRequest) -> HTTPResponse? {
        let problem: String?
        switch request.path {
        case "/healthz": problem = illness
        case "/readyz": problem = unreadiness
        default: return nil
        }
        return HTTPResponse(
            status: problem == nil ? 200 : 503, problem ?? "ok",
            headers: [("Cache-Control", "no-store")])
    }
}
