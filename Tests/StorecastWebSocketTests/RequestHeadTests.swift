import Testing

@testable import StorecastWebSocket

/// What becomes of a connection, by the bytes of a request on it.
struct RequestHeadTests {
    private func head(_ text: String) -> RequestHead { RequestHead(Array(text.utf8)) }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
        "GET / HTTP/1.1\r\nhost:a\r\nX-Empty:\r\nAccept: */*, text/html;q=0.9\t\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: caf\u{e9}\r\n\r\n",
    ])
    func `a plain question permits another`(text: String) {
        #expect(head(text).permitsAnother)
        #expect(!head(text).asksForUpgrade)
    }

    /// RFC 9112, sections 2.2, 5.1, 5.2, 6.1 and 9.3: what people and proxies may read in two ways,
    /// or what has content.
    @Test(arguments: [
        "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: Keep-Alive, CLOSE\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: keep-alive\r\nConnection:close\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nX: a\r\n Transfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nX: a\nContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\nX: a\rContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nX\r\n\r\n",
        "GET / HTTP/1.1\r\n: a\r\n\r\n", "GET / HTTP/1.1\r\nX: a\u{0}\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "GET /\tHTTP/1.1\r\nHost: a\r\n\r\n",
        "GET HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n", "",
    ])
    func `what could be understood in two ways is the last`(text: String) {
        #expect(!head(text).permitsAnother, "\(text.debugDescription)")
    }

    @Test func `an upgrade is asked for by name`() {
        #expect(head("GET / HTTP/1.1\r\nUPGRADE: websocket\r\n\r\n").asksForUpgrade)
        #expect(!head("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n").permitsAnother)
        for other in ["Upgrade:", "Upgrade: ", "X-Upgrade: websocket", "Connection: Upgrade"] {
            #expect(!head("GET / HTTP/1.1\r\n\(other)\r\n\r\n").asksForUpgrade, "\(other)")
        }
    }
}
