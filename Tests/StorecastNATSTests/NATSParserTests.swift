import TestSupport
import Testing

@testable import StorecastNATS

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct NATSParserTests {
    /// An operation, copied.
    private enum Operation: Equatable {
        case info(String)
        case message(String, UInt64, String?, head: String, String)
        case ping, pong
        case error(String)

        init(_ operation: NATSParser.Operation) {
            func text(_ bytes: UnsafeRawBufferPointer) -> String {
                String(decoding: bytes, as: UTF8.self)
            }
            self =
                switch operation {
                case .info(let bytes): .info(text(bytes))
                case .message(let delivery):
                    .message(
                        delivery.subject, delivery.subscription, delivery.reply,
                        head: text(delivery.head), text(delivery.payload))
                case .ping: .ping
                case .pong: .pong
                case .error(let text): .error(text)
                }
        }
    }

    private func parse(
        _ pieces: [[UInt8]], mostBytes: Int = 1 << 20
    ) throws(NATSError) -> [Operation] {
        var parser = NATSParser(mostBytes: mostBytes)
        var found: [Operation] = []
        for piece in pieces {
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(NATSError) in
                    try parser.take(bytes) { found.append(Operation($0)) }
                }
            }
            try result.get()
        }
        return found
    }

    // From the examples of docs.nats.io, "Client Protocol".
    private let conversation = Array(
        """
        INFO {"server_id":"Zk0","version":"2.11.0"}\r\n+OK\r\nPING\r\nPONG\r
        MSG FOO.BAR 9 11\r\nHello World\r
        MSG FOO.BAR 9 GREETING.34 11\r\nHello World\r
        HMSG FOO.BAR 9 34 45\r\nNATS/1.0\r\nFoodGroup: vegetable\r\n\r\nHello World\r
        HMSG FOO.BAR 9 BAZ.69 12 12\r\nNATS/1.0\r\n\r\n\r
        msg\tNOTIFY\t 2  0\r\n\r\n-ERR 'Unknown Protocol Operation'\r\n
        """.utf8)
    private let operations: [Operation] = [
        .info(#"{"server_id":"Zk0","version":"2.11.0"}"#), .ping, .pong,
        .message("FOO.BAR", 9, nil, head: "", "Hello World"),
        .message("FOO.BAR", 9, "GREETING.34", head: "", "Hello World"),
        .message(
            "FOO.BAR", 9, nil, head: "NATS/1.0\r\nFoodGroup: vegetable\r\n\r\n", "Hello World"),
        .message("FOO.BAR", 9, "BAZ.69", head: "NATS/1.0\r\n\r\n", ""),
        .message("NOTIFY", 2, nil, head: "", ""),
        .error("Unknown Protocol Operation"),
    ]

    @Test func `reads what a server says, in whatever pieces it comes`() throws {
        #expect(try parse([conversation]) == operations)
        #expect(try parse(conversation.map { [$0] }) == operations)
        for cut in conversation.indices {
            let pieces = [Array(conversation[..<cut]), Array(conversation[cut...])]
            #expect(try parse(pieces) == operations, "cut at \(cut)")
        }
    }

    @Test func `a payload may look like anything`() throws {
        let payload = "PING\r\nMSG a 1 1\r\n\u{0}"
        let message = "MSG a 1 \(payload.utf8.count)\r\n\(payload)\r\nPING\r\n"
        #expect(
            try parse([Array(message.utf8)]) == [.message("a", 1, nil, head: "", payload), .ping])
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n", "PING\n", "MSG a 1\r\n", "MSG a x 1\r\n", "MSG a 1 -1\r\n",
        "HMSG a 1 5 4\r\n", "HMSG a 1 -1 4\r\n", "MSG a 1 b c 1\r\n", "MSG a 1 1\r\nab\r\n",
        "MSG a 1 99999999999999999999\r\n", "\r\n",
    ])
    func `what isn't the protocol is refused`(_ text: String) {
        for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            let error = #expect(throws: NATSError.self) { try parse(pieces) }
            guard case .violation = error else {
                Issue.record("It is \(String(describing: error)).")
                continue
            }
        }
    }

    @Test func `a message and a line have bounds, of which nothing is kept beyond`() throws {
        #expect(throws: Never.self) { try parse([Array("MSG a 1 100\r\n".utf8)], mostBytes: 100) }
        #expect(throws: NATSError.self) {
            try parse([Array("MSG a 1 101\r\n".utf8)], mostBytes: 100)
        }
        let long = [UInt8](repeating: 65, count: NATSParser.longestLine)
        #expect(throws: Never.self) { try parse([long]) }
        #expect(throws: NATSError.self) { try parse([long, [65]]) }
    }

    @Test func `headers keep their order and their case`() throws {
        func read(_ text: String) throws -> NATSHeaders {
            try Array(text.utf8).withUnsafeBytes { try NATSHeaders($0) }
        }
        let headers = try read("NATS/1.0\r\nA: 1\r\na:2\r\nA: 3\r\nB:\r\n\r\n")
        #expect(headers["A"] == "1")
        #expect(headers["a"] == "2")
        #expect(headers["B"] == "")
        #expect(headers["C"] == nil)
        #expect(headers.status == nil)
        let missing = try read("NATS/1.0 503\r\n\r\n")
        #expect(missing.status == 503)
        let end = try read("NATS/1.0 204 EOB\r\nNats-Num-Pending: 0\r\n\r\n")
        #expect(end.status == 204)
        #expect(end.reason == "EOB")
        #expect(end["Nats-Num-Pending"] == "0")
        var written: [UInt8] = []
        (["x": "y z", "X": ""] as NATSHeaders).write(to: &written)
        #expect(String(decoding: written, as: UTF8.self) == "NATS/1.0\r\nx: y z\r\nX: \r\n\r\n")
        #expect(throws: NATSError.self) { try read("HTTP/1.1 200\r\n\r\n") }
        #expect(throws: NATSError.self) { try read("NATS/1.0 many\r\n\r\n") }
    }
}
