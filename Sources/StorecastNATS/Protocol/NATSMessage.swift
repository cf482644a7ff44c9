/// A message that came.
package struct NATSMessage: Sendable {
    package var subject: String
    /// Where an answer is to go, if one is wanted.
    package var reply: String?
    package var headers: NATSHeaders
    package var payload: [UInt8]

    package init(
        subject: String, reply: String? = nil, headers: NATSHeaders = NATSHeaders(),
        payload: [UInt8]
    ) {
        self.subject = subject
        self.reply = reply
        self.headers = headers
        self.payload = payload
    }
}

/// The headers of a message, in their order: `NATS/1.0`, then lines as of HTTP. Names keep their
/// case, and are compared with it, as NATS does.
package struct NATSHeaders: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// What the version line says behind the version; 503 if nobody listens to a request's subject.
    package var status: Int?
    /// The words behind the status.
    package var reason = ""
    private var lines: [(name: String, value: String)] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { (name: $0.0, value: $0.1) }
    }

    package var isEmpty: Bool { lines.isEmpty && status == nil }

    /// The first of this name.
    package subscript(name: String) -> String? {
        lines.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// Adds a line; neither may have line breaks, nor the name a colon.
    package mutating func add(_ name: String, _ value: String) {
        precondition(
            !name.utf8.contains { $0 == 58 || $0 < 33 }
                && !value.utf8.contains { $0 == 10 || $0 == 13 },
            "'\(name)' can't be a header of NATS.")
        lines.append((name: name, value: value))
    }

    package static func == (left: NATSHeaders, right: NATSHeaders) -> Bool {
        left.status == right.status && left.lines.elementsEqual(right.lines) { $0 == $1 }
    }

    /// With the version line and the empty one at the end.
    package func write(to bytes: inout [UInt8]) {
        bytes += "NATS/1.0\r\n".utf8
        for (name, value) in lines {
            bytes += name.utf8
            bytes += ": ".utf8
            bytes += value.utf8
            bytes += "\r\n".utf8
        }
        bytes += "\r\n".utf8
    }
}

extension NATSHeaders {
    /// - Parameter head: with its version line and the empty one at the end; or empty.
    init(_ head: some Collection<UInt8>) throws(NATSError) {
        if head.isEmpty { return }
        let text = String(decoding: head, as: UTF8.self)
        var rows = text.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
        guard let first = rows.popFirst(), first.hasPrefix("NATS/1.0") else {
            throw .violation("NATS sent headers that can't be read.")
        }
        let words = first.dropFirst(8).split(separator: " ", maxSplits: 1)
        if let word = words.first {
            guard let status = Int(word) else {
                throw .violation("NATS sent a status that isn't a number.")
            }
            self.status = status
            reason = words.count > 1 ? String(words[1]) : ""
        }
        for row in rows {
            guard let colon = row.utf8.firstIndex(of: 58) else { continue }
            let value = row[row.utf8.index(after: colon)...].drop { $0 == " " }
            lines.append((name: String(row[..<colon]), value: String(value)))
        }
    }
}
