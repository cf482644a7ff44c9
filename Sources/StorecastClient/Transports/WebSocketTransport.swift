#if os(Linux)
    public import StorecastMirror
    public import StorecastWebSocket

    /// Connects by libwebsockets, on one event loop for all connections of the process.
    public struct WebSocketTransport: Transport {
        private let loop: EventLoop

        /// The transport on the process's client loop.
        public init() {
            loop = Self.sharedLoop
        }

        package init(on loop: EventLoop) {
            self.loop = loop
        }

        /// The event loop.
        public var executor: any TransportExecutor { loop }

        /// Starts to connect.
        public func connect(
            to url: String, subprotocol: String,
            handler: @escaping @Sendable (TransportEvent) -> Void
        ) -> any TransportConnection {
            WebSocketTransportConnection(
                on: loop, ServerURL(url), subprotocol: subprotocol, handler: handler)
        }

        private static let sharedLoop: EventLoop = {
            do {
                return try EventLoop(name: "storecast-client")
            } catch {
                preconditionFailure("No event loop for clients could be started: \(error)")
            }
        }()
    }

    extension Transport where Self == WebSocketTransport {
        /// libwebsockets.
        public static var standard: WebSocketTransport { WebSocketTransport() }
    }

    extension EventLoop: TransportExecutor {
        /// Runs `work` on the loop later; from any thread.
        public func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
            execute { [self] in schedule(after: delay, work) }
        }
    }
#endif
