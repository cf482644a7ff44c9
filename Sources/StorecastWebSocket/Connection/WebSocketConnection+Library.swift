import CLibWebSockets
import Glibc

/// The events of libwebsockets.
extension WebSocketConnection {
    func confirmUpgrade(_ wsi: OpaquePointer) -> Int32 {
        guard phase == .handshaking, let server else { return -1 }
        guard let answer = server.confirmUpgrade(self, wsi) else { return 0 }
        answer.bytes.withUnsafeBytes { _ = sc_lws_write_raw(wsi, $0.baseAddress, $0.count) }
        return -1
    }

    /// Answers a plain request; -1, which ends the connection, if that is all.
    func answerPlainRequest(_ wsi: OpaquePointer) -> Int32 {
        guard phase == .handshaking, let server else { return -1 }
        phase = .answering
        var answer = OutgoingAnswer(server.answer(self, wsi))
        let socket = lws_get_socket_fd(wsi)
        guard case .more = answer.send(to: socket) else { return -1 }
        slowAnswer = SlowAnswer(answer, on: socket, core) { [unowned self] in kill() }
        guard slowAnswer != nil else { return -1 }
        // Nothing more is read; the server's time limit replaces the library's.
        lws_rx_flow_control(wsi, 0)
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
        server.answering(self)
        return 0
    }

    func appendRequestHeaders(_ slot: UnsafeMutableRawPointer?, capacity: Int) -> Int32 {
        guard let slot, let lines = client?.requestHeaders() else { return 0 }
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
        phase == .handshaking && client?.checkAnswer(wsi) == true ? 0 : -1
    }

    func failedToConnect(_ wsi: OpaquePointer, _ text: String) {
        guard phase == .handshaking else { return }
        phase = .gone
        self.wsi = nil
        client?.failedToConnect(self, wsi, text)
        letGo()
    }

    func established(_ wsi: OpaquePointer) {
        guard phase == .handshaking else { return }
        self.wsi = wsi
        // Not used, but the library reports the beginning of a close only where this is set.
        lws_set_wsi_user(wsi, Unmanaged.passUnretained(self).toOpaque())
        phase = .open
        handshake = nil
        // From here on a server reads by itself, and the library never again.
        if reader != nil { lws_rx_flow_control(wsi, 0) }
        heard()
        owner?.opened(self)
        request = nil
    }

    /// Client: a piece of a message.
    func receive(_ bytes: UnsafeRawBufferPointer, from wsi: OpaquePointer) {
        heard()
        guard phase == .open else { return }
        let step = frames.assembler.add(
            bytes, remaining: lws_remaining_packet_payload(wsi),
            isFinal: lws_is_final_fragment(wsi) != 0, isBinary: lws_frame_is_binary(wsi) != 0)
        switch step {
        case .incomplete: break
        case .whole: owner?.received(self, text: bytes)
        case .assembled:
            frames.assembler.take().withUnsafeBytes { owner?.received(self, text: $0) }
        case .violation(let frame): violated(frame)
        }
    }

    func becameWritable() {
        guard isLagging, let wsi, lws_partial_buffered(wsi) == 0 else { return }
        isLagging = false
        pendingBytes = 0
        if endsWhenWritten { return kill() }
        if isLastWritten { shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR)) }
        answerPing()
        if isWritable { owner?.writable(self) }
    }

    /// The library closes by itself: the connection broke, or a client's peer violated the protocol
    /// and the library now waits for the answer to its close frame, for which it gives 5 s.
    func libraryCloses() {
        guard phase == .open else { return }
        phase = .closing
        owner?.closeQueue.add(self)
    }

    func libraryClosed(_ wsi: OpaquePointer) {
        if ending == nil, wasOpen { ending = Self.closeFrameOfLibrary(wsi) }
        finish()
    }

    func libraryDestroyed() { vanish() }

    /// The end of a connection, opened or not: neither the library nor the loop has it any more.
    func vanish() {
        finish()
        core.sockets[id] = nil
        owner?.vanished(self)
        owner = nil
    }

    private var server: (any HandshakeServer)? {
        if case .server(let server) = handshake { server } else { nil }
    }

    private var client: (any HandshakeClient)? {
        if case .client(let client) = handshake { client } else { nil }
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
        handshake = nil
        slowAnswer?.cancel()
        slowAnswer = nil
        _ = frames.assembler.take()
        reader?.cancel()
        reader = nil
        head = []
        unanswered = nil
    }

    /// What the library itself sent when it found a violation of the protocol.
    private static func closeFrameOfLibrary(_ wsi: OpaquePointer) -> CloseFrame? {
        let length = Int(lws_get_close_length(wsi))
        guard length >= 2, let payload = lws_get_close_payload(wsi) else { return nil }
        return CloseFrame.read(UnsafeRawBufferPointer(start: payload, count: length)).0
    }
}
