import Glibc

/// A request over a socket of its own, of any bytes.
enum PlainRequest {
    /// Sends a text and returns all that comes until the connection ends.
    static func answer(to text: String, at url: String) throws -> String {
        let port = url.split(separator: ":").last.flatMap { UInt16($0.dropLast()) } ?? 0
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0, send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) > 0
        else { throw Failure(code: errno) }
        return String(decoding: try readToEnd(descriptor), as: UTF8.self)
    }

    private static func readToEnd(_ descriptor: Int32) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno != ECONNRESET { throw Failure(code: errno) }
            if count <= 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    struct Failure: Error {
        let code: Int32
    }
}
