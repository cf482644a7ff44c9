import Testing

@testable import StorecastWebSocket

/// Answers to plain requests, and what a request for a WebSocket must fulfil.
struct HTTPResponseTests {
    @Test func `an answer has its type, its length, its own headers, and ends the connection`() {
        var answer = HTTPResponse(
            status: 404, "Nothing is here.", headers: [("Allow", "GET"), ("X", "y: z")])
        let head = """
            HTTP/1.1 404 Not Found\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: 17\r
            Allow: GET\r
            X: y: z\r
            Connection: close\r
            \r

            """
        #expect(String(decoding: answer.bytes, as: UTF8.self) == head + "Nothing is here.\n")
        // Another request may follow one that isn't the last.
        let other = String(decoding: answer.head(isLast: false), as: UTF8.self)
        #expect(other == head.replacing("Connection: close\r\n", with: ""))
        // Its length is told all the same.
        answer.sendsBody = false
        #expect(String(decoding: answer.bytes, as: UTF8.self) == head)
        let dated = answer.dated(0)
        #expect(dated.headers.last?.name == "Date")
        #expect(dated.headers.last?.value == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(dated.headers.count == 3 && answer.headers.count == 2)
    }

    /// RFC 9110, section 15, and RFC 6585, section 4.
    @Test(
        arguments: [
            (200, "OK"), (304, "Not Modified"), (308, "Permanent Redirect"), (400, "Bad Request"),
            (401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"),
            (405, "Method Not Allowed"), (421, "Misdirected Request"), (426, "Upgrade Required"),
            (429, "Too Many Requests"), (500, "Internal Server Error"),
            (503, "Service Unavailable"), (299, "Status"),
        ])
    func `a status has the words of the standard`(status: Int, words: String) {
        let head = HTTPResponse(status: status, body: []).head(isLast: false)
        #expect(String(decoding: head, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) \(words)\r\n"))
    }

    /// RFC 9110, sections 7.8 and 15.5.22; RFC 6455, section 4.4.
    @Test func `who doesn't ask for a WebSocket is told to, in which version`() {
        let answer = UpgradeRules.upgradeRequired
        #expect(answer.status == 426)
        #expect(
            answer.headers.map { "\($0.name): \($0.value)" }
                == ["Upgrade: websocket", "Sec-WebSocket-Version: 13"])
        #expect(UpgradeRules.contradiction.status == 400)
    }

    private static let (long, longer) = (
        String(repeating: "a", count: 62), String(repeating: "b", count: 63)
    )

    @Test(
        arguments: [
            (nil, [], nil), (nil, ["a"], "None of"), ("a", [], "None of"), ("a", ["a"], nil),
            ("b", ["a", "b"], nil), ("A", ["a"], "None of"), ("c", ["a", "b"], "None of"),
            (long, [long, long], nil), (long, [long, longer], "The list"),
            (longer, [longer], nil), (longer + "b", [longer + "b"], "The list"),
        ] as [(String?, [String], String?)])
    func `the subprotocol is one that was offered, in a list that the library reads`(
        choice: String?, offers: [String], problem: String?
    ) {
        let answer = UpgradeRules.problem(choice: choice, of: offers)
        #expect((answer == nil) == (problem == nil))
        guard let answer, let problem else { return }
        #expect(answer.status == 400)
        #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix(problem))
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1", true), ("GET /%0 HTTP/1.1", true), ("GET /% HTTP/1.1", true),
            ("GET /%01%0b%0e HTTP/1.1", true), ("GET /%000 HTTP/1.1", false),
            ("GET /%00", false), ("GET /?a=%0A HTTP/1.1", false), ("GET /%0d HTTP/1.1", false),
            ("GET /\u{1f} HTTP/1.1", false), ("GET /\u{7f} HTTP/1.1", false),
            ("GET / HTTP/1.1\r\nX: \u{1}%00", true),
        ])
    func `the line of a request has nothing in it that would end its target`(
        head: String, isGood: Bool
    ) {
        let answer = UpgradeRules.problem(head: Array(head.utf8))
        #expect(answer.map(\.status) == (isGood ? nil : 400))
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
            (.milliseconds(1) + .nanoseconds(1), 2), (.microseconds(1999), 2), (.seconds(3), 3000),
            (.seconds(2) + .microseconds(1), 2001), (.nanoseconds(-1), 0), (.seconds(-5), 0),
        ] as [(Duration, UInt64)])
    func `a time is whole milliseconds, never less`(time: Duration, milliseconds: UInt64) {
        #expect(time.wholeMilliseconds == milliseconds)
    }

    @Test func `a client that isn't told otherwise has the limits that are documented`() {
        let configuration = WebSocketClientConfiguration(host: "h", port: 1)
        #expect(configuration.path == "/" && !configuration.tls)
        #expect(configuration.subprotocols.isEmpty && configuration.headers.isEmpty)
        #expect(configuration.maxMessageBytes == 64 << 20)
        #expect(configuration.maxBufferedBytes == 16 << 20)
        #expect(configuration.connectTimeout == .seconds(10))
        #expect(configuration.pingInterval == .seconds(25))
        #expect(configuration.deadPeerTimeout == .seconds(60))
        #expect(configuration.closeTimeout == .seconds(5))
        #expect(configuration.certificateAuthorityFile == nil)
    }
}
