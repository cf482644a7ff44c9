import Glibc
package import StorecastWire

/// A blocking WebSocket client that costs next to nothing: it masks with zeros, so that frames are
/// sent as they were written once. It sends whatever bytes it is given, and reads only when it is
/// told to.
package final class RawConnection {
    package let descriptor: Int32
    package private(set) var counter = FrameCounter()
    /// The room's, once the server has welcomed; empty before.
    package private(set) var epoch = ""
    /// When sending and receiving give up; nil for never.
    private let deadline: ContinuousClock.Instant?
    private var buffer: [UInt8] = []
    private var start = 0

    /// Connects, and does the handshake.
    ///
    /// - Parameters:
    ///   - path: the room's.
    ///   - source: where it comes from, see ``PlainSocket/connect(to:from:receiveBuffer:patience:)``.
    ///   - receiveBuffer: the size of the kernel's buffer, in bytes, for one that is not to read.
    ///   - deadline: when everything that it does gives up.
    package convenience init(
        port: Int, path: String = "/", from source: UInt16? = nil, receiveBuffer: Int32? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) throws {
        self.init(
            plain: try PlainSocket.connect(
                to: port, from: source, receiveBuffer: receiveBuffer,
                patience: deadline.map { $0 - .now }),
            deadline: deadline)
        try upgrade(path: path)
    }

    /// A connection without a handshake, of a plain socket.
    package init(plain descriptor: Int32, deadline: ContinuousClock.Instant? = nil) {
        self.descriptor = descriptor
        self.deadline = deadline
    }

    /// Does the handshake.
    package func upgrade(path: String = "/") throws {
        try send(Array(Self.request(path).utf8))
        while !buffer.containsEndOfHead { try fill() }
        guard buffer.starts(with: "HTTP/1.1 101 ".utf8) else {
            let line = buffer.prefix { $0 != UInt8(ascii: "\r") }
            throw Failure("The server refused: " + String(decoding: line, as: UTF8.self))
        }
        buffer.removeFirst(buffer.endOfHead)
    }

    deinit { close(descriptor) }

    /// Says hello under a client id made of `number`, and waits for the welcome.
    ///
    /// - Parameter token: says who it is.
    package func greet(_ number: Int, token: String? = nil) throws {
        try send(Self.frame { $0.write(Self.hello(number, token: token)) })
        switch try nextFrame() {
        case .welcome(let welcome): epoch = welcome.position.epoch
        case .bye(let bye): throw Failure("bye \(bye.code)")
        default: throw Failure("The server didn't welcome.")
        }
    }

    /// The `hello` of a client whose id is made of `number`.
    package static func hello(_ number: Int, token: String? = nil) -> ClientFrame.Hello {
        let digits = String(number, radix: 16)
        var hello = ClientFrame.Hello(
            client: String(repeating: "0", count: 32 - digits.count) + digits)
        hello.token = token
        return hello
    }

    /// Mirrors a selection, and waits for its first value; returns the version of that.
    @discardableResult
    package func subscribe(
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

    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        let flags = Int32(MSG_NOSIGNAL) | (deadline == nil ? 0 : Int32(MSG_DONTWAIT))
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
            }
            if count < 0, errno == EAGAIN {
                try wait(for: POLLOUT)
                continue
            }
            guard count > 0 else { throw Failure("send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until the socket takes or has something; throws at the deadline.
    private func wait(for events: Int32) throws {
        guard let deadline else { return }
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        guard left > 0, poll(&waiting, 1, Int32(left) + 1) > 0 else {
            throw Failure("The time is up.")
        }
    }

    /// Shows the server that somebody is here: nobody reads its pings while frames are counted.
    package func showLife() throws {
        try send([0x8A, 0x81, 0, 0, 0, 0, 0])
    }

    /// The next message's text.
    package func nextMessage() throws -> ArraySlice<UInt8> {
        while true {
            if let (header, length) = frameAtStart(), buffer.count - start >= header + length {
                let opcode = buffer[start] & 0x0F
                let payload = buffer[(start + header)..<(start + header + length)]
                start += header + length
                if opcode == 1 { return payload }
                if opcode == 8 {
                    let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                    throw Failure("The server closed the connection (\(code)).")
                }
            } else {
                try fill()
            }
        }
    }

    /// The next message.
    package func nextFrame() throws -> ServerFrame {
        try nextMessage().withUnsafeBytes { try ServerFrame(reading: $0, limits: .trusted) }
    }

    /// Whether a whole message was read already.
    package var hasMessage: Bool {
        guard let (header, length) = frameAtStart() else { return false }
        return buffer.count - start >= header + length
    }

    /// Reads what has come, and waits for it; counts frames only. Not to be mixed with `nextFrame`.
    package func count(using scratch: UnsafeMutableRawBufferPointer) throws {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        guard count > 0 else { throw Failure("receive", code: count == 0 ? ECONNRESET : errno) }
        counter.add(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    }

    /// Reads and forgets what has come, without waiting; throws if the connection has ended.
    package func drain() throws {
        (buffer, start) = ([], 0)
        let room = 256 << 10
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) {
                recv(descriptor, $0.baseAddress, room, Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { throw Failure("receive", code: count == 0 ? ECONNRESET : errno) }
        }
    }

    /// Sends a `ping`, and reads until the answer: by then, all that was sent before has been read.
    package func settle() throws {
        try send(Self.frame { $0.writePing() })
        while true {
            switch try nextSmallFrame() {
            case .pong: return
            case .bye(let bye): throw Failure("bye \(bye.code)")
            default: break
            }
        }
    }

    /// Reads until all dispatches up to `seq` have an outcome; throws if one is to be sent again.
    package func settle(_ seq: Int) throws {
        var acked: UInt64 = 0
        while acked < seq {
            switch try nextSmallFrame() {
            case .reject(let reject) where reject.retryable:
                throw Failure("reject \(reject.code)")
            case .transaction(_, _, let settled?): acked = settled
            case .bye(let bye): throw Failure("bye \(bye.code)")
            default: break
            }
        }
    }

    /// The next message, unless it has a value, which may be large; nil then.
    private func nextSmallFrame() throws -> ServerFrame? {
        let message = try nextMessage()
        let begins = { (op: String) in message.starts(with: #"{"op":"\#(op)""#.utf8) }
        guard message.count < 4096 || begins("bye") || begins("reject"),
            !begins("snapshot"), !begins("patch")
        else { return nil }
        return try message.withUnsafeBytes { try ServerFrame(reading: $0, limits: .trusted) }
    }

    /// Ends the connection as a machine that is unplugged and started again does: by a reset.
    package func abandon() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// One masked text frame, with a mask of zeros.
    package static func frame(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return frame(writer.bytes)
    }

    /// One masked frame, with a mask of zeros.
    ///
    /// - Parameters:
    ///   - opcode: as RFC 6455 has them: 0 goes on, 1 is text, 8 close, 9 ping, 10 pong.
    ///   - isLast: whether it ends its message.
    package static func frame(
        _ payload: [UInt8], opcode: UInt8 = 1, isLast: Bool = true
    ) -> [UInt8] {
        let count = payload.count
        var frame: [UInt8] = [(isLast ? 0x80 : 0) | opcode]
        if count < 126 {
            frame.append(0x80 | UInt8(count))
        } else if count < 65_536 {
            frame += [0x80 | 126, UInt8(count >> 8), UInt8(count & 255)]
        } else {
            frame.append(0x80 | 127)
            frame += (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        }
        return frame + [0, 0, 0, 0] + payload
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
        if deadline != nil { try wait(for: POLLIN) }
        let room = 64 << 10
        let old = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: room))
        let count = buffer.withUnsafeMutableBytes {
            recv(descriptor, $0.baseAddress! + old, room, 0)
        }
        buffer.removeLast(room - max(0, count))
        guard count > 0 else { throw Failure("receive", code: count == 0 ? ECONNRESET : errno) }
    }

    /// The request of a handshake.
    package static func request(_ path: String = "/") -> String {
        "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Protocol: storecast.v1\r\n\r\n"
    }
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
