import StorecastRoom
import StorecastWire

/// A connection that another loop holds, of a room that lives on this one.
final class RemoteLink: SessionLink {
    let id: UInt64
    let credentials: Credentials
    var session: ServerSession?
    var traffic = LinkTraffic()
    let origin: Int
    private var half = SessionRelay()
    private unowned let core: ServerLoopCore

    init(id: UInt64, _ credentials: Credentials, from origin: Int, _ core: ServerLoopCore) {
        self.id = id
        self.credentials = credentials
        self.origin = origin
        self.core = core
    }

    var isWritable: Bool { half.isWritable }

    func write(_ messages: [ServerMessage]) {
        traffic.sent.count(messages)
        say(half.write(messages))
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        traffic.sent.count(last)
        say(.close(code, reason: reason, behind: last))
    }

    func setReading(_ reads: Bool) {
        say(.reading(reads))
    }

    /// Takes what the other loop says; what it says of the end is its owner's.
    func take(_ letter: RelayMessage.ToSession) {
        switch letter {
        case .message(let text):
            traffic.received.count(text.count)
            text.withUnsafeBytes { session?.receive($0) }
            say(.taken(text.count))
        case .writable:
            half.becameWritable()
            if let session { core.rooms.flush(session) }
        case .closed: core.end(id)
        }
    }

    private func say(_ letter: RelayMessage.ToConnection) {
        core.post(.toConnection(id, letter), to: origin)
    }
}
