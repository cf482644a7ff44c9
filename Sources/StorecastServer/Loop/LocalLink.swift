import StorecastSync
import StorecastWebSocket
import StorecastWire

/// A connection whose room lives on the same loop.
final class LocalLink: SessionLink {
    let credentials: Credentials
    var session: ServerSession?
    var traffic = LinkTraffic()
    private unowned let core: ServerLoopCore
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection, _ credentials: Credentials, _ core: ServerLoopCore) {
        self.connection = connection
        self.credentials = credentials
        self.core = core
    }

    var id: UInt64 { connection.id }

    var isWritable: Bool { connection.isWritable }

    func write(_ messages: [ServerMessage]) {
        connection.write(messages)
    }

    func close(_ code: CloseCode, reason: String) {
        core.flushNow(self)
        connection.close(code: code.rawValue, reason: reason)
    }

    func setReading(_ reads: Bool) {
        if reads { connection.resumeReading() } else { connection.pauseReading() }
    }
}

extension WebSocketConnection {
    /// Sends messages as they are, in one write.
    func write(_ messages: [ServerMessage]) {
        if messages.count == 1 {
            messages[0].frame.withUnsafeBytes { _ = write(raw: $0) }
        } else if !messages.isEmpty {
            var frames: [UInt8] = []
            frames.reserveCapacity(messages.reduce(0) { $0 + $1.frameSize })
            for message in messages { frames += message.frame }
            write(frames)
        }
    }
}
