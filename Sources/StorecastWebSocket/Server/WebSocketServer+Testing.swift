extension WebSocketServer {
    /// How many connections are open or closing.
    package var connectionCount: Int { heartbeat.count }
}
