import Glibc

/// A response to a plain HTTP request.
package struct HTTPResponse: Sendable {
    /// For example 200.
    package var status: Int
    /// Headers beside those that the answer has anyway (type, length, connection).
    package var headers: [(name: String, value: String)]
    package var contentType: String
    package var body: [UInt8]
    /// False to send the headers of the body alone: for HEAD, and for 304 (Not Modified).
    package var sendsBody = true
    /// Whether the connection may be used for another request. Those that get nothing good come
    /// anew.
    package var permitsAnother = false

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

    /// The response with the time at which it was made (RFC 9110, section 6.6.1).
    func dated(_ time: Int) -> HTTPResponse {
        var response = self
        response.headers.append(("Date", Self.date(time)))
        return response
    }

    /// A time in seconds since 1970, as headers have it (RFC 9110, section 5.6.7).
    package static func date(_ time: Int) -> String {
        var (seconds, parts) = (time_t(time), tm())
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
        return days[Int(parts.tm_wday)] + ", " + two(parts.tm_mday) + " "
            + months[Int(parts.tm_mon)] + " \(parts.tm_year + 1900) " + clock + " GMT"
    }

    /// The time of such a header, in seconds since 1970; nil if it isn't one.
    package static func time(of date: String) -> Int? {
        let words = date.split { ", :".contains($0) }
        guard words.count == 8, words[7] == "GMT",
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let numbers = [words[1], words[3], words[4], words[5], words[6]].compactMap { Int32($0) }
        guard numbers.count == 5, (1970...9999).contains(numbers[1]) else { return nil }
        var parts = tm()
        (parts.tm_mday, parts.tm_mon, parts.tm_year) = (numbers[0], Int32(month), numbers[1] - 1900)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[2], numbers[3], numbers[4])
        return Int(timegm(&parts))
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// All of a short response, with which the connection ends.
    var bytes: [UInt8] { head(isLast: true) + (sendsBody ? body : []) }

    /// What comes before the body (RFC 9112).
    ///
    /// - Parameter isLast: whether the connection ends with it.
    func head(isLast: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
        head += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if isLast { head += "Connection: close\r\n" }
        return Array((head + "\r\n").utf8)
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

/// A response that is being sent. Copies of one response share its body.
struct OutgoingResponse {
    enum Progress { case done, more, broken }

    /// The most bytes that are written before other connections get their turn.
    private static let bytesAtOnce = 1 << 20
    /// The most bytes of one write, which are encrypted in memory where they are.
    private static let longestWrite = 256 << 10

    /// Whether the connection ends with it.
    let isLast: Bool
    private let head: [UInt8]
    private let body: [UInt8]
    private var sent = 0

    init(_ response: HTTPResponse, isLast: Bool) {
        self.isLast = isLast
        head = response.head(isLast: isLast)
        body = response.sendsBody ? response.body : []
    }

    /// Writes what is taken.
    ///
    /// - Parameter write: is given bytes, and whether more will follow at once; returns how many
    ///   it took, or nil if the connection is broken.
    mutating func send(_ write: (UnsafeRawBufferPointer, Bool) -> Int?) -> Progress {
        let end = sent + Self.bytesAtOnce
        while sent < min(end, head.count + body.count) {
            guard let count = sendPart(write) else { return .broken }
            if count == 0 { return .more }
            sent += count
        }
        return sent < head.count + body.count ? .more : .done
    }

    private func sendPart(_ write: (UnsafeRawBufferPointer, Bool) -> Int?) -> Int? {
        let isInHead = sent < head.count
        let start = isInHead ? sent : sent - head.count
        return (isInHead ? head : body).withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(Self.longestWrite))
            // A body follows its head in the same packet.
            return write(rest, isInHead && !body.isEmpty)
        }
    }
}
