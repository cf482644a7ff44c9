import CLibWebSockets
import Glibc

/// Asks a server one HTTP request at a time, and looks at its certificate: for those who want to
/// know what stands between it and its clients. Waits on the calling thread.
package struct ServerProbe: Sendable {
    /// What a server answered.
    package struct Answer: Sendable {
        package var status: Int
        /// By their names in lower case; of several of a name the last.
        package var headers: [String: String]
        /// The beginning of it, of an answer that isn't an upgrade.
        package var body: String
        package var certificate: CertificateFacts?

        package init(
            status: Int, headers: [String: String], body: String, certificate: CertificateFacts?
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.certificate = certificate
        }
    }

    /// What a server's certificate is worth.
    package struct CertificateFacts: Sendable, Equatable {
        /// Why clients don't trust it, for the host that was asked; nil if they do.
        package var problem: String?
        /// For which names it is, as OpenSSL writes them.
        package var names: String
        /// Until the first of the chain that the server sends ends; below 0 if it has.
        package var daysLeft: Int
        /// Such as `TLSv1.3`.
        package var version: String

        package init(problem: String?, names: String, daysLeft: Int, version: String) {
            self.problem = problem
            self.names = names
            self.daysLeft = daysLeft
            self.version = version
        }
    }

    /// Where the server is; its certificate is looked at, not required to be good.
    package let server: WebSocketClientConfiguration
    private static let mostBytes = 1 << 20

    package init(_ server: WebSocketClientConfiguration) { self.server = server }

    /// Asks for a path.
    ///
    /// - Parameter headers: beside `Host` and `Connection`.
    package func ask(
        _ path: String, headers: [(String, String)] = []
    ) throws(WebSocketError) -> Answer {
        try send([("Connection", "close")] + headers, for: path, isUpgrade: false)
    }

    /// Asks for a WebSocket, as browsers do, and ends the connection once the server has answered.
    package func upgrade(
        subprotocol: String, headers: [(String, String)] = []
    ) throws(WebSocketError) -> Answer {
        try send(
            [
                ("Connection", "Upgrade"), ("Upgrade", "websocket"),
                ("Sec-WebSocket-Version", "13"),
                // The example of RFC 6455, section 1.3.
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
                ("Sec-WebSocket-Protocol", subprotocol),
            ] + headers, for: server.path, isUpgrade: true)
    }

    private func send(
        _ headers: [(String, String)], for path: String, isUpgrade: Bool
    ) throws(WebSocketError) -> Answer {
        let stream = try ProbeStream(to: server)
        var request = "GET \(path) HTTP/1.1\r\nHost: \(server.hostField)\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        try stream.write(Array((request + "\r\n").utf8))
        var bytes: [UInt8] = []
        var head: (status: Int, headers: [String: String], end: Int)?
        while bytes.count < Self.mostBytes {
            let more = try stream.read()
            bytes += more
            if head == nil { head = Self.head(of: bytes) }
            guard !more.isEmpty, !(isUpgrade && head != nil) else { break }
            if let head, let length = head.headers["content-length"].flatMap({ Int($0) }),
                bytes.count - head.end >= length
            {
                break
            }
        }
        guard let head else {
            throw WebSocketError(description: "\(stream.target) doesn't answer as a web server.")
        }
        return Answer(
            status: head.status, headers: head.headers,
            body: isUpgrade ? "" : String(decoding: bytes[head.end...], as: UTF8.self),
            certificate: stream.certificate)
    }

    /// Nil until all of it is there, or if it is none (RFC 9112, section 4).
    private static func head(
        of bytes: [UInt8]
    ) -> (status: Int, headers: [String: String], end: Int)? {
        let text = bytes.prefix(64 << 10)
        guard let range = text.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: text[..<range.lowerBound], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1])
        else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(
                parts[1].drop { $0 == " " || $0 == "\t" })
        }
        return (status, headers, range.upperBound)
    }
}

/// A connection that is waited for, encrypted or not.
private final class ProbeStream {
    private static let patience = 10
    let target: String
    private var descriptor: Int32 = -1
    private var ssl: OpaquePointer?
    private(set) var certificate: ServerProbe.CertificateFacts?
    private let deadline = ContinuousClock.now + .seconds(3 * patience)

