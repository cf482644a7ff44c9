import CLibWebSockets
import Glibc

/// A client's connection that carries bytes as they are, for protocols of other servers; it can be
/// encrypted when the two have agreed on that. Belongs to the loop's thread.
///
/// What is sent in a turn of the loop is handed to the system together, at its end. The stream
/// keeps its delegate weakly, and itself while it is open.
package final class ByteStream {
    private let core: LoopCore
    package let host: String
    package let port: Int
    private weak var delegate: (any ByteStreamDelegate)?
    private var connector: HostConnector?
    private var descriptor: Int32 = -1
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private var encryption: TLSSession?
    private var isAgreed = false
    /// What is to be sent, not encrypted yet.
    private var outgoing: [UInt8] = []
    /// What the system didn't take.
    private var unsent: ArraySlice<UInt8> = []
    private var isFlushing = false
    private var isOver = false

    /// Begins to connect; the delegate hears how that ends, at the earliest when this has returned.
    ///
    /// - Parameter host: a name or a numeric address, without brackets.
    package init(
        on loop: EventLoop, to host: String, port: Int, delegate: any ByteStreamDelegate
    ) {
        core = loop.core
        self.host = host
        self.port = port
        self.delegate = delegate
        let connector = HostConnector(on: core, to: host, port: port) { [weak self] result in
            self?.connected(result)
        }
        self.connector = connector
        core.endpoints[ObjectIdentifier(self)] = self
        loop.schedule(after: .zero) { connector.start() }
    }

    /// How many bytes wait to be sent.
    package var bufferedBytes: Int { outgoing.count + unsent.count }

    /// Sends bytes at the end of the turn, behind those before them; when the connection is
    /// encrypted if that was begun. Does nothing once it is over.
    package func send(_ write: (inout [UInt8]) -> Void) {
        if isOver { return }
        write(&outgoing)
        guard !isFlushing else { return }
        isFlushing = true
        core.flushes.append { [weak self] in self?.flush() }
    }

    /// Encrypts all that follows, in both directions; the server's certificate must be trusted and
    /// made for `host`, else the stream ends with a sentence.
    ///
    /// - Parameter file: certificates (PEM) to trust instead of the system's.
    package func encrypt(trusting file: String?) {
        guard encryption == nil, !isOver else { return }
        do throws(WebSocketError) {
            let context = try TLSContext(trusting: file)
            guard let session = TLSSession(context, to: host) else {
                throw WebSocketError(description: "TLS can't be used with \(target).")
            }
            encryption = session
            core.withCipher { cipher in
                session.begin(&cipher)
                transmit(cipher)
            }
        } catch {
            end(error)
        }
    }

    /// Ends it; the delegate hears nothing any more.
    package func close() {
        delegate = nil
        end(nil)
    }

    private var target: String { "\(host):\(port)" }

    private func connected(_ result: Result<Int32, WebSocketError>) {
        connector = nil
        switch result {
        case .failure(let problem): end(problem)
        case .success(let descriptor):
            self.descriptor = descriptor
            let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
            guard uv_poll_init(core.uv, poll, descriptor) == 0 else {
                poll.deallocate()
                Glibc.close(descriptor)
                return end(WebSocketError(description: "\(target) can't be watched."))
            }
            self.poll = poll
            poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
            watch()
            delegate?.connected(self)
            flush()
        }
    }

    private func watch() {
        guard let poll else { return }
        let events = UV_READABLE.rawValue | (unsent.isEmpty ? 0 : UV_WRITABLE.rawValue)
        uv_poll_start(poll, Int32(events)) { handle, status, events in
            guard let data = handle?.pointee.data else { return }
            let stream = Unmanaged<ByteStream>.fromOpaque(data).takeUnretainedValue()
            if UInt32(events) & UV_WRITABLE.rawValue != 0 { stream.becameWritable() }
            if UInt32(events) & UV_READABLE.rawValue != 0 || status < 0 { stream.read(status) }
        }
    }

    /// One system call an event, so that others of the loop get their share.
    private func read(_ status: Int32) {
        guard poll != nil else { return }
        let buffer = core.receiveBuffer
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            // libuv has stopped watching a socket that failed; what came before is read first.
            if status < 0 { watch() }
        } else if count == 0 {
            end(WebSocketError(description: "\(target) ended the connection."))
        } else if status < 0 || errno != EAGAIN && errno != EINTR {
            end(WebSocketError(description: "The connection to \(target) broke."))
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard let encryption else {
            delegate?.received(self, bytes)
            return
        }
        let plain = core.plainBuffer
        var reading: (count: Int, end: TLSSession.End?) = (0, nil)
        core.withCipher { cipher in
            reading = encryption.decrypt(bytes, into: plain, answer: &cipher)
            transmit(cipher)
        }
        if !isAgreed, encryption.isEstablished {
            isAgreed = true
            flush()
        }
        if reading.count > 0 {
            delegate?.received(
                self, UnsafeRawBufferPointer(rebasing: plain[..<reading.count]))
        }
        switch reading.end {
        case nil: break
        case .closed: end(WebSocketError(description: "\(target) ended the connection."))
        case .failed(let reason):
            end(WebSocketError(description: "The encryption with \(target) failed: \(reason)."))
        }
    }

    private func flush() {
        isFlushing = false
        guard poll != nil, !outgoing.isEmpty, encryption == nil || isAgreed else { return }
        var bytes = outgoing.take()
        if let encryption {
            core.withCipher { cipher in
                let isTaken = bytes.withUnsafeBytes { encryption.encrypt($0, to: &cipher) }
                transmit(cipher)
                if !isTaken { end(WebSocketError(description: "\(target) can't be written to.")) }
            }
        } else {
            transmit(bytes)
        }
        guard outgoing.isEmpty, bytes.capacity <= 1 << 18 else { return }
        bytes.removeAll(keepingCapacity: true)
        outgoing = bytes
    }

    private func transmit(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        let sent = unsent.isEmpty ? trySending(bytes[...]) : 0
        guard sent < bytes.count else { return }
        unsent += bytes[sent...]
        watch()
    }

    private func becameWritable() {
        guard !unsent.isEmpty else { return }
        unsent = unsent.dropFirst(trySending(unsent))
        if unsent.isEmpty { watch() }
    }

    /// How many bytes the system takes now. That a connection is broken shows when it is read.
    private func trySending(_ bytes: ArraySlice<UInt8>) -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        return max(0, count)
    }

    private func end(_ problem: WebSocketError?) {
        if isOver { return }
        isOver = true
        core.endpoints[ObjectIdentifier(self)] = nil
        connector?.cancel()
        connector = nil
        if let poll = poll.take() {
            uv_poll_stop(poll)
            core.closeHandle(poll)
            Glibc.close(descriptor)
        }
        (outgoing, unsent) = ([], [])
        delegate?.ended(self, problem ?? WebSocketError(description: "The event loop has stopped."))
    }
}

extension ByteStream: LoopEndpoint {
    func loopStops() { end(nil) }
}

/// What a stream tells its owner. Every call is on the loop's thread.
package protocol ByteStreamDelegate: AnyObject {
    /// The server has taken the connection.
    func connected(_ stream: ByteStream)

    /// Bytes came; they are valid during the call.
    func received(_ stream: ByteStream, _ bytes: UnsafeRawBufferPointer)

    /// It is over, or never began: once, unless the owner closed it.
    func ended(_ stream: ByteStream, _ problem: WebSocketError)
}
