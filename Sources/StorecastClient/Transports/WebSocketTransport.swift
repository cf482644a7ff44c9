#if os(Linux)
    public import StorecastMirror
    import StorecastSync
    public import StorecastWebSocket

    /// Connects by libwebsockets, on one event loop for all connections of the process.
    public struct WebSocketTransport: Transport {
        private let loop: EventLoop
        private let roots: String?

        /// The transport on the process's client loop.
        ///
        /// `wss://` is TLS 1.2 or 1.3. The server's certificate must be made for the host in the URL,
        /// a name or an address, and lead to a root that is trusted.
        ///
        /// - Parameter roots: a file of root certificates (PEM) to trust in place of the system's,
        ///   which are also those in the environment variable `SSL_CERT_FILE`.
        public init(trusting roots: String? = nil) {
            self.init(on: Self.sharedLoop, trusting: roots)
        }

        package init(on loop: EventLoop, trusting roots: String? = nil) {
            self.loop = loop
            self.roots = roots
        }

        /// The event loop.
        public var executor: any TransportExecutor { loop }

        /// Starts to connect.
        public func connect(
            to url: String, subprotocol: String,
            handler: @escaping @Sendable (TransportEvent) -> Void
        ) -> any TransportConnection {
            WebSocketTransportConnection(
                on: loop, ServerURL(url), trusting: roots, subprotocol: subprotocol,
                handler: handler)
        }

        private static let sharedLoop: EventLoop = {
            do {
                return try EventLoop(name: "storecast-client")
            } catch {
                preconditionFailure("No event loop for clients could be started: \(error)")
            }
        }()
    }

    extension EventLoop: TransportExecutor {
        /// Runs `work` on the loop later; from any thread.
        public func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
            execute { [self] in schedule(after: delay, work) }
        }
    }

    extension WebSocketClientConfiguration {
        /// To a server's URL.
        package init(_ url: ServerURL, subprotocol: String = ProtocolVersion.subprotocol) {
            self.init(
                host: url.host, port: url.port, path: url.path, tls: url.isSecure,
                subprotocols: [subprotocol])
        }
    }

    /// One connection of a ``WebSocketTransport``.
    final class WebSocketTransportConnection: TransportConnection, WebSocketClientDelegate {
        private let handler: @Sendable (TransportEvent) -> Void
        private var client: WebSocketClient?

        init(
            on loop: EventLoop, _ url: ServerURL?, trusting roots: String?, subprotocol: String,
            handler: @escaping @Sendable (TransportEvent) -> Void
        ) {
            self.handler = handler
            guard let url else {
                loop.execute {
                    handler(
                        .closed(
                            code: 1008, reason: "",
                            problem: "The address must look like ws://host:port/path."))
                }
                return
            }
            var configuration = WebSocketClientConfiguration(url, subprotocol: subprotocol)
            configuration.certificateAuthorityFile = roots
            let client = WebSocketClient(on: loop, configuration: configuration, delegate: self)
            self.client = client
            client.connect()
        }

        func send(_ text: [UInt8]) {
            // If it can't be queued the connection ends, and the next one sends everything again.
            guard let client, client.isConnected, !client.send(text) else { return }
            client.close(code: CloseCode.goingAway.rawValue)
        }

        func close(code: UInt16, reason: String) {
            client?.close(code: code, reason: reason)
        }

        func connected(_ client: WebSocketClient, subprotocol: String?) {
            handler(.opened)
        }

        func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
            handler(.received(text))
        }

        func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?) {
            self.client = nil
            handler(.closed(code: code, reason: reason, problem: error))
        }
    }
#endif