    init(to server: WebSocketClientConfiguration) throws(WebSocketError) {
        target = "\(server.host):\(server.port)"
        try connect(to: server)
        if server.tls { try encrypt(to: server) }
    }

    deinit {
        if let ssl { SSL_free(ssl) }
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private func connect(to server: WebSocketClientConfiguration) throws(WebSocketError) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let found = getaddrinfo(server.host, "\(server.port)", &hints, &list)
        guard found == 0 else {
            let reason = String(cString: gai_strerror(found))
            throw WebSocketError(description: "The name \(server.host) wasn't found: \(reason).")
        }
        defer { freeaddrinfo(list) }
        var reason = "it has no address"
        var next = list
        while let entry = next?.pointee {
            let type = entry.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
            descriptor = socket(entry.ai_family, type, entry.ai_protocol)
            guard descriptor >= 0 else { break }
            var time = timeval(tv_sec: Self.patience, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
            if Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return }
            reason = errno == EINPROGRESS ? "it doesn't answer" : String(cString: strerror(errno))
            Glibc.close(descriptor)
            descriptor = -1
            next = entry.ai_next
        }
        throw WebSocketError(description: "Can't connect to \(target): \(reason).")
    }

    private func encrypt(to server: WebSocketClientConfiguration) throws(WebSocketError) {
        let context = try TLSContext(trusting: server.certificateAuthorityFile)
        // Verified all the same, and what comes of it is looked at below.
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_NONE, nil)
        guard let ssl = SSL_new(context.pointer) else {
            throw WebSocketError(description: "TLS can't be used.")
        }
        self.ssl = ssl
        guard sc_tls_expect(ssl, server.host) == 1 else {
            throw WebSocketError(description: "No certificate can be made for \(server.host).")
        }
        SSL_set_fd(ssl, descriptor)
        ERR_clear_error()
        guard SSL_connect(ssl) == 1 else {
            throw WebSocketError(
                description: "\(target) doesn't answer with TLS: \(TLSError.reason).")
        }
        certificate = facts(of: ssl)
    }

    private func facts(of ssl: OpaquePointer) -> ServerProbe.CertificateFacts {
        let result = SSL_get_verify_result(ssl)
        let problem =
            result == Int(X509_V_OK) ? nil : String(cString: X509_verify_cert_error_string(result))
        let chain = SSL_get_peer_cert_chain(ssl)
        let all = (0..<max(0, OPENSSL_sk_num(chain))).compactMap { place in
            OPENSSL_sk_value(chain, place).map { OpaquePointer($0) }
        }
        return ServerProbe.CertificateFacts(
            problem: problem, names: all.first.map(names) ?? "",
            daysLeft: all.map { TLSContext.daysLeft(of: $0) }.min() ?? 0,
            version: String(cString: SSL_get_version(ssl)))
    }

    private func names(of certificate: OpaquePointer) -> String {
        let place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        guard place >= 0, let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        X509V3_EXT_print(memory, X509_get_ext(certificate, place), 0, 0)
        var text = [UInt8](repeating: 0, count: 1024)
        let count = BIO_read(memory, &text, Int32(text.count))
        return String(decoding: text.prefix(Int(max(0, count))), as: UTF8.self)
    }

    func write(_ bytes: [UInt8]) throws(WebSocketError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { rest in
                if let ssl { return Int(SSL_write(ssl, rest.baseAddress, Int32(rest.count))) }
                return Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                throw WebSocketError(description: "\(target) took no request.")
            }
            sent += count
        }
    }

    /// What came; nothing at the end.
    func read() throws(WebSocketError) -> [UInt8] {
        guard .now < deadline else {
            throw WebSocketError(description: "\(target) doesn't answer in time.")
        }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count =
            if let ssl {
                Int(SSL_read(ssl, &bytes, Int32(bytes.count)))
            } else {
                recv(descriptor, &bytes, bytes.count, 0)
            }
        if count < 0, errno == EAGAIN {
            throw WebSocketError(description: "\(target) doesn't answer in time.")
        }
        return Array(bytes.prefix(max(0, count)))
    }
}
