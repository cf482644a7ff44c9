import CLibWebSockets
import Glibc
import Synchronization

/// One WebSocket, of a server or inside a client. Belongs to its loop's thread.
///
/// Back-pressure: while a part of the last write is still in memory, `isWritable` is false and no
/// write is taken; the owner is told when it is true again. So a peer that doesn't read costs at
/// most one write of memory.
package final class WebSocketConnection: LoopSocket {
    /// Unique among the connections of the process; counts up.
    package let id: UInt64
    /// Whatever the delegate keeps for this connection: its session.
    package var context: AnyObject?
    /// The subprotocol that was agreed on.
    package internal(set) var subprotocol: String?
    /// The most bytes that wait in memory for the peer: of what was written last, those that
    /// couldn't be sent at once; otherwise 0.
    package internal(set) var pendingBytes = 0

    /// How many bytes are held for the peer, or of a message of its that isn't whole.
    package var heldBytes: Int { pendingBytes + frames.assembler.count }

    enum Phase { case handshaking, answering, open, closing, gone }

    let core: LoopCore
    var phase = Phase.handshaking
    /// While the handshake lasts: the request, once it is accepted.
    var request: UpgradeRequest?
    /// The loop's milliseconds when something last came from the peer.
    private(set) var lastActivity: UInt64
    var isLagging = false
    private var isEnding = false
    private(set) var isReadingPaused = false
    /// Server: when the message began to come that isn't whole yet; 0 if there is none.
    var messageBegan: UInt64 = 0
    /// Server: counts what is held of messages that aren't whole.
    var unfinished: UnfinishedMessages?
    /// Since when the peer has taken nothing of what waits for it, as far as was looked; 0 if
    /// nothing waits.
    private var stalled: (since: UInt64, taken: UInt64) = (0, 0)

    var wsi: OpaquePointer?
    var owner: (any WebSocketConnectionOwner)?
    /// Until the opening handshake is over.
    var handshake: HandshakeRole?
    var frames: FrameReader
    /// Server: reads what the peer sends, from its request on.
    var reader: SocketReader?
    /// Server: what has come of the request.
    var head: [UInt8] = []
    /// Server: the answer to a plain request, until it is sent.
    var answer: HTTPResponse?
    /// Server: how many plain requests were answered.
    var answerCount = 0
    /// Server: whether it was left open for another request.
    var isKept = false
    /// Server: until when, in the loop's milliseconds, the request has to be there, or its answer
    /// taken.
    var due: UInt64 = 0
    /// Server: the newest pings that are to be answered.
    var pendingPings: [[UInt8]] = []
    /// Whether it ends as soon as nothing waits in memory any more.
    var endsWhenWritten = false
    /// Whether nothing is written any more, behind what waits in memory.
    var isLastWritten = false
    /// How it ends, as soon as that is known.
    var ending: CloseFrame?
    var problem: String?
    /// Nil on a server, whose frames aren't masked.
    private var masker: FrameMasker?

    init(
        core: LoopCore, handshake: HandshakeRole, maxMessageBytes: Int
    ) {
        id = ConnectionIdentifier.next()
        self.core = core
        self.handshake = handshake
        frames = FrameReader(limit: maxMessageBytes)
        switch handshake {
        case .server(let server): owner = server
        case .client(let client):
            owner = client
            masker = FrameMasker()
        }
        lastActivity = core.milliseconds
    }

    /// Whether a write is taken now: the connection is open and nothing waits in memory.
    package var isWritable: Bool { phase == .open && !isLagging }

    /// Sends ready-made frames, as they are, in one system call if the system takes them.
    ///
    /// The bytes are copied only as far as the system can't take them at once; afterwards
    /// `isWritable` is false until the owner hears that it is writable.
    ///
    /// - Returns: false, and nothing is sent, if `isWritable` was false.
    @discardableResult
    package func write(raw frames: UnsafeRawBufferPointer) -> Bool {
        guard isWritable else { return false }
        transmit(frames)
        return true
    }

    /// Sends ready-made frames; as `write(raw:)`.
    @discardableResult
    package func write(_ frames: [UInt8]) -> Bool {
        frames.withUnsafeBytes { write(raw: $0) }
    }

    /// Ends the connection with a close handshake (RFC 6455 section 7.1.2).
    ///
    /// What was written before is sent first, and the ready-made `last` frames, which are taken
    /// even while `isWritable` is false. From now on nothing is received or written; the owner
    /// hears `closed` when the peer has answered or its time is up. Does nothing the second time.
    package func close(code: UInt16, reason: String = "", behind last: [UInt8] = []) {
        guard phase == .open else {
            if phase == .handshaking || phase == .answering { kill() }
            return
        }
        phase = .closing
        let frame = CloseFrame(code: code, reason: reason)
        ending = frame
        resumeReading()
        last.withUnsafeBytes { transmit($0) }
        frame.payload.withUnsafeBytes { send(.close, $0) }
        owner?.closeQueue.add(self)
    }

    /// Stops reading, so that TCP holds the peer back; what was read may still be delivered.
    package func pauseReading() {
        guard !isReadingPaused, phase == .open, let wsi else { return }
        isReadingPaused = true
        if let reader { reader.pause() } else { lws_rx_flow_control(wsi, 0) }
    }

    /// Reads again.
    package func resumeReading() {
        guard isReadingPaused, let wsi else { return }
        isReadingPaused = false
        noteActivity()
        // It may have come already.
        if messageBegan > 0 { messageBegan = lastActivity }
        if let reader { reader.resume() } else { lws_rx_flow_control(wsi, 1) }
    }

    /// Ends the connection without a close frame, and tells the owner why (code 1006).
    func fail(_ sentence: String) {
        guard phase != .gone else { return }
        if ending == nil {
            ending = CloseFrame(code: 1006, reason: sentence)
            problem = sentence
        }
        phase = phase == .handshaking ? .handshaking : .closing
        kill()
    }

    /// Ends it without a close handshake, when it is its turn; the callbacks follow. A connection
    /// that the library doesn't have yet ends at once.
    func kill() {
        if wsi == nil { return abandon() }
        guard !isEnding else { return }
        isEnding = true
        core.end(self)
    }

    /// Ends the library's object with the next service of its timers.
    func endNow() {
        guard let wsi else { return abandon() }
        sc_lws_kill(wsi)
        core.serviceLibrary()
    }

    /// A reference for the library's object that is about to be made; `libraryDestroyed` follows.
    func retainForLibrary() -> UnsafeMutableRawPointer {
        core.sockets[id] = self
        return Unmanaged.passRetained(self).toOpaque()
    }

    /// The library made its object.
    func attach(_ wsi: OpaquePointer) { if phase != .gone { self.wsi = wsi } }

    /// The library is about to destroy its object.
    func detach() { wsi = nil }

    /// Sends a close frame and doesn't wait for its answer: the loop stops.
    func leave() {
        guard phase == .open else { return }
        phase = .closing
        ending = CloseFrame(code: 1001, reason: "The event loop stops.")
        CloseFrame(code: 1001).payload.withUnsafeBytes { send(.close, $0) }
    }

    func ping() {
        guard isWritable else { return }
        // Not empty: the library hides the answer to an empty one.
        withUnsafeBytes(of: id.littleEndian) { send(.ping, $0) }
    }

    func noteActivity() { lastActivity = core.milliseconds }

    /// Server: what the peer has put off for longer than it may, whatever else it sends; nil if
    /// nothing. To be asked from time to time, as it compares with the last time.
    func lapse(
        stallLimit: UInt64, messageLimit: UInt64
    ) -> (limit: WebSocketLimit, sentence: String)? {
        let now = core.milliseconds
        if !isLagging {
            stalled.since = 0
        } else if let taken = reader?.acknowledgedBytes {
            if stalled.since == 0 || stalled.taken != taken { stalled = (now, taken) }
            if now - stalled.since >= stallLimit {
                return (
                    .stallTimeout,
                    "The peer took nothing of what it was sent for \(stallLimit / 1000) s."
                )
            }
        }
        guard messageBegan > 0, !isReadingPaused, now - messageBegan >= messageLimit
        else { return nil }
        return (
            .messageTimeout, "A message of the peer took longer than \(messageLimit / 1000) s."
        )
    }

    func send(_ opcode: WebSocketFrameHeader.Opcode, _ payload: UnsafeRawBufferPointer) {
        core.withScratch { scratch in
            if masker == nil {
                WebSocketFrameHeader.append(opcode, payloadLength: payload.count, to: &scratch)
                scratch.append(contentsOf: payload)
            } else {
                masker?.append(opcode, payload, to: &scratch)
            }
            scratch.withUnsafeBytes { transmit($0) }
        }
    }

    /// A server sends by itself, and gives the library what the system doesn't take at once, unless
    /// it is encrypted: the library takes twice as long for what can be sent.
    private func transmit(_ bytes: UnsafeRawBufferPointer) {
        guard let wsi, !bytes.isEmpty else { return }
        if let reader, reader.isEncrypted {
            if reader.send(bytes) == nil {
                return fail("The connection broke while something was sent.")
            }
            pendingBytes = reader.unsentBytes
            isLagging = pendingBytes > 0
            return
        }
        let sent = isLagging ? 0 : reader?.send(bytes) ?? 0
        guard sent < bytes.count, let start = bytes.baseAddress else { return }
        if sc_lws_write_raw(wsi, start + sent, bytes.count - sent) < 0 {
            fail("The connection broke while something was sent.")
            return
        }
        guard lws_partial_buffered(wsi) != 0 else { return }
        isLagging = true
        pendingBytes += bytes.count - sent
    }
}

