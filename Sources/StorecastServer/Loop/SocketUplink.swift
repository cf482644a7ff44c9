import Logging
import StorecastMirror
import StorecastRoom
import StorecastWebSocket
import StorecastWire

/// The connection of a mirrored room to the server that owns it, made again whenever it ends.
final class SocketUplink: EdgeUplink, WebSocketClientDelegate {
    private weak var room: MirroredRoom?
    private unowned let core: ServerLoopCore
    private let name: String
    private let configuration: WebSocketClientConfiguration
    private lazy var client = WebSocketClient(
        on: core.loop, configuration: configuration, delegate: self)
    private var backOff = BackOff(shortest: 0.1, longest: 5)
    private var random = SystemRandomNumberGenerator()
    private var openedAt: Duration?
    /// What the owner said at the end.
    private var bye: ServerFrame.Bye?
    private var isOver = false
    /// Whether its absence was logged.
    private var isMissed = false

    init(of room: MirroredRoom, to upstream: Upstream, on core: ServerLoopCore) {
        self.room = room
        self.core = core
        name = room.name
        configuration = upstream.configuration(for: room.name)
    }

    func connect() {
        isOver = false
        client.connect()
    }

    func send(_ message: [UInt8]) -> Bool { client.isConnected && client.send(message) }

    var isQuick: Bool { client.bufferedBytes < 1 << 20 }
    var hasRoom: Bool { client.bufferedBytes < 8 << 20 }

    func restart(after bye: ServerFrame.Bye?) {
        if let bye { self.bye = bye }
        client.close(code: CloseCode.goingAway.rawValue)
    }

    func stop() {
        isOver = true
        client.close()
    }

    func connected(_ client: WebSocketClient, subprotocol: String?) {
        openedAt = core.now
        if isMissed { core.configuration.logger.log(.info, "upstream is back", [.room: name]) }
        isMissed = false
        room?.connected()
    }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
        core.turnBegan()
        room?.receive(text)
    }

    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?) {
        room?.disconnected()
        if let openedAt { backOff.wasLive(for: core.now - openedAt) }
        openedAt = nil
        guard !isOver else { return }
        if !isMissed {
            isMissed = true
            core.configuration.logger.log(
                .warning,
                "upstream is away: \(error ?? bye?.title ?? "it ended the connection, \(code)")",
                [.room: name])
        }
        let delay = backOff.next(after: bye, using: &random)
        bye = nil
        core.schedule(after: delay) { [weak self] in
            if let self, !isOver { connect() }
        }
    }
}
