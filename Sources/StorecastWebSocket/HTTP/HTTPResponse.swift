import CLibWebSockets
import Glibc

/// A response to a plain HTTP request, after which the connection is closed.
package struct HTTPResponse: Sendable {
    /// For example 200.
    package var status: Int
    /// Headers beside the three that the answer always has (type, length, connection).
    package var headers: [(name: String, value: String)]
    package var contentType: String
    package var body: [UInt8]
    /// False to send the headers of the body alone: for HEAD, and for 304 (Not Modified).
    package var sendsBody = true

    package init(
        status: Int, headers: [(name: String, value: String)] = [],
        contentType: String = "text/plain; charset=utf-8", body: [UInt8]
    ) {
        self.status = status
        self.headers = headers
        self.contentType = contentType
        self.body = body
    }

    /// A sentence as the body.
    package init(
        status: Int, _ text: String, headers: [(name: String, value: String)] = []
    ) {
        self.init(status: status, headers: headers, body: Array((text + "\n").utf8))
    }

    /// All of a short response.
    var bytes: [UInt8] { sendsBody ? head + body : head }

    /// What comes before the body (RFC 9112).
    var head: [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
        head += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return Array((head + "Connection: close\r\n\r\n").utf8)
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 304: "Not Modified"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}

/// Sends the rest of a response that a socket didn't take at once, as the peer reads.
///
/// Not through libwebsockets: while version 4.1.6 waits until it can write on a plain connection,
/// it doesn't read what comes, and so its event loop spins.
final class SlowResponse {
    private let core: LoopCore
    private let descriptor: Int32
    private var response: OutgoingResponse
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private let ended: () -> Void

    /// - Parameters:
    ///   - socket: stays its owner's.
    ///   - ended: called when all is sent, or nothing more can be.
    init?(
        _ response: OutgoingResponse, on socket: Int32, _ core: LoopCore,
        ended: @escaping () -> Void
    ) {
        // libuv watches a descriptor once, and libwebsockets watches this one.
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        self.core = core
        self.response = response
        self.ended = ended
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard uv_poll_init(core.uv, poll, descriptor) == 0 else {
            poll.deallocate()
            close(descriptor)
            return nil
        }
        self.poll = poll
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_poll_start(poll, Int32(UV_WRITABLE.rawValue)) { handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<SlowResponse>.fromOpaque(data).takeUnretainedValue().sendMore()
        }
    }

    /// Sends nothing more.
    func cancel() {
        guard let poll = poll.take() else { return }
        uv_poll_stop(poll)
        core.closeHandle(poll)
        close(descriptor)
    }

    private func sendMore() {
        if case .more = response.send(to: descriptor) { return }
        cancel()
        ended()
    }
}

/// A response that is being sent. Copies of one response share its body.
struct OutgoingResponse {
    enum Progress { case done, more, broken }

    /// The most bytes that are written before other connections get their turn.
    private static let bytesAtOnce = 1 << 20

    private let head: [UInt8]
    private let body: [UInt8]
    private var sent = 0

    init(_ response: HTTPResponse) {
        head = response.head
        body = response.sendsBody ? response.body : []
    }

    /// Writes what the system takes.
    mutating func send(to descriptor: Int32) -> Progress {
        let end = sent + Self.bytesAtOnce
        while sent < min(end, head.count + body.count) {
            let count = sendPart(to: descriptor)
            if count > 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return .more
            } else if errno != EINTR {
                return .broken
            }
        }
        return sent < head.count + body.count ? .more : .done
    }

    private func sendPart(to descriptor: Int32) -> Int {
        let isInHead = sent < head.count
        let start = isInHead ? sent : sent - head.count
        // A body follows its head in the same packet.
        let flags = Int32(MSG_NOSIGNAL | (isInHead && !body.isEmpty ? MSG_MORE : 0))
        return (isInHead ? head : body).withUnsafeBytes {
            let rest = UnsafeRawBufferPointer(rebasing: $0[start...])
            return Glibc.send(descriptor, rest.baseAddress, rest.count, flags)
        }
    }
}
