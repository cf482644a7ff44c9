import Glibc
import StorecastWire

/// A blocking WebSocket client that costs next to nothing: it masks with zeros, so that frames are
/// sent as they were written once.
final class RawConnection {
    let descriptor: Int32
    private(set) var counter = FrameCounter()
    private var buffer: [UInt8] = []
    private var start = 0

    /// Connects, and does the handshake.
    ///
    /// - Parameter receiveBuffer: the size of the kernel's buffer, in bytes, for one that is not
    ///   to read.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = try PlainSocket.connect(to: port, receiveBuffer: receiveBuffer)
        try send(Array(Self.request.utf8))
        while !buffer.containsEndOfHead { try fill() }
        guard buffer.starts(with: "HTTP/1.1 101 ".utf8) else {
            throw Failure("The server refused: " + String(decoding: buffer, as: UTF8.self))
        }
        buffer.removeFirst(buffer.endOfHead)
    }

    /// A connection without a handshake, of a plain socket.
    init(plain descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Says hello under a client id made of `number`, and waits for the welcome.
    func greet(_ number: Int) throws {
        let digits = String(number, radix: 16)
        let client = String(repeating: "0", count: 32 - digits.count) + digits
        try send(Self.frame { $0.write(ClientFrame.Hello(client: client)) })
        guard case .welcome = try nextFrame() else { throw Failure("The server didn't welcome.") }
    }

    /// Mirrors a selection, and waits for its first value; returns the version of that.
    @discardableResult
    func subscribe(
        _ selection: String, ref: UInt64 = 1, params: JSON? = nil
    ) throws -> UInt64 {
        try send(
            Self.frame { $0.writeSubscribe(ref: ref, select: selection, params: params, at: nil) })
        guard case .subscribed = try nextFrame(),
            case .snapshot(_, let version, _) = try nextFrame()
        else {
            throw Failure("The server sent no snapshot of '\(selection)'.")
        }
        return version
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure("send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Shows the server that somebody is here: nobody reads its pings while frames are counted.
    func showLife() throws {
        try send([0x8A, 0x81, 0, 0, 0, 0, 0])
    }

    /// The next message's text.
    func nextMessage() throws -> ArraySlice<UInt8> {
        while true {
            if let (header, length) = frameAtStart(), buffer.count - start >= header + length {
                let opcode = buffer[start] & 0x0F
                let payload = buffer[(start + header)..<(start + header + length)]
                start += header + length
                if opcode == 1 { return payload }
                if opcode == 8 { throw Failure("The server closed the connection.") }
            } else {
                try fill()
            }
        }
    }

    /// The next message.
    func nextFrame() throws -> ServerFrame {
        try nextMessage().withUnsafeBytes { try ServerFrame(reading: $0, limits: .trusted) }
    }

    /// Whether a whole message was read already.
    var hasMessage: Bool {
        guard let (header, length) = frameAtStart() else { return false }
        return buffer.count - start >= header + length
    }

    /// Reads what has come, and waits for it; counts frames only. Not to be mixed with `nextFrame`.
    func count(using scratch: UnsafeMutableRawBufferPointer) throws {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        guard count > 0 else { throw Failure("receive", code: count == 0 ? ECONNRESET : errno) }
        counter.add(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    }

    /// One masked text frame, with a mask of zeros.
    static func frame(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        let count = writer.bytes.count
        var frame: [UInt8] = [0x81]
        if count < 126 {
            frame.append(0x80 | UInt8(count))
        } else if count < 65_536 {
            frame += [0x80 | 126, UInt8(count >> 8), UInt8(count & 255)]
        } else {
            frame.append(0x80 | 127)
            frame += (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        }
        return frame + [0, 0, 0, 0] + writer.bytes
    }

    private func frameAtStart() -> (header: Int, length: Int)? {
        guard buffer.count - start >= 2 else { return nil }
        let short = Int(buffer[start + 1])
        if short < 126 { return (2, short) }
        let extra = short == 126 ? 2 : 8
        guard buffer.count - start >= 2 + extra else { return nil }
        let length = buffer[(start + 2)..<(start + 2 + extra)].reduce(0) { $0 << 8 | Int($1) }
        return (2 + extra, length)
    }

    private func fill() throws {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        let room = 64 << 10
        let old = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: room))
        let count = buffer.withUnsafeMutableBytes {
            recv(descriptor, $0.baseAddress! + old, room, 0)
        }
        buffer.removeLast(room - max(0, count))
        guard count > 0 else { throw Failure("receive", code: count == 0 ? ECONNRESET : errno) }
    }

    private static let request =
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Protocol: storecast.v1\r\n\r\n"
}

extension [UInt8] {
    fileprivate var containsEndOfHead: Bool { endOfHead > 0 }

    /// The index behind the empty line that ends an HTTP answer's head; 0 if it isn't there.
    fileprivate var endOfHead: Int {
        guard count >= 4 else { return 0 }
        for index in 0...(count - 4) where self[index..<(index + 4)].elementsEqual("\r\n\r\n".utf8)
        {
            return index + 4
        }
        return 0
    }
}
