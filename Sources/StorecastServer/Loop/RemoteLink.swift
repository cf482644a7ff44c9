import StorecastSync
import StorecastWire

/// A connection that another loop holds, of a room that lives on this one.
///
/// One write is on its way at a time; the other loop says when it takes the next.
final class RemoteLink: SessionLink {
    let id: UInt64
    let credentials: Credentials
    var session: ServerSession?
    var traffic = LinkTraffic()
    private(set) var isWritable = true
    let origin: Int
    private unowned let core: ServerLoopCore

    init(id: UInt64, _ credentials: Credentials, from origin: Int, _ core: ServerLoopCore) {
        self.id = id
        self.credentials = credentials
        self.origin = origin
        self.core = core
    }

    func write(_ messages: [ServerMessage]) {
        isWritable = false
        core.post(.frames(id, messages), to: origin)
    }

    func close(_ code: CloseCode, reason: String) {
        // The last words needn't wait for the other loop's answer.
        isWritable = true
        core.flushNow(self)
        core.post(.close(id, code, reason), to: origin)
    }

    func setReading(_ reads: Bool) {
        core.post(.reading(id, reads), to: origin)
    }

    /// The other loop has taken what was sent.
    func becameWritable() {
        isWritable = true
        core.flushNow(self)
    }
}
