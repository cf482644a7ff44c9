public import StorecastMirror

/// Connects by URLSession's WebSocket tasks: the standard on Apple platforms.
///
/// On Linux it compiles, but URLSession's WebSockets don't work there; use `WebSocketTransport`.
public struct URLSessionTransport: Transport {
    private let queue: SerialQueue

    /// A transport with a queue of its own.
    public init() {
        queue = SerialQueue(label: "storecast-client")
    }

    /// The queue on which every event arrives.
    public var executor: any TransportExecutor { queue }

    /// Starts to connect.
    public func connect(
        to url: String, subprotocol: String,
        handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        URLSessionConnection(url, subprotocol: subprotocol, queue: queue, handler: handler)
    }
}

#if !os(Linux)
    extension Transport where Self == URLSessionTransport {
        /// URLSession.
        public static var standard: URLSessionTransport { URLSessionTransport() }
    }
#endif