/// Counts the connections of the whole process, so that a number in a log says which one.
enum ConnectionIdentifier {
    private static let last = Atomic<UInt64>(0)

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The server or client that a connection belongs to: what it hears of an open connection.
protocol WebSocketConnectionOwner: AnyObject {
    /// The connections that have sent a close frame and wait for the peer's.
    var closeQueue: DeadlineQueue { get }

    func opened(_ connection: WebSocketConnection)
    /// A whole message. The bytes are valid during the call.
    func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer)
    /// Server: so many frames that are no messages: pings, pongs and small fragments.
    func received(_ connection: WebSocketConnection, oddments: Int)
    func writable(_ connection: WebSocketConnection)
    /// After `opened`, exactly once. `error` is a sentence unless the end was a close handshake.
    func closed(_ connection: WebSocketConnection, _ frame: CloseFrame, error: String?)
    /// The last call for a connection, opened or not.
    func removed(_ connection: WebSocketConnection)
}

extension WebSocketConnectionOwner {
    func received(_ connection: WebSocketConnection, oddments: Int) {}
}

/// The owner of a server's connections: answers the requests with which they begin.
protocol HandshakeServer: WebSocketConnectionOwner {
    /// Decides about a request for a WebSocket; nil to go on, else the answer to send.
    func confirmUpgrade(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPResponse?
    /// Answers a request that isn't for a WebSocket.
    func answer(_ connection: WebSocketConnection, _ wsi: OpaquePointer) -> HTTPResponse
    /// The system didn't take all of the answer at once; the rest is sent as the peer reads.
    func answering(_ connection: WebSocketConnection)
    /// Whether a plain connection may stay open for another request, which has a time limit from
    /// `awaitsRequest` on.
    func keeps(_ connection: WebSocketConnection) -> Bool
    func awaitsRequest(_ connection: WebSocketConnection)
    /// The connection is ended, as its encryption couldn't be agreed on; `problem` is a part of a
    /// sentence.
    func encryptionFailed(_ connection: WebSocketConnection, _ problem: String)
}

/// The owner of a client's connection: sends the request with which it begins.
protocol HandshakeClient: WebSocketConnectionOwner {
    /// Headers for the request, as lines.
    func requestHeaders() -> [UInt8]
    /// Whether the server's answer is accepted.
    func checkAnswer(_ wsi: OpaquePointer) -> Bool
    /// The connection wasn't made; `text` is the library's reason.
    func failedToConnect(_ connection: WebSocketConnection, _ wsi: OpaquePointer, _ text: String)
}

/// Which side of the opening handshake a connection is on, and its owner there.
enum HandshakeRole {
    case server(any HandshakeServer)
    case client(any HandshakeClient)
}
