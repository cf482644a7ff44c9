import StorecastRoom
import StorecastWebSocket
import StorecastWire

/// A session's way to its client: a connection of this loop, or one that another loop holds.
protocol SessionLink: ServerLink {
    var credentials: Credentials { get }
    var session: ServerSession? { get set }
    /// Those who are told of its messages; usually none.
    var observers: [any ConnectionObserver] { get set }
    var record: ConnectionRecord { get set }
    var core: ServerLoopCore { get }
}

extension SessionLink {
    var peerNetwork: String { HostName(address: credentials.address).network }
    /// By its own address, which a proxy on this machine also has: not the others that lead here.
    var isLocal: Bool {
        let host = HostName(address: credentials.address)
        return host.network == "127.0.0.1" || host == HostName(address: "::1")
    }

    func noteReceived(_ bytes: Int) {
        record.messagesIn += 1
        record.bytesIn += bytes
        core.traffic.messagesIn += 1
        core.traffic.bytesIn += bytes
        for observer in observers { observer.received(bytes) }
    }

    func noteSent(_ messages: [ServerMessage]) {
        core.traffic.bytesOut += record.countSent(messages)
        core.traffic.messagesOut += messages.count
        for observer in observers { observer.sent(messages) }
    }
}

/// A connection whose room lives on the same loop.
final class LocalLink: SessionLink {
    let credentials: Credentials
    var session: ServerSession?
    var observers: [any ConnectionObserver] = []
    var record: ConnectionRecord
    unowned let core: ServerLoopCore
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection, _ credentials: Credentials, _ core: ServerLoopCore) {
        self.connection = connection
        self.credentials = credentials
        self.core = core
        record = ConnectionRecord(at: core.now)
    }

    var id: UInt64 { connection.id }

    var isWritable: Bool { connection.isWritable }

    var heldBytes: Int { connection.heldBytes }

    func write(_ messages: [ServerMessage]) {
        noteSent(messages)
        connection.write(messages)
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        noteSent(last)
        connection.close(code, reason: reason, behind: last)
    }

    func setReading(_ reads: Bool) {
        if reads { connection.resumeReading() } else { connection.pauseReading() }
    }
}

/// A connection that another loop holds, of a room that lives on this one.
final class RemoteLink: SessionLink {
    let id: UInt64
    let credentials: Credentials
    var session: ServerSession?
    var observers: [any ConnectionObserver] = []
    let origin: Int
    var record: ConnectionRecord
    unowned let core: ServerLoopCore
    private var half = SessionRelay()

    init(id: UInt64, _ credentials: Credentials, from origin: Int, _ core: ServerLoopCore) {
        self.id = id
        self.credentials = credentials
        self.origin = origin
        self.core = core
        record = ConnectionRecord(at: core.now)
    }

    var isWritable: Bool { half.isWritable }

    func write(_ messages: [ServerMessage]) {
        noteSent(messages)
        tellOrigin(half.write(messages))
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        noteSent(last)
        tellOrigin(.close(code, reason: reason, behind: last))
    }

    func setReading(_ reads: Bool) {
        tellOrigin(.reading(reads))
    }

    /// Takes what the loop that holds the connection says of it.
    func take(_ message: RelayMessage.ToSession) {
        switch message {
        case .message(let text):
            noteReceived(text.count)
            text.withUnsafeBytes { session?.receive($0) }
            tellOrigin(.taken(text.count))
        case .oddments(let count):
            session?.receive(oddments: count)
            tellOrigin(.taken(count))
        case .writable:
            half.becameWritable()
            if let session { core.rooms.flush(session) }
        case .closed(let code, let reason): core.end(id, code, reason)
        }
    }

    private func tellOrigin(_ message: RelayMessage.ToConnection) {
        core.post(.toConnection(id, message), to: origin)
    }
}

/// A connection of this loop whose room lives on another.
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

/// What loops say to each other of connections that one of them holds and whose room lives on
/// another. What one loop says to another arrives in order.
enum LoopMessage: Sendable {
    case opened(UInt64, Credentials, origin: Int)
    case toSession(UInt64, RelayMessage.ToSession)
    case toConnection(UInt64, RelayMessage.ToConnection)
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
