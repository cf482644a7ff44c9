import StorecastWire
import Testing

/// RFC 6455, section 5.2: 0x81 is FIN with opcode 1 (text); the server sets no mask bit; lengths
/// up to 125 take one byte, up to 65,535 the byte 126 and two more, beyond that 127 and eight, in
/// network byte order.
struct ServerMessageTests {
    @Test(
        arguments: [
            (0, [0x81, 0x00]),
            (1, [0x81, 0x01]),
            (125, [0x81, 0x7d]),
            (126, [0x81, 0x7e, 0x00, 0x7e]),
            (256, [0x81, 0x7e, 0x01, 0x00]),
            (65_535, [0x81, 0x7e, 0xff, 0xff]),
            (65_536, [0x81, 0x7f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00]),
            (1_193_046, [0x81, 0x7f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x12, 0x34, 0x56]),
        ] as [(Int, [UInt8])])
    func `the header says the length`(length: Int, header: [UInt8]) {
        let text = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        let message = ServerMessage { $0.raw(text) }
        #expect(Array(message.frame.prefix(header.count)) == header)
        #expect(Array(message.frame.dropFirst(header.count)) == text)
        #expect(Array(message.text) == text)
        #expect(message.frameSize == header.count + length)
    }

    @Test(
        arguments: [
            ("7 {}", 7, "{}"), ("7 ", 7, ""), ("0", 0, nil), ("007 x", 7, "x"),
            ("999999999999999 7 8", 999_999_999_999_999, "7 8"),
        ] as [(String, UInt64, String?)])
    func `a message that is passed on stands behind its client's number`(
        text: String, number: UInt64, frame: String?
    ) throws {
        try Array(text.utf8).withUnsafeBytes { bytes in
            let message = try #require(PassedMessage(reading: bytes))
            #expect(message.number == number)
            #expect(message.frame.map { String(decoding: $0, as: UTF8.self) } == frame)
        }
        let bytes = PassedMessage.bytes(number, frame.map { Array($0.utf8) })
        if !text.hasPrefix("00") { #expect(String(decoding: bytes, as: UTF8.self) == text) }
        if let frame {
            let message = ServerMessage { $0.raw(Array(frame.utf8)) }.prefixed(by: number)
            #expect(Array(message.text) == bytes)
        }
    }

    @Test(arguments: ["", " x", "7x", "7{}", "-7 x", "1000000000000000 x", "1000000000000000"])
    func `another beginning is no number`(text: String) {
        Array(text.utf8).withUnsafeBytes { #expect(PassedMessage(reading: $0) == nil) }
    }

    @Test func `no comma stands before the text`() {
        let message = ServerMessage.pong(version: 7)
        #expect(Array(message.frame) == [0x81, 0x13] + [UInt8](#"{"op":"pong","v":7}"#.utf8))
    }
}
