import StorecastWebSocket

/// A connection whose room lives on another loop.
final class Relay {
    let connection: WebSocketConnection
    let home: Int
    /// Something was written, and the other loop hasn't heard that more may come.
    var owesWritable = false
    private var flow = RelayFlow()

    init(_ connection: WebSocketConnection, home: Int) {
        self.connection = connection
        self.home = home
    }

    /// So many bytes were handed to the other loop.
    func sent(_ bytes: Int) { setReading(flow.sent(bytes)) }

    /// The other loop has taken so many bytes.
    func taken(_ bytes: Int) { setReading(flow.taken(bytes)) }

    /// The session wants to be sent more, or not.
    func want(_ reads: Bool) { setReading(flow.want(reads)) }

    private func setReading(_ reads: Bool?) {
        guard let reads else { return }
        if reads { connection.resumeReading() } else { connection.pauseReading() }
    }
}
