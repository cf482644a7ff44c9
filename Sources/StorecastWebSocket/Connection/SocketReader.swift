import CLibWebSockets
import Glibc

/// Reads what a client sends, without libwebsockets, into the buffer that a loop's readers share;
/// and sends. Here, and only here, is a server's connection encrypted.
///
/// One system call a turn for each connection that has something, so that all get their share.
/// What was read but not taken, because reading was paused, is kept and delivered first when
/// reading resumes.
final class SocketReader {
    private let core: LoopCore
    private unowned let connection: WebSocketConnection
    private let descriptor: Int32
    private let encryption: TLSSession?
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private var reads = true
    private var unread: [UInt8] = []
    private var resumeTimer: LoopTimer?
    /// Encrypted bytes that the system didn't take yet: of one write, and of what encryption says.
    private var unsent: ArraySlice<UInt8> = []
    private var response: OutgoingResponse?
    private var hasBegun = false
    /// How the peer ended the encryption, which is told behind what it said before.
    private var ending: TLSSession.End?
    /// Where the library's answer to a request is read that came encrypted; else negative.
    private var answerSocket: Int32 = -1

    /// Begins to read.
    ///
    /// - Parameter descriptor: non-blocking; closed by `cancel`, or here if there is no reader.
    init?(
        _ descriptor: Int32, _ encryption: TLSSession?, on core: LoopCore,
        for connection: WebSocketConnection
    ) {
        self.core = core
        self.connection = connection
        self.descriptor = descriptor
        self.encryption = encryption
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard uv_poll_init(core.uv, poll, descriptor) == 0 else {
            poll.deallocate()
            close(descriptor)
            return nil
        }
        self.poll = poll
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        // One whose encryption can't be agreed on is named when it has gone.
        if encryption != nil { _ = peerAddress }
        watch()
    }

    var isEncrypted: Bool { encryption != nil }
    /// The peer's numeric address; empty if it had gone when it was first asked for.
    private(set) lazy var peerAddress = Self.address(of: descriptor)
    /// How many encrypted bytes the system didn't take yet.
    var unsentBytes: Int { unsent.count }

