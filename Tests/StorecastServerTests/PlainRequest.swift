import Dispatch
import Glibc

/// A request over a socket of its own, of any bytes.
enum PlainRequest {
    /// The request for a WebSocket, with these headers too, each a line.
    static func upgrade(
        _ headers: String = "Sec-WebSocket-Protocol: storecast.v1\r\n",
        host: String? = "localhost"
    ) -> String {
        let lines = [
            "GET / HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        return (lines + (host.map { ["Host: \($0)"] } ?? [])).map { $0 + "\r\n" }.joined() + headers
            + "\r\n"
    }

    /// A text of at most 125 bytes as a client frames it, masked with zeros (RFC 6455, section
    /// 5.2).
    static func frame(_ text: String) -> [UInt8] {
        precondition(text.utf8.count < 126)
        return [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + text.utf8
    }

    /// Sends a text and returns all that comes until the connection ends.
    static func answer(to text: String, at url: String) async throws -> String {
        try await answer(to: Array(text.utf8), at: url)
    }

    /// A connection with a time limit on every read; the caller closes it.
    static func connect(_ url: String) throws -> Int32 {
        let port = url.split(separator: ":").last.flatMap { UInt16($0.dropLast()) } ?? 0
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(code: errno) }
        return descriptor
    }

    /// Waits on a thread of its own: the server's authentication may need those of tasks.
    static func answer(to bytes: [UInt8], at url: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try waitForAnswer(to: bytes, at: url) })
            }
        }
    }

    private static func waitForAnswer(to bytes: [UInt8], at url: String) throws -> String {
        let descriptor = try connect(url)
        defer { close(descriptor) }
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0
        else { throw Failure(code: errno) }
        return String(decoding: try readToEnd(descriptor), as: UTF8.self)
    }

    private static func readToEnd(_ descriptor: Int32) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno != ECONNRESET { throw Failure(code: errno) }
            if count <= 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    struct Failure: Error {
        let code: Int32
    }
}
