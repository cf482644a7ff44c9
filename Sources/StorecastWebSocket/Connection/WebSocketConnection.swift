import CLibWebSockets
import Glibc

/// One WebSocket, of a server or inside a client. Belongs to its loop's thread.
///
/// Writing is pulled: when `isWritable` is false the last write is still partly in memory, nothing
/// more is taken, and the owner is told when it is gone. So a peer that doesn't read costs at most
/// one write.
package final class WebSocketConnection {
    /// Unique among the connections of the process; counts up.
    package let id: UInt64
    /// For the owner: its session.
    package var context: AnyObject?
    /// The subprotocol that was agreed on.
    package internal(set) var subprotocol: String?
    /// The most bytes that wait in memory for the peer: what was written last, while it couldn't be
    /// sent at once; otherwise 0.
    package private(set) var pendingBytes = 0

    enum Phase { case handshaking, answering, open, closing, gone }

    let core: LoopCore
    private(set) var phase = Phase.handshaking
    /// While the handshake lasts: the request, once it is accepted.
    var request: UpgradeRequest?
    /// The loop's milliseconds when something last came from the peer.
    private(set) var lastHeard: UInt64
    private(set) var isLagging = false
    private(set) var isReadingPaused = false

    private var wsi: OpaquePointer?
    private(set) var owner: (any WebSocketConnectionOwner)?
    private var assembler: MessageAssembler
    /// A client's frames are masked, a server's aren't.
    private var masker: FrameMasker?
    /// How it ends, as soon as that is known.
    private var ending: CloseFrame?
    private var problem: String?
    /// What is left of the answer to a plain request.
    private var slowAnswer: SlowAnswer?

    init(
        id: UInt64, core: LoopCore, owner: any WebSocketConnectionOwner, maxMessageBytes: Int,
        isClient: Bool
    ) {
        self.id = id
        self.core = core
        self.owner = owner
        assembler = MessageAssembler(limit: maxMessageBytes)
        masker = isClient ? FrameMasker() : nil
        lastHeard = core.milliseconds
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

    /// Sends several ready-made pieces in one write; as `write(raw:)`. Copies them together.
    @discardableResult
    package func write(frames: [[UInt8]]) -> Bool {
        guard isWritable else { return false }
        if frames.count == 1 { return write(frames[0]) }
        core.withScratch { scratch in
            for frame in frames { scratch.append(contentsOf: frame) }
            scratch.withUnsafeBytes { transmit($0) }
        }
        return true
    }

    /// Sends one text message; as `write(raw:)`.
    @discardableResult
    package func send(text: UnsafeRawBufferPointer) -> Bool {
        guard isWritable else { return false }
        send(.text, text)
        return true
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

    /// Stops reading, so that the peer comes to feel it; what is already on its way may still come.
    package func pauseReading() {
        guard !isReadingPaused, phase == .open, let wsi else { return }
        isReadingPaused = true
        lws_rx_flow_control(wsi, 0)
    }

    /// Reads again.
    package func resumeReading() {
        guard isReadingPaused, let wsi else { return }
        isReadingPaused = false
        heard()
        lws_rx_flow_control(wsi, 1)
    }

    /// Cuts the connection without a word, and says why to the owner (code 1006).
    func fail(_ sentence: String) {
        guard phase != .gone else { return }
        if ending == nil {
            ending = CloseFrame(code: 1006, reason: sentence)
            problem = sentence
        }
        phase = phase == .handshaking ? .handshaking : .closing
        kill()
    }

    /// Ends the library's object with the next service of its timers; the callbacks follow.
    func kill() {
        guard let wsi else { return }
        sc_lws_kill(wsi)
        core.serviceLibrary()
    }

    /// A reference for the library's object that is about to be made; `libraryDestroyed` follows.
    func retainForLibrary() -> UnsafeMutableRawPointer {
        core.connections[id] = self
        return Unmanaged.passRetained(self).toOpaque()
    }

    /// The library made its object.
    func attach(_ wsi: OpaquePointer) { if phase != .gone { self.wsi = wsi } }

    /// Says goodbye without waiting: the loop stops.
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

    func heard() { lastHeard = core.milliseconds }

    private func send(_ opcode: WebSocketFrameHeader.Opcode, _ payload: UnsafeRawBufferPointer) {
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

    private func transmit(_ bytes: UnsafeRawBufferPointer) {
        guard let wsi, let start = bytes.baseAddress, !bytes.isEmpty else { return }
        if sc_lws_write_raw(wsi, start, bytes.count) < 0 {
            fail("The connection broke while something was sent.")
            return
        }
        guard lws_partial_buffered(wsi) != 0 else { return }
        isLagging = true
        pendingBytes = bytes.count
    }
}

// MARK: - What libwebsockets tells

extension WebSocketConnection {
    func confirmUpgrade(_ wsi: OpaquePointer) -> Int32 {
        guard phase == .handshaking, let owner else { return -1 }
        guard let answer = owner.confirmUpgrade(self, wsi) else { return 0 }
        answer.bytes.withUnsafeBytes { _ = sc_lws_write_raw(wsi, $0.baseAddress, $0.count) }
        return -1
    }

    /// Answers a plain request; -1, which ends the connection, if that is all.
    func answerPlainRequest(_ wsi: OpaquePointer) -> Int32 {
        guard phase == .handshaking, let owner else { return -1 }
        phase = .answering
        var answer = OutgoingAnswer(owner.answer(self, wsi))
        let socket = lws_get_socket_fd(wsi)
        guard case .more = answer.send(to: socket) else { return -1 }
        slowAnswer = SlowAnswer(answer, on: socket, core) { [unowned self] in kill() }
        guard slowAnswer != nil else { return -1 }
        // Nothing more is read, and the owner's limit of time holds instead of the library's.
        lws_rx_flow_control(wsi, 0)
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
        owner.answering(self)
        return 0
    }

    func appendRequestHeaders(_ slot: UnsafeMutableRawPointer?, capacity: Int) -> Int32 {
        guard let slot, let lines = owner?.requestHeaders() else { return 0 }
        guard lines.count < capacity else { return -1 }
        let position = slot.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        guard let target = position.pointee else { return -1 }
        lines.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress {
                target.copyMemory(from: start, byteCount: bytes.count)
            }
        }
        position.pointee = target + lines.count
        return 0
    }

    func checkAnswer(_ wsi: OpaquePointer) -> Int32 {
        phase == .handshaking && owner?.checkAnswer(wsi) == true ? 0 : -1
    }

    func failedToConnect(_ wsi: OpaquePointer, _ text: String) {
        guard phase == .handshaking else { return }
        phase = .gone
        self.wsi = nil
        owner?.failedToConnect(self, wsi, text)
        letGo()
    }

    func established(_ wsi: OpaquePointer) {
        guard phase == .handshaking else { return }
        self.wsi = wsi
        // Not used, but the library tells the beginning of a close only where there is something.
        lws_set_wsi_user(wsi, Unmanaged.passUnretained(self).toOpaque())
        phase = .open
        heard()
        owner?.opened(self)
        request = nil
    }

    func receive(_ bytes: UnsafeRawBufferPointer, from wsi: OpaquePointer) {
        heard()
        guard phase == .open else { return }
        let step = assembler.add(
            bytes, remaining: lws_remaining_packet_payload(wsi),
            isFinal: lws_is_final_fragment(wsi) != 0, isBinary: lws_frame_is_binary(wsi) != 0)
        switch step {
        case .incomplete: break
        case .whole: owner?.received(self, text: bytes)
        case .assembled: assembler.take().withUnsafeBytes { owner?.received(self, text: $0) }
        case .violation(let frame):
            close(code: frame.code, reason: frame.reason)
            // What else is wrong with what comes would make the library send a close frame as well.
            if !isLagging { shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR)) }
        }
    }

    func becameWritable() {
        guard isLagging, let wsi, lws_partial_buffered(wsi) == 0 else { return }
        isLagging = false
        pendingBytes = 0
        if phase == .open { owner?.writable(self) }
    }

    /// The peer's close frame. Answered here, then the library ends the connection.
    func peerCloses(_ payload: UnsafeRawBufferPointer) {
        heard()
        guard phase == .open else { return }
        let (frame, isValid) = CloseFrame.read(payload)
        phase = .closing
        ending = frame
        if !isValid { problem = "The peer sent a bad close frame." }
        CloseFrame(code: frame.code).payload.withUnsafeBytes { send(.close, $0) }
    }

    /// The library closes by itself: the connection broke, or the peer violated the protocol and
    /// the library now waits for the answer to its close frame, for which it gives 5 s.
    func libraryCloses() {
        guard phase == .open else { return }
        phase = .closing
        sayViolation()
        owner?.closeQueue.add(self)
    }

    /// Sends the close frame that the library leaves out, where a control frame is too long or a
    /// length has its highest bit set: it ends such a connection as one that broke.
    private func sayViolation() {
        guard let wsi, masker == nil, !isLagging, lws_get_close_length(wsi) == 0 else { return }
        let socket = lws_get_socket_fd(wsi)
        var next: UInt8 = 0
        let count = recv(socket, &next, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        // At the end of what the peer sends, or where the socket has failed, it did break.
        guard count > 0 || count < 0 && errno == EAGAIN else { return }
        ending = CloseFrame(code: 1002)
        problem = "The peer violated the protocol."
        let frame: [UInt8] = [0x88, 2, 0x03, 0xEA]
        Glibc.send(socket, frame, frame.count, Int32(MSG_NOSIGNAL))
    }

    func libraryClosed(_ wsi: OpaquePointer) {
        if ending == nil, wasOpen { ending = Self.closeFrameOfLibrary(wsi) }
        finish()
    }

    func libraryDestroyed() {
        finish()
        core.connections[id] = nil
        owner?.vanished(self)
        owner = nil
    }

    private var wasOpen: Bool { phase == .open || phase == .closing }

    private func finish() {
        guard phase != .gone else { return }
        let wasOpen = wasOpen
        phase = .gone
        wsi = nil
        if wasOpen {
            let broken = "The connection broke without a close frame."
            let frame = ending ?? CloseFrame(code: 1006)
            owner?.closed(self, frame, error: problem ?? (ending == nil ? broken : nil))
        }
        letGo()
    }

    /// Frees what only an open connection needs; the library may keep its object for a turn more.
    private func letGo() {
        context = nil
        request = nil
        slowAnswer?.cancel()
        slowAnswer = nil
        _ = assembler.take()
    }

    /// What the library itself sent when it found a violation of the protocol.
    private static func closeFrameOfLibrary(_ wsi: OpaquePointer) -> CloseFrame? {
        let length = Int(lws_get_close_length(wsi))
        guard length >= 2, let payload = lws_get_close_payload(wsi) else { return nil }
        return CloseFrame.read(UnsafeRawBufferPointer(start: payload, count: length)).0
    }
}
