import Glibc
import StorecastWebSocket

/// A WebSocket server that sends every message back, for the Autobahn test suite (`run`). It prints
/// its port, and serves until its standard input ends.
@main
enum EchoServer {
    static func main() async throws {
        let loop = try EventLoop(name: "echo")
        let port = try await loop.perform {
            var configuration = WebSocketServerConfiguration()
            configuration.maxMessageBytes = 64 << 20
            configuration.unfinishedBytes = 64 << 20
            let echo = Echo()
            echo.server = try WebSocketServer(
                on: loop, configuration: configuration, delegate: echo)
            echo.itself = echo
            return echo.server?.port ?? 0
        }
        print(port)
        fflush(nil)
        while readLine() != nil {}
        await loop.shutDown()
    }
}

private final class Echo: WebSocketServerDelegate {
    var server: WebSocketServer?
    /// The server doesn't keep it alive.
    var itself: Echo?
    /// What can't be sent yet, by the connection's id.
    private var waiting: [UInt64: [[UInt8]]] = [:]

    func accept(_ request: UpgradeRequest) -> UpgradeDecision { .accept(subprotocol: nil) }

    func opened(_ connection: WebSocketConnection, _ request: UpgradeRequest) {}

    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {
        var frame: [UInt8] = []
        WebSocketFrameHeader.append(.text, payloadLength: text.count, to: &frame)
        frame += text
        waiting[connection.id, default: []].append(frame)
        writable(connection)
    }

    func writable(_ connection: WebSocketConnection) {
        while connection.isWritable, let frame = waiting[connection.id]?.first {
            connection.write(frame)
            waiting[connection.id]?.removeFirst()
        }
    }

    func closed(_ connection: WebSocketConnection, code: UInt16, reason: String) {
        waiting[connection.id] = nil
    }
}
