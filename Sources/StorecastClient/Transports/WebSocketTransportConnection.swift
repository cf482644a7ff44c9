#if os(Linux)
    import StorecastMirror
    import StorecastSync
    import StorecastWebSocket

    /// One connection of a ``WebSocketTransport``.
    final class WebSocketTransportConnection: TransportConnection, WebSocketClientDelegate {
        private let handler: @Sendable (TransportEvent) -> Void
        private var client: WebSocketClient?

        init(
            on loop: EventLoop, _ url: ServerURL?, subprotocol: String,
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
            let client = WebSocketClient(
                on: loop,
                configuration: WebSocketClientConfiguration(
                    host: url.host, port: url.port, path: url.path, tls: url.isSecure,
                    subprotocols: [subprotocol]),
                delegate: self)
            self.client = client
            client.connect()
        }

        func send(_ text: [UInt8]) {
            // What doesn't fit is lost with the connection, and sent again after it.
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
