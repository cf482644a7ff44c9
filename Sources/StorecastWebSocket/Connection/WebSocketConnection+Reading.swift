import CLibWebSockets
import Glibc

/// Reading what a peer sends. A server reads its sockets here, since libwebsockets passes on
/// payloads only and not the bytes that came.
extension WebSocketConnection {
    /// The most bytes of a request without its body; of its fields the library takes half of that.
    private static let maximumHead = 8 << 10
    /// How many pings wait for an answer at most.
    private static let mostPings = 16

    /// Server: begins to read a request; false if the system can't.
    ///
    /// - Parameter encryption: nil for a connection that isn't encrypted.
    func startReading(_ descriptor: Int32, _ encryption: TLSSession?) -> Bool {
        reader = SocketReader(descriptor, encryption, on: core, for: self)
        guard reader != nil else { return false }
        core.sockets[id] = self
        return true
    }

    /// Server: takes the bytes that came; leaves those that follow a pause of reading.
    func receive(_ bytes: inout UnsafeMutableRawBufferPointer) {
        noteActivity()
        if phase == .handshaking { takeRequest(&bytes) }
        defer {
            let oddments = frames.takeOddments()
            if oddments > 0, phase == .open { owner?.received(self, oddments: oddments) }
        }
        while phase == .open || phase == .closing, !isReadingPaused {
            let step = frames.next(&bytes)
            // Pings are answered before what follows them, whose answer may close the connection.
            if case .ping = step {} else { answerPings() }
            switch step {
            case .more:
                guard frames.isInside else { return }
                if messageBegan == 0 { messageBegan = lastActivity }
                if phase == .open { unfinished?.note(self, frames.assembler.count) }
                return
            case .text(let text):
                messageBegan = 0
                if phase == .open { owner?.received(self, text: text) }
            case .assembled(let text):
                messageBegan = 0
                unfinished?.note(self, 0)
                if phase == .open { text.withUnsafeBytes { owner?.received(self, text: $0) } }
            case .ping(let payload):
                if pendingPings.count == Self.mostPings { pendingPings.removeFirst() }
                pendingPings.append(payload)
            case .pong: break
            case .close(let frame, let isValid):
                peerCloses(frame, isValid: isValid)
                endWhenWritten()
            case .violation(let frame): violated(frame)
            }
        }
        answerPings()
    }

    /// Server: whether a request comes, or may come.
    var awaitsRequest: Bool { phase == .handshaking }

    /// Server: whether a message has begun and isn't whole.
    var isInMessage: Bool { frames.isInside }

    /// Answers pings as long as a write is taken. Of those that come meanwhile only the newest are
    /// kept: one would do (RFC 6455 section 5.5.3), but some peers miss the others.
    func answerPings() {
        while isWritable, !pendingPings.isEmpty {
            pendingPings.removeFirst().withUnsafeBytes { send(.pong, $0) }
        }
    }

    /// The peer's close frame; answered here.
    func peerCloses(_ frame: CloseFrame, isValid: Bool) {
        noteActivity()
        guard phase == .open else { return }
        phase = .closing
        ending = frame
        if !isValid { problem = "The peer sent a bad close frame." }
        CloseFrame(code: frame.code).payload.withUnsafeBytes { send(.close, $0) }
    }

    /// The peer violated the protocol, or a limit.
    func violated(_ frame: CloseFrame) {
        guard phase == .open else { return }
        close(code: frame.code, reason: frame.reason)
        // Nothing follows the close frame, nor does a client's library add one of its own.
        isLastWritten = true
        if !isLagging { endWriting() }
    }

    /// Server: the peer's numeric address; empty if it has gone.
    var peerAddress: String { reader?.peerAddress ?? "" }

    /// Says that nothing more will be written.
    func endWriting() {
        if let reader {
            reader.endWriting()
        } else if let wsi {
            shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR))
        }
    }

    /// Server: the encryption of a connection couldn't be agreed on, or went wrong.
    func encryptionFailed(_ problem: String) {
        if case .server(let server) = handshake { server.encryptionFailed(self, problem) }
        peerEnded(isBroken: true)
    }

    /// Server: nothing more will come.
    func peerEnded(isBroken: Bool) {
        if phase == .open { phase = .closing }
        if isBroken { kill() } else { endWhenWritten() }
    }

    /// Server: ends a connection that the library doesn't have, at once.
    func abandon() {
        guard reader != nil, phase == .handshaking || phase == .answering else { return }
        remove()
    }

    private func endWhenWritten() {
        guard isLagging else { return kill() }
        endsWhenWritten = true
        owner?.closeQueue.add(self)
    }

    /// Takes the request, up to the empty line behind it, and answers it.
    private func takeRequest(_ bytes: inout UnsafeMutableRawBufferPointer) {
        let known = head.count
        head += bytes.prefix(Self.maximumHead - known)
        guard let end = Self.end(of: head, from: max(0, known - 3)) else {
            bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[bytes.endIndex...])
            // Without the end of a request the wait would be long, as for a TLS handshake.
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
            _ = problem.bytes.withUnsafeBytes { reader.send($0) }
            return abandon()
        }
        let head = RequestHead(request)
        if head.asksForUpgrade {
            upgrade(request, reader, library)
        } else {
            respond(to: request, permitsAnother: head.permitsAnother, reader, library)
        }
    }

    /// Has the library read a plain request, and sends what the server answers.
    ///
    /// Not through libwebsockets, which ends the connection with its answer, or spins: while version
    /// 4.1.6 waits until it can write on a plain connection, it doesn't read what comes.
    private func respond(
        to request: [UInt8], permitsAnother: Bool, _ reader: SocketReader, _ library: LibWebSockets
    ) {
        let descriptor = reader.libraryDescriptor(isApart: true)
        guard descriptor >= 0 else { return abandon() }
        phase = .answering
        head = request
        library.read(request, on: descriptor, for: Unmanaged.passUnretained(self).toOpaque())
        head = []
        // What it says itself, about what it can't read.
        reader.relayAnswer()
        guard let answer = answer.take(), let server else { return abandon() }
        answerCount += 1
        let isKept = answer.permitsAnother && permitsAnother && server.keeps(self)
        switch reader.answer(OutgoingResponse(answer.dated(time(nil)), isLast: !isKept)) {
        case .more: server.answering(self)
        case .broken: abandon()
        case .done: answered(isLast: !isKept)
        }
    }

    /// Server: the answer to a plain request was sent.
    func answered(isLast: Bool) {
        guard !isLast, let reader, let server else { return abandon() }
        phase = .handshaking
        server.awaitsRequest(self)
        reader.resume()
    }

    /// Lets the library answer a request for a WebSocket.
    private func upgrade(_ request: [UInt8], _ reader: SocketReader, _ library: LibWebSockets) {
        let descriptor = reader.libraryDescriptor(isApart: false)
        guard descriptor >= 0 else { return abandon() }
        let reference = retainForLibrary()
        head = request
        defer { head = [] }
        switch library.adopt(descriptor, request: request, for: reference) {
        case .alive: break
        case .over: detach()
        case .failed:
            Unmanaged<WebSocketConnection>.fromOpaque(reference).release()
            remove()
        }
        reader.relayAnswer()
        guard phase != .open, phase != .closing, reader.unsentBytes == 0 else { return }
        // The library has answered the request, or refused it.
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
