import Glibc
import Testing

/// A WebSocket client of plain system calls, which reads only when it is told to.
///
/// It speaks just enough of RFC 6455: its frames are masked with zeros, and it takes unmasked text
/// frames of any length.
final class RawClient {
    private let socket: Int32
    private var buffer: [UInt8] = []

    /// Connects and upgrades.
    init(port: UInt16, receiveBuffer: Int32 = 4096) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var size = receiveBuffer
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0, "connect: errno \(errno)")
        try write(
            Array(
                """
                GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n\
                Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
                Sec-WebSocket-Protocol: storecast.v1\r\n\r\n
                """.utf8))
        let blank = Array("\r\n\r\n".utf8)
        while true {
            if buffer.count >= 4,
                let end = buffer.indices.dropLast(3).first(where: {
                    Array(buffer[$0..<$0 + 4]) == blank
                })
            {
                buffer.removeFirst(end + 4)
                return
            }
            try fill()
        }
    }

    deinit {
        close(socket)
    }

    /// Sends one text message.
    func send(_ text: String) throws {
        let payload = Array(text.utf8)
        var frame: [UInt8] = [0x81]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else {
            frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        }
        try write(frame + [0, 0, 0, 0] + payload)
    }

    /// The next text message.
    func receive() throws -> String {
        while true {
            if let message = takeMessage() { return message }
            try fill()
        }
    }

    private func takeMessage() -> String? {
        while buffer.count >= 2 {
            var header = 2
            var length = Int(buffer[1] & 127)
            let extra = length < 126 ? 0 : length == 126 ? 2 : 8
            guard buffer.count >= 2 + extra else { return nil }
            if extra > 0 { length = buffer[2..<2 + extra].reduce(0) { $0 << 8 | Int($1) } }
            header += extra
            guard buffer.count >= header + length else { return nil }
            let isText = buffer[0] == 0x81
            let payload = buffer[header..<header + length]
            defer { buffer.removeFirst(header + length) }
            if isText { return String(decoding: payload, as: UTF8.self) }
        }
        return nil
    }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        repeat {
            count = recv(socket, &chunk, chunk.count, 0)
        } while count < 0 && errno == EINTR
        try #require(count > 0, "The server sent nothing more (errno \(errno)).")
        buffer += chunk[..<count]
    }

    private func write(_ bytes: [UInt8]) throws {
        let sent = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        try #require(sent == bytes.count, "The server took \(sent) bytes (errno \(errno)).")
    }
}
