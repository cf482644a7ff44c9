public import StorecastMirror

#if os(Linux)
    extension Transport where Self == WebSocketTransport {
        /// libwebsockets.
        public static var standard: WebSocketTransport { WebSocketTransport() }
    }
#else
    extension Transport where Self == URLSessionTransport {
        /// URLSession.
        public static var standard: URLSessionTransport { URLSessionTransport() }
    }
#endif
