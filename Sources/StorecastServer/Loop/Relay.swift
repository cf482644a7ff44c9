import StorecastRoom
import StorecastWebSocket

/// A connection whose room lives on another loop.
final class Relay {
    let connection: WebSocketConnection
    let home: Int
    var half: ConnectionRelay

    init(_ connection: WebSocketConnection, home: Int, _ limits: SyncLimits) {
        self.connection = connection
        self.home = home
        half = ConnectionRelay(limit: limits.relayedBytes)
    }
}

extension ServerLoopCore {
    /// Something was said by the peer of a connection whose room lives on another loop.
    func relay(_ text: [UInt8], of relay: Relay) {
        post(.toSession(relay.connection.id, .message(text)), to: relay.home)
        relay.half.relayed(text.count)
        advance(relay)
    }

    /// Does what there is to do for a connection now.
    func advance(_ relay: Relay) {
        let connection = relay.connection
        while let step = relay.half.next(isWritable: connection.isWritable) {
            switch step {
            case .write(let messages): connection.write(messages)
            case .read(true): connection.resumeReading()
            case .read(false): connection.pauseReading()
            case .say(let letter): post(.toSession(connection.id, letter), to: relay.home)
            case .close(let code, let reason, let last):
                connection.close(code, reason: reason, behind: last)
            }
        }
    }
}
