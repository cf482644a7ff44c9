import CLibWebSockets

/// The encryption of one connection, without I/O: makes of the bytes that came what they say, and of
/// what is to be said bytes to send.
///
/// OpenSSL neither reads nor writes a socket. It takes its input from the bytes at hand and leaves
/// its output here, so that a turn costs an encrypted connection one system call, as any other.
final class TLSSession {
    enum End: Equatable {
        /// The peer says nothing more.
        case closed
        /// With what went wrong, as a part of a sentence.
        case failed(String)
    }

    /// How much may come of so many bytes, and of the record (RFC 8446 section 5.2) whose beginning
    /// came before.
    static func largestPlain(of count: Int) -> Int { count + (32 << 10) }

    /// Of what a client says first: a handshake (RFC 8446 section 5.1).
    static let firstByte: UInt8 = 22
    /// The answers to what a peer may only ask for in the handshake, such as another handshake.
    private static let mostAlerts = 16

    private let ssl: OpaquePointer
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var output: [UInt8] = []
    private var alerts = 0

    /// Nil if there is no memory.
    ///
    /// - Parameter server: for a client, the name or numeric address that the server's certificate
    ///   must be made for; nil for a server.
    init?(_ context: TLSContext, to server: String? = nil) {
        guard let method = Self.method, let ssl = SSL_new(context.pointer) else { return nil }
        self.ssl = ssl
        guard let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        sc_tls_set_bio(ssl, bio)
        guard let server else {
            SSL_set_accept_state(ssl)
            return
        }
        SSL_set_connect_state(ssl)
        guard sc_tls_expect(ssl, server) == 1 else { return nil }
    }

    /// Client: appends what begins the handshake.
    func begin(_ result: inout [UInt8]) {
        withOutput(to: &result) {
            ERR_clear_error()
            SSL_do_handshake(ssl)
        }
    }

    deinit { SSL_free(ssl) }

    var isEstablished: Bool { SSL_is_init_finished(ssl) == 1 }

    /// Takes all bytes that came.
    ///
    /// - Parameters:
    ///   - plain: what they say; has room for `largestPlain(of:)` bytes.
    ///   - answer: gets what is to be sent because of them.
    /// - Returns: how many bytes they say, and whether that was the end.
    func decrypt(
        _ bytes: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer,
        answer: inout [UInt8]
    ) -> (count: Int, end: End?) {
        let wasEstablished = isEstablished
        input = bytes
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return withOutput(to: &answer) {
            var count = 0
            while count < plain.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: plain[count...])
                ERR_clear_error()
                let result = SSL_read(ssl, rest.baseAddress, Int32(clamping: rest.count))
                guard result <= 0 else {
                    count += Int(result)
                    continue
                }
                switch SSL_get_error(ssl, result) {
                case SSL_ERROR_WANT_READ: break
                case SSL_ERROR_ZERO_RETURN: return (count, .closed)
                default: return (count, .failed(TLSError.reason))
                }
                break
            }
            // Answers to data and to new keys go with what is written; these are others.
            if wasEstablished, !output.isEmpty { alerts += 1 }
            return (count, alerts > Self.mostAlerts ? .failed("too many alerts") : nil)
        }
    }

    /// Appends what says these bytes; false if the connection can't be written to any more.
    func encrypt(_ bytes: UnsafeRawBufferPointer, to result: inout [UInt8]) -> Bool {
        withOutput(to: &result) {
            var sent = 0
            while sent < bytes.count {
                ERR_clear_error()
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = SSL_write(ssl, rest.baseAddress, Int32(clamping: rest.count))
                guard count > 0 else { return false }
                sent += Int(count)
            }
            return true
        }
    }

    /// Appends what says that nothing more will follow (RFC 8446 section 6.1).
    func close(to result: inout [UInt8]) {
        guard isEstablished else { return }
        withOutput(to: &result) {
            ERR_clear_error()
            SSL_shutdown(ssl)
        }
    }

    private func withOutput<Result>(to bytes: inout [UInt8], _ body: () -> Result) -> Result {
        swap(&bytes, &output)
        defer { swap(&bytes, &output) }
        return body()
    }

    private func take(_ target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, input.count)
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    private static func session(of bio: OpaquePointer?) -> TLSSession? {
        BIO_get_data(bio).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// How OpenSSL reads and writes. Never freed.
    ///
    /// Unsafe for the compiler only: Swift makes it once, before anybody has it, and from then on
    /// OpenSSL only reads it, on any thread.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(sc_bio_type(), "storecast") else { return nil }
        BIO_meth_set_read(method) { bio, target, count in
            let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
            guard let taken = TLSSession.session(of: bio)?.take(target), taken > 0 else {
                sc_bio_retry_read(bio)
                return -1
            }
            return Int32(taken)
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let session = TLSSession.session(of: bio) else { return -1 }
            session.output.append(
                contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()
}
