import StorecastRoom
import StorecastWire

/// The server's end of a connection in memory, and what has come out of it.
final class Wire: ServerLink {
    private(set) var session: ServerSession!
    let id: UInt64
    /// False while the peer doesn't read: nothing more is pulled.
    var isWritable = true
    /// What the peer hasn't read yet.
    private(set) var messages: [ServerMessage] = []
    private(set) var closeCode: CloseCode?
    private(set) var isReading = true
    let peerNetwork: String
    var heldBytes = 0
    /// What the peer said while the server didn't read.
    private var unread: [[UInt8]] = []
    private let loop: TestLoop

    init(to room: any AnyRoom, on loop: TestLoop, from network: String = "") {
        self.loop = loop
        id = 0
        peerNetwork = network
        session = ServerSession(room: room, loop: loop.rooms, link: self)
    }

    /// A connection that the loop begins; without a session if there is no such room.
    init(_ id: UInt64, to path: String, on loop: TestLoop, from network: String = "") {
        self.loop = loop
        self.id = id
        peerNetwork = network
        session = loop.rooms.begin(self, in: path)
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        messages += last
        closeCode = code
    }

    func setReading(_ reads: Bool) {
        isReading = reads
        deliver()
    }

    func write(_ messages: [ServerMessage]) { self.messages += messages }

    /// The peer reads again.
    func resume() {
        isWritable = true
        loop.rooms.flush(session)
    }

    /// Something from the peer, as part of the turn that is going on.
    func push(_ text: [UInt8]) {
        unread.append(text)
        deliver()
    }

    /// Something from the peer, and the end of the turn.
    func say(_ texts: String...) {
        for text in texts { push(Array(text.utf8)) }
        loop.endTurn()
    }

    /// Takes what has come from the server.
    func hear() -> [JSON] { hearMessages().map(\.json) }

    func hearMessages() -> [ServerMessage] {
        defer { messages = [] }
        return messages
    }

    /// Takes the next message, if there is one.
    func hearOne() -> ServerMessage? { messages.isEmpty ? nil : messages.removeFirst() }

    private func deliver() {
        while isReading, closeCode == nil, !unread.isEmpty {
            unread.removeFirst().withUnsafeBytes { session.receive($0) }
        }
    }
}

extension Wire {
    /// A connection that has said hello and heard the answer.
    static func greeted(
        _ room: any AnyRoom, on loop: TestLoop, client: String = .ada, rest: String = "",
        from network: String = ""
    ) -> Wire {
        let wire = Wire(to: room, on: loop, from: network)
        wire.say(hello(client, rest))
        _ = wire.hear()
        return wire
    }

    func dispatch(_ seq: Int, _ type: String, _ payload: String = "{}", base: Int = 0) {
        say(dispatchFrame(seq, type, payload, base: base))
    }
}

func hello(_ client: String = .ada, _ rest: String = "") -> String {
    #"{"op":"hello","proto":1,"client":"\#(client)"\#(rest)}"#
}

func dispatchFrame(
    _ seq: Int, _ type: String, _ payload: String = "{}", base: Int = 0
) -> String {
    """
    {"op":"dispatch","seq":\(seq),"base":\(base),"action":{"type":"\(type)","payload":\(payload)}}
    """
}

extension ServerMessage {
    var json: JSON { parsed(String(decoding: text, as: UTF8.self)) }
}
