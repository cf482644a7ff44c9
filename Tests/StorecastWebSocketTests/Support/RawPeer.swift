import Glibc

/// A TCP client that sends any bytes and reads what comes, with a time limit on every call.
///
/// It blocks; the other side is always a loop with a thread of its own.
final class RawPeer {
    struct Frame: Equatable {
        var opcode: UInt8
        var payload: [UInt8]
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// - Parameter receiveBuffer: the size of the kernel's buffer, for a peer that doesn't read.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        if var bytes = receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { throw Failure(what: "connect", code: errno) }
    }

    deinit { close(descriptor) }

    /// A peer that has done its handshake.
    static func open(
        port: Int, path: String = "/", headers: String = "", receiveBuffer: Int32? = nil
    ) throws -> RawPeer {
        let peer = try RawPeer(port: port, receiveBuffer: receiveBuffer)
        try peer.send(text: Self.request(path: path, headers: headers))
        let head = try peer.readHead()
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw Failure(what: head, code: 0) }
        return peer
    }

    /// The status with which a request for a WebSocket is answered.
    static func status(port: Int) throws -> String {
        let peer = try RawPeer(port: port)
        // Who is refused at once may have been told so, and cut, before.
        try? peer.send(text: request())
        return String(try peer.readHead().split(separator: " ")[1])
    }

    static func request(path: String = "/", version: Int = 13, headers: String = "") -> String {
        """
        GET \(path) HTTP/1.1\r
        Host: 127.0.0.1\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: \(version)\r
        \(headers)\r

        """
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // A process that was stopped for a while hears of it here.
            if count < 0, errno == EINTR { continue }
            if count <= 0 { throw Failure(what: "send", code: errno) }
            sent += count
        }
    }

    /// Says that nothing more will be sent; what comes can still be read.
    func stopSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func send(text: String) throws { try send(Array(text.utf8)) }

    /// Sends one frame; `head` is the first byte: final bit and opcode.
    func send(head: UInt8, _ payload: [UInt8], masked: Bool = true) throws {
        try send(Self.frame(head: head, payload, masked: masked))
    }

    /// The bytes of a client's frame, written down from RFC 6455 section 5.2.
    static func frame(head: UInt8, _ payload: [UInt8], masked: Bool = true) -> [UInt8] {
        let bit: UInt8 = masked ? 0x80 : 0
        var bytes = [head]
        let count = payload.count
        if count < 126 {
            bytes.append(bit | UInt8(count))
        } else if count < 65536 {
            bytes += [bit | 126, UInt8(count / 256), UInt8(count % 256)]
        } else {
            bytes += [bit | 127, 0, 0, 0, 0]
            bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        }
        if !masked { return bytes + payload }
        let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        bytes += mask
        return bytes + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    static func closeFrame(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        frame(head: 0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// Up to the empty line of an HTTP answer.
    func readHead() throws -> String {
        while true {
            if let end = buffer.indices.dropLast(3).first(where: {
                Array(buffer[$0..<($0 + 4)]) == Array("\r\n\r\n".utf8)
            }) {
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 4)
                return head
            }
            guard try fill() else {
                throw Failure(
                    what: "closed in the head: \(String(decoding: buffer, as: UTF8.self))", code: 0)
            }
        }
    }

    /// The next frame of the server; nil at the end of the connection.
    func readFrame() throws -> Frame? {
        while true {
            if let frame = takeFrame() { return frame }
            guard try fill() else { return nil }
        }
    }

    /// So many bytes, which all have to come.
    func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure(what: "closed in the body", code: 0) }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Everything until the end of the connection.
    func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Takes what has come, and drops it; waits for something if nothing has. How many bytes.
    func drop() throws -> Int {
        buffer = []
        _ = try fill()
        return buffer.count
    }

    private func takeFrame() -> Frame? {
        guard buffer.count >= 2 else { return nil }
        var length = Int(buffer[1] & 0x7F)
        var header = 2
        if length >= 126 {
            let extra = length == 126 ? 2 : 8
            header += extra
            guard buffer.count >= header else { return nil }
            length = buffer[2..<header].reduce(0) { $0 << 8 | Int($1) }
        }
        guard buffer.count >= header + length else { return nil }
        let frame = Frame(opcode: buffer[0], payload: Array(buffer[header..<(header + length)]))
        buffer.removeFirst(header + length)
        return frame
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        var count = 0
        repeat {
            count = recv(descriptor, &chunk, chunk.count, 0)
        } while count < 0 && errno == EINTR
        if count > 0 { buffer += chunk[..<count] }
        if count < 0, errno != ECONNRESET { throw Failure(what: "receive", code: errno) }
        return count > 0
    }

    struct Failure: Error, CustomStringConvertible {
        let what: String
        let code: Int32
        var description: String { "\(what) \(code == 0 ? "" : String(cString: strerror(code)))" }
    }
}