    /// What libwebsockets answers a request on; negative if the process has no more descriptors.
    ///
    /// It is the same connection, as libuv watches a descriptor once; or, if that is encrypted or
    /// the library is to end it without ending the connection (`isApart`), one that ends here, whose
    /// answer `relayAnswer` sends.
    func libraryDescriptor(isApart: Bool) -> Int32 {
        if encryption == nil, !isApart { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        var pair: (Int32, Int32) = (-1, -1)
        guard sc_socket_pair(&pair.0, &pair.1) == 0 else { return -1 }
        answerSocket = pair.0
        return pair.1
    }

    /// Sends what the library has answered on a connection that ends here. Nothing that was read is
    /// looked at afterwards, if there is such an answer: its buffer is used.
    func relayAnswer() {
        guard answerSocket >= 0 else { return }
        let buffer = core.receiveBuffer
        while true {
            let count = recv(answerSocket, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { break }
            _ = send(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        close(answerSocket)
        answerSocket = -1
    }

    /// Sends what the system takes at once; of an encrypted connection it takes all, and keeps what
    /// the system doesn't.
    ///
    /// - Returns: how many bytes were taken, also 0; nil if the connection is broken.
    func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) -> Int? {
        guard let encryption else {
            return trySending(bytes, more: more)
        }
        var isSent = false
        core.withCipher { cipher in
            isSent = encryption.encrypt(bytes, to: &cipher) && transmit(cipher)
        }
        return isSent ? bytes.count : nil
    }

    /// Begins to send an answer, the rest as the peer reads. Nothing more is read until `resume`.
    func answer(_ response: OutgoingResponse) -> OutgoingResponse.Progress {
        self.response = response
        pause()
        return sendResponse()
    }

    /// Nothing more will be sent.
    func endWriting() {
        sayEnd()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// How many bytes the peer has said to have received; 0 if the system doesn't tell.
    var acknowledgedBytes: UInt64 {
        // `tcpi_bytes_acked` of Linux' tcp_info, which glibc's declaration ends before.
        let place = 120
        return withUnsafeTemporaryAllocation(byteCount: place + 8, alignment: 8) { info in
            var size = socklen_t(info.count)
            guard
                getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size)
                    == 0, Int(size) == info.count
            else { return 0 }
            return info.load(fromByteOffset: place, as: UInt64.self)
        }
    }

    func pause() {
        resumeTimer?.cancel()
        resumeTimer = nil
        reads = false
        watch()
    }

    func resume() {
        reads = true
        watch()
        guard !unread.isEmpty, resumeTimer == nil else { return }
        resumeTimer = LoopTimer(on: core, after: .zero) { [weak self] in self?.deliverUnread() }
    }

    /// Reads and sends nothing more, and closes the descriptor.
    func cancel() {
        guard let poll = poll.take() else { return }
        resumeTimer?.cancel()
        resumeTimer = nil
        unread = []
        response = nil
        if unsent.isEmpty { sayEnd() }
        unsent = []
        uv_poll_stop(poll)
        core.closeHandle(poll)
        close(descriptor)
        if answerSocket >= 0 { close(answerSocket) }
    }

    private func watch() {
        guard let poll else { return }
        // What was read before comes first.
        let reads = reads && unread.isEmpty
        let events =
            (reads ? UV_READABLE.rawValue : 0)
            | (unsent.isEmpty && response == nil ? 0 : UV_WRITABLE.rawValue)
        if events == 0 {
            uv_poll_stop(poll)
            return
        }
        uv_poll_start(poll, Int32(events)) { handle, status, events in
            guard let data = handle?.pointee.data else { return }
            let reader = Unmanaged<SocketReader>.fromOpaque(data).takeUnretainedValue()
            if UInt32(events) & UV_WRITABLE.rawValue != 0 { reader.becameWritable() }
            if UInt32(events) & UV_READABLE.rawValue != 0 || status < 0 { reader.read(status) }
        }
    }

    private func read(_ status: Int32) {
        guard poll != nil else { return }
        // Long messages of many don't hold up short ones of others: the rest is read in later turns.
        if status == 0, core.turnBytes >= LoopCore.mostTurnBytes, connection.isInMessage { return }
        let buffer = core.receiveBuffer
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
            let wasInMessage = connection.isInMessage
            take(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            if wasInMessage || poll != nil && connection.isInMessage { core.turnBytes += count }
            // libuv has stopped watching a socket that failed; what came before is read first.
            if status < 0, poll != nil, !connection.isReadingPaused { watch() }
        } else if count == 0 || status < 0 || !Self.isTemporary(errno) {
            end(isBroken: count != 0)
        }
    }

    private func end(isBroken: Bool) {
        let connection = connection
        pause()
        connection.peerEnded(isBroken: isBroken)
    }

    private func take(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let encryption else { return deliver(bytes) }
        if !hasBegun {
            hasBegun = true
            guard bytes[0] == TLSSession.firstByte else { return refusePlain() }
        }
        let plain = core.plainBuffer
        var reading: (count: Int, end: TLSSession.End?) = (0, nil)
        core.withCipher { cipher in
            reading = encryption.decrypt(
                UnsafeRawBufferPointer(bytes), into: plain, answer: &cipher)
            if !cipher.isEmpty, !transmit(cipher), reading.end == nil {
                reading.end = .failed("the connection broke")
            }
        }
        if reading.count > 0 {
            deliver(UnsafeMutableRawBufferPointer(rebasing: plain[..<reading.count]))
        }
        ending = reading.end
        endIfDelivered()
    }

    private func endIfDelivered() {
        guard poll != nil, unread.isEmpty, let ending = ending.take() else { return }
        let connection = connection
        pause()
        switch ending {
        case .closed: connection.peerEnded(isBroken: false)
        case .failed(let problem): connection.encryptionFailed(problem)
        }
    }

    /// Answers who doesn't encrypt, in words that can be read.
    private func refusePlain() {
        let answer = HTTPResponse(
            status: 400, "Connections to this port are encrypted: write https:// or wss://.")
        _ = transmit(answer.bytes)
        connection.encryptionFailed("the client didn't encrypt it")
    }

    /// Delivers what was read before the pause, then reads on.
    private func deliverUnread() {
        resumeTimer = nil
        var bytes = unread.take()
        bytes.withUnsafeMutableBytes { deliver($0) }
        if poll != nil, unread.isEmpty, !connection.isReadingPaused { watch() }
        endIfDelivered()
    }

    private func deliver(_ bytes: UnsafeMutableRawBufferPointer) {
        // Kept alive until the call returns.
        let connection = connection
        var bytes = bytes
        connection.receive(&bytes)
        guard poll != nil else { return }
        unread = Array(bytes)
        // The request behind one that is answered: in a later turn, as those of others.
        if connection.awaitsRequest, !unread.isEmpty { resume() }
    }

    private func becameWritable() {
        // Kept alive until the call returns.
        let connection = connection
        if !unsent.isEmpty {
            guard let sent = unsent.withUnsafeBytes({ trySending($0) }) else {
                return end(isBroken: true)
            }
            unsent = unsent.dropFirst(sent)
            guard unsent.isEmpty else { return }
            unsent = []
            watch()
        }
        guard let response else { return connection.becameWritable() }
        switch sendResponse() {
        case .more: break
        case .broken: connection.kill()
        case .done: connection.answered(isLast: response.isLast)
        }
    }

    private func sendResponse() -> OutgoingResponse.Progress {
        guard var response else { return .done }
        var progress = response.send { bytes, more in
            unsent.isEmpty ? send(bytes, more: more) : 0
        }
        if progress == .done, !unsent.isEmpty { progress = .more }
        self.response = progress == .more ? response : nil
        watch()
        return progress
    }

    private func transmit(_ cipher: [UInt8]) -> Bool {
        cipher.withUnsafeBytes { transmitBytes($0) }
    }

    /// Sends encrypted bytes behind those that wait; false if the connection is broken.
    private func transmitBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let sent = unsent.isEmpty ? trySending(bytes) : 0 else { return false }
        guard sent < bytes.count else { return true }
        unsent += bytes[sent...]
        watch()
        return true
    }

    /// How many bytes the system takes now; nil if the connection is broken.
    private func trySending(_ bytes: UnsafeRawBufferPointer, more: Bool = false) -> Int? {
        let flags = Int32(MSG_NOSIGNAL | (more ? MSG_MORE : 0))
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
        return count >= 0 ? count : Self.isTemporary(errno) ? 0 : nil
    }

    /// Tells an encrypted peer that this is the end, so that nobody else can pretend it.
    private func sayEnd() {
        guard let encryption else { return }
        core.withCipher { cipher in
            encryption.close(to: &cipher)
            _ = transmit(cipher)
        }
    }

    /// The numeric address of a connection's peer; empty if it has gone.
    private static func address(of descriptor: Int32) -> String {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
                    guard let start = buffer.baseAddress,
                        getpeername(descriptor, address, &length) == 0,
                        getnameinfo(address, length, start, 64, nil, 0, NI_NUMERICHOST) == 0
                    else { return "" }
                    let text = String(cString: start)
                    // IPv4 on a socket that takes both (RFC 4291, section 2.5.5.2).
                    return text.hasPrefix("::ffff:") && text.contains(".")
                        ? String(text.dropFirst(7)) : text
                }
            }
        }
    }

    private static func isTemporary(_ code: Int32) -> Bool {
        code == EAGAIN || code == EWOULDBLOCK || code == EINTR
    }
}
