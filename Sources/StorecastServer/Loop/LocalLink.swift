import StorecastRoom
import StorecastWebSocket
import StorecastWire

/// A connection whose room lives on the same loop.
final class LocalLink: SessionLink {
    let credentials: Credentials
    var session: ServerSession?
    var traffic = LinkTraffic()
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection, _ credentials: Credentials) {
        self.connection = connection
        self.credentials = credentials
    }

    var id: UInt64 { connection.id }

    var isWritable: Bool { connection.isWritable }

    func write(_ messages: [ServerMessage]) {
        traffic.sent.count(messages)
        connection.write(messages)
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        traffic.sent.count(last)
        connection.close(code, reason: reason, behind: last)
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
            write(Self.frames(of: messages))
        }
    }

    /// Closes behind some last messages, which are taken whatever waits already.
    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        close(code: code.rawValue, reason: reason, behind: Self.frames(of: last))
    }

    private static func frames(of messages: [ServerMessage]) -> [UInt8] {
        var frames: [UInt8] = []
        frames.reserveCapacity(messages.reduce(0) { $0 + $1.frameSize })
        for message in messages { frames += message.frame }
        return frames
    }
}
