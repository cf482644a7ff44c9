/// Reads what a NATS server sends, in whatever pieces it comes.
///
/// The protocol is text: lines that end with CR LF, some followed by as many bytes as the line says
/// (docs.nats.io, "Client Protocol"). What was read is copied only if it isn't whole.
package struct NATSParser {
    /// What a server says; its bytes are valid during the call that hands it over.
    package enum Operation {
        /// A JSON object about the server, at the beginning and when it changes.
        case info(UnsafeRawBufferPointer)
        case message(Delivery)
        case ping
        case pong
        /// An error, without its quotation marks.
        case error(String)
    }

    /// A message as it comes.
    package struct Delivery {
        package var subject: String
        /// The number of the subscription that it comes by.
        package var subscription: UInt64
        package var reply: String?
        /// With its version line and the empty one at the end; empty if there is none.
        package var head: UnsafeRawBufferPointer
        package var payload: UnsafeRawBufferPointer
    }

    /// The line of a message whose bytes are awaited.
    private struct Announcement {
        var subject: String
        var subscription: UInt64
        var reply: String?
        var headCount: Int
        var count: Int
    }

    /// The longest line that is taken: of INFO, with the addresses of a large cluster.
    package static let longestLine = 256 << 10

    private let mostBytes: Int
    private var pending: [UInt8] = []
    private var announcement: Announcement?
    /// How much of `pending` has been looked through for the end of a line.
    private var searched = 0

    /// - Parameter mostBytes: of one message, its headers included.
    package init(mostBytes: Int = 64 << 20) {
        self.mostBytes = mostBytes
    }

    /// Whether nothing waits for what is still to come.
    package var isEmpty: Bool { pending.isEmpty && announcement == nil }

    /// Takes bytes; calls `body` for each operation that is whole with them, in order.
    ///
    /// - Throws: ``NATSError/violation(_:)``; the connection is of no more use then.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ body: (Operation) -> Void
    ) throws(NATSError) {
        guard !pending.isEmpty else {
            let used = try parse(bytes, body)
            pending = Array(bytes[used...])
            return
        }
        pending += bytes
        if let announcement, pending.count < announcement.count + 2 { return }
        let all = pending
        let result = all.withUnsafeBytes { bytes in
            Result { () throws(NATSError) in try parse(bytes, body) }
        }
        let used = try result.get()
        if used > 0 { pending = Array(all[used...]) }
    }

    /// How many bytes were used.
    private mutating func parse(
        _ bytes: UnsafeRawBufferPointer, _ body: (Operation) -> Void
    ) throws(NATSError) -> Int {
        var used = 0
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            if let announcement {
                guard rest.count >= announcement.count + 2 else { return used }
                guard rest[announcement.count] == 13, rest[announcement.count + 1] == 10 else {
                    throw .violation("NATS sent a message that is longer than it said.")
                }
                self.announcement = nil
                used += announcement.count + 2
                body(.message(Self.delivery(announcement, rest)))
                continue
            }
            guard let end = try endOfLine(rest) else { return used }
            used += end + 2
            if let operation = try line(UnsafeRawBufferPointer(rebasing: rest[..<end])) {
                body(operation)
            }
        }
    }

    private mutating func endOfLine(
        _ bytes: UnsafeRawBufferPointer
    ) throws(NATSError) -> Int? {
        guard let end = bytes[min(searched, bytes.count)...].firstIndex(of: 10) else {
            searched = bytes.count
            guard bytes.count <= Self.longestLine else {
                throw .violation("NATS sent a line of more than \(Self.longestLine) bytes.")
            }
            return nil
        }
        searched = 0
        guard end > 0, bytes[end - 1] == 13 else {
            throw .violation("NATS sent a line without its end.")
        }
        return end - 1
    }

    private mutating func line(_ line: UnsafeRawBufferPointer) throws(NATSError) -> Operation? {
        let end = line.firstIndex { $0 == 32 || $0 == 9 } ?? line.count
        let rest = UnsafeRawBufferPointer(rebasing: line[min(end + 1, line.count)...])
        // A server writes them in capital letters; others are allowed.
        switch String(decoding: line[..<end], as: UTF8.self).uppercased() {
        case "MSG": announcement = try Self.announcement(rest, hasHead: false, upTo: mostBytes)
        case "HMSG": announcement = try Self.announcement(rest, hasHead: true, upTo: mostBytes)
        case "INFO": return .info(rest)
        case "PING": return .ping
        case "PONG": return .pong
        case "+OK": break
        case "-ERR":
            return .error(
                String(decoding: rest, as: UTF8.self).split(separator: "'").first.map(String.init)
                    ?? "no reason given")
        default: throw .violation("What answers isn't NATS.")
        }
        return nil
    }

    /// `subject sid [reply] [head's bytes] bytes`.
    private static func announcement(
        _ line: UnsafeRawBufferPointer, hasHead: Bool, upTo mostBytes: Int
    ) throws(NATSError) -> Announcement {
        let words = line.split { $0 == 32 || $0 == 9 }.map { String(decoding: $0, as: UTF8.self) }
        let numbers = hasHead ? 2 : 1
        guard words.count == 2 + numbers || words.count == 3 + numbers,
            let subscription = UInt64(words[1]), let count = Int(words[words.count - 1]),
            let headCount = hasHead ? Int(words[words.count - 2]) : 0, headCount >= 0,
            count >= headCount
        else { throw .violation("NATS announced a message in a way that can't be read.") }
        guard count <= mostBytes else {
            throw .violation(
                "NATS sent a message of \(count) bytes; at most \(mostBytes) are taken.")
        }
        return Announcement(
            subject: words[0], subscription: subscription,
            reply: words.count == 3 + numbers ? words[2] : nil, headCount: headCount, count: count)
    }

    private static func delivery(
        _ announcement: Announcement, _ bytes: UnsafeRawBufferPointer
    ) -> Delivery {
        Delivery(
            subject: announcement.subject, subscription: announcement.subscription,
            reply: announcement.reply,
            head: UnsafeRawBufferPointer(rebasing: bytes[..<announcement.headCount]),
            payload: UnsafeRawBufferPointer(
                rebasing: bytes[announcement.headCount..<announcement.count]))
    }
}
