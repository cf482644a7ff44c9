import StorecastWebSocket

/// A connection whose room lives on another loop.
final class Relay {
    let connection: WebSocketConnection
    let home: Int
    /// Something was written, and the other loop hasn't heard that more may come.
    var owesWritable = false

    init(_ connection: WebSocketConnection, home: Int) {
        self.connection = connection
        self.home = home
    }
}
