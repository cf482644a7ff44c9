import CLibWebSockets
import Glibc

/// What a peer sends: on a server all of it is read here, since libwebsockets shows payloads and
/// not the bytes that came.
extension WebSocketConnection {
    /// The most bytes of a request without its body; of its fields the library takes half of that.
    private static let maximumHead = 8 << 10

    /// Server: begins to read a request; false if the system can't.
    func startReading(_ descriptor: Int32) -> Bool {
        reader = SocketReader(descriptor, on: core, for: self)
        guard reader != nil else { return false }
        core.connections[id] = self
        return true
    }

    /// Server: bytes have come. Leaves those behind which reading is paused.
    func receive(_ bytes: inout UnsafeMutableRawBufferPointer) {
        heard()
        if phase == .handshaking { takeRequest(&bytes) }
        while phase == .open || phase == .closing, !isReadingPaused {
            let step = frames.next(&bytes)
            // Before what came behind it, of which the answer may be the last that is said.
            if case .ping = step {} else { answerPing() }
            switch step {
            case .more: return
            case .text(let text): if phase == .open { owner?.received(self, text: text) }
            case .assembled(let text):
                if phase == .open { text.withUnsafeBytes { owner?.received(self, text: $0) } }
            case .ping(let payload): unanswered = payload
            case .pong: break
            case .close(let frame, let isValid):
                peerCloses(frame, isValid: isValid)
                endWhenWritten()
            case .violation(let frame): violated(frame)
            }
        }
        answerPing()
    }

    /// Sends the answer to the newest ping, once (RFC 6455 section 5.5.3), as soon as it can be
    /// sent.
    func answerPing() {
        guard unanswered != nil, isWritable, let payload = unanswered.take() else { return }
        payload.withUnsafeBytes { send(.pong, $0) }
    }

    /// The peer's close frame; answered here.
    func peerCloses(_ frame: CloseFrame, isValid: Bool) {
        heard()
        guard phase == .open else { return }
        phase = .closing
        ending = frame
        if !isValid { problem = "The peer sent a bad close frame." }
        CloseFrame(code: frame.code).payload.withUnsafeBytes { send(.close, $0) }
    }

    /// The peer violated the protocol, or a limit.
    func violated(_ frame: CloseFrame) {
        guard phase == .open, let wsi else { return }
        close(code: frame.code, reason: frame.reason)
        // Nothing more is said, in particular not by the library on a client's side.
        isLastWritten = true
        if !isLagging { shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR)) }
    }

    /// Server: nothing more will come.
    func peerEnded(isBroken: Bool) {
        if phase == .open { phase = .closing }
        if isBroken { kill() } else { endWhenWritten() }
    }

    /// Server: ends at once a connection that the library doesn't have.
    func abandon() {
        guard reader != nil, phase == .handshaking else { return }
        vanish()
    }

    private func endWhenWritten() {
        guard isLagging else { return kill() }
        endsWhenWritten = true
        owner?.closeQueue.add(self)
    }

    /// Takes the request, up to the empty line behind it, and lets the library answer.
    private func takeRequest(_ bytes: inout UnsafeMutableRawBufferPointer) {
        let known = head.count
        head += bytes.prefix(Self.maximumHead - known)
        guard let end = Self.end(of: head, from: max(0, known - 3)) else {
            bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[bytes.endIndex...])
            // A greeting of TLS, for example, would be waited for in vain.
            let isRequest = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= head[0]
            if !isRequest || head.count >= Self.maximumHead { abandon() }
            return
        }
        bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[(end - known)...])
        var request = head.take()
        request.removeLast(request.count - end)
        begin(with: request)
    }

    private func begin(with request: [UInt8]) {
        guard let reader, let library = try? core.libWebSockets() else { return abandon() }
        if let problem = UpgradeRules.problem(head: request) {
            reader.send(problem.bytes)
            return abandon()
        }
        let descriptor = reader.duplicate()
        guard descriptor >= 0 else { return abandon() }
        library.adopt(descriptor, request: request, for: self)
        guard phase != .open, phase != .closing else { return }
        // Answered, or not understood.
        reader.cancel()
        self.reader = nil
        if phase == .handshaking { kill() }
    }

    /// The index behind the first empty line.
    private static func end(of head: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 4 <= head.count {
            if head[index] == 13, head[index + 1] == 10, head[index + 2] == 13,
                head[index + 3] == 10
            {
                return index + 4
            }
            index += 1
        }
        return nil
    }
}
