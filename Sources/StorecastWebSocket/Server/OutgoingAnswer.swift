import Glibc

/// The way of an answer to its peer. Answers that are alike share their body.
struct OutgoingAnswer {
    enum Progress { case done, more, broken }

    /// The most that is written before others get their turn.
    private static let bytesAtOnce = 1 << 20

    private let head: [UInt8]
    private let body: [UInt8]
    private var sent = 0

    init(_ answer: HTTPAnswer) {
        head = answer.head
        body = answer.sendsBody ? answer.body : []
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
