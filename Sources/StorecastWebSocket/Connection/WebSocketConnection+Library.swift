import CLibWebSockets
import Glibc

extension LoopCore {
    /// The libwebsockets context of this loop, made when first needed.
    func libWebSockets() throws(WebSocketError) -> LibWebSockets {
        try libWebSockets(calling: webSocketCallback)
    }
}

/// What libwebsockets calls for every event: finds the connection and calls the right method.
///
/// The connection belongs to the library's object for as long as that lives: it is retained when
/// the object is made, and released here when the object is destroyed.
func webSocketCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    // A raw connection, which the CONNECT method makes, would have no time limit.
    if isRaw(reason) { return -1 }
    if reason == LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED, let wsi { attach(wsi) }
    guard let wsi else { return 0 }
    guard let data = lws_get_opaque_user_data(wsi) else { return readPlainRequest(wsi, reason) }
    let reference = Unmanaged<WebSocketConnection>.fromOpaque(data)
    let bytes = UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
    if reason == LWS_CALLBACK_WSI_DESTROY {
        lws_set_opaque_user_data(wsi, nil)
        reference.takeRetainedValue().libraryDestroyed()
        return 0
    }
    // Not released while its own method runs, whatever the delegate does.
    let connection = reference.takeUnretainedValue()
    switch reason {
    case LWS_CALLBACK_CLIENT_RECEIVE:
        connection.receive(bytes, from: wsi)
    case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE:
        connection.becameWritable()
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
        connection.noteActivity()
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return connection.confirmUpgrade(wsi)
    case LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_CLIENT_ESTABLISHED:
        connection.established(wsi)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        let (frame, isValid) = CloseFrame.read(bytes)
        connection.peerCloses(frame, isValid: isValid)
        return -1
    case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL, LWS_CALLBACK_WS_CLIENT_DROP_PROTOCOL:
        connection.libraryCloses()
    case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLIENT_CLOSED:
        connection.libraryClosed(wsi)
    case LWS_CALLBACK_HTTP:
        // It asked for an upgrade, which the library didn't find.
        return -1
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return connection.appendRequestHeaders(input, capacity: length)
    case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
        return connection.checkAnswer(wsi)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        connection.failedToConnect(wsi, String(decoding: bytes, as: UTF8.self))
    case LWS_CALLBACK_CLIENT_HTTP_REDIRECT:
        return -1
    default: break
    }
    return 0
}

/// The library has read a plain request, and is done with it: the connection stays ours. Nothing
/// else becomes of an object without a connection.
private func readPlainRequest(_ wsi: OpaquePointer, _ reason: lws_callback_reasons) -> Int32 {
    guard reason == LWS_CALLBACK_HTTP || reason == LWS_CALLBACK_HTTP_CONFIRM_UPGRADE else {
        return 0
    }
    if reason == LWS_CALLBACK_HTTP, let asker = LibWebSockets.asker(of: wsi) {
        Unmanaged<WebSocketConnection>.fromOpaque(asker).takeUnretainedValue().requestIsRead(wsi)
    }
    return -1
}

/// Ties the object that the library has just made to its connection.
private func attach(_ wsi: OpaquePointer) {
    guard let reference = LibWebSockets.takePendingOwner(of: wsi) else { return }
    lws_set_opaque_user_data(wsi, reference)
    Unmanaged<WebSocketConnection>.fromOpaque(reference).takeUnretainedValue().attach(wsi)
}

private func isRaw(_ reason: lws_callback_reasons) -> Bool {
    reason == LWS_CALLBACK_RAW_ADOPT || reason == LWS_CALLBACK_RAW_CONNECTED
        || reason == LWS_CALLBACK_RAW_RX
}

/// The events of libwebsockets.
extension WebSocketConnection {
    func confirmUpgrade(_ wsi: OpaquePointer) -> Int32 {
        guard phase == .handshaking, let server else { return -1 }
        guard let answer = server.confirmUpgrade(self, wsi) else { return 0 }
        answer.bytes.withUnsafeBytes { _ = sc_lws_write_raw(wsi, $0.baseAddress, $0.count) }
        return -1
    }

    /// A plain request's answer, which is sent when the library has left it.
    func requestIsRead(_ wsi: OpaquePointer) {
        guard phase == .answering, let server else { return }
        answer = server.answer(self, wsi)
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
        releaseResources()
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
        // Its answer to the request, which is short; but nothing may overtake it.
        reader?.relayAnswer()
        isLagging = lws_partial_buffered(wsi) != 0 || reader?.unsentBytes ?? 0 > 0
        noteActivity()
        owner?.opened(self)
        request = nil
    }

    /// Client: a piece of a message.
    func receive(_ bytes: UnsafeRawBufferPointer, from wsi: OpaquePointer) {
        noteActivity()
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
        guard isLagging, let wsi, lws_partial_buffered(wsi) == 0, reader?.unsentBytes ?? 0 == 0
        else { return }
        isLagging = false
        pendingBytes = 0
        if endsWhenWritten { return kill() }
        if isLastWritten { endWriting() }
        answerPings()
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

    func libraryDestroyed() { remove() }

    /// The end of a connection, opened or not: neither the library nor the loop has it any more.
    func remove() {
        finish()
        core.sockets[id] = nil
        unfinished?.note(self, 0)
        owner?.removed(self)
        owner = nil
    }

    var server: (any HandshakeServer)? {
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
        releaseResources()
    }

    /// Frees what only an open connection needs; the library may keep its object for a turn more.
    private func releaseResources() {
        context = nil
        request = nil
        handshake = nil
        _ = frames.assembler.take()
        reader?.cancel()
        reader = nil
        head = []
        answer = nil
        pendingPings = []
    }

    /// What the library itself sent when it found a violation of the protocol.
    private static func closeFrameOfLibrary(_ wsi: OpaquePointer) -> CloseFrame? {
        let length = Int(lws_get_close_length(wsi))
        guard length >= 2, let payload = lws_get_close_payload(wsi) else { return nil }
        return CloseFrame.read(UnsafeRawBufferPointer(start: payload, count: length)).0
    }
}
