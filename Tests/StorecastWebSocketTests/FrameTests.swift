import StorecastWebSocket
import StorecastWire
import Testing

@Suite struct UTF8ValidatorTests {
    /// Good and bad sequences: Unicode 15, table 3-7, and RFC 3629.
    @Test(
        arguments: [
            ([], true), ([0x61], true), ([0xC2, 0x80], true), ([0xDF, 0xBF], true),
            ([0xE0, 0xA0, 0x80], true), ([0xED, 0x9F, 0xBF], true), ([0xEE, 0x80, 0x80], true),
            ([0xEF, 0xBF, 0xBF], true), ([0xF0, 0x90, 0x80, 0x80], true),
            ([0xF4, 0x8F, 0xBF, 0xBF], true),
            ([0x80], false), ([0xC0, 0x80], false), ([0xC1, 0xBF], false), ([0xC2], false),
            ([0xE0, 0x9F, 0xBF], false), ([0xED, 0xA0, 0x80], false),
            ([0xF0, 0x8F, 0xBF, 0xBF], false),
            ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false), ([0xFF], false),
            ([0xE2, 0x82], false), ([0xE2, 0x82, 0x61], false),
        ] as [([UInt8], Bool)])
    func `sequences of the standard's table are told apart`(bytes: [UInt8], isGood: Bool) {
        for padding in 0..<18 {
            let text = Array(repeating: UInt8(0x61), count: padding) + bytes
            #expect(validate([text]) == isGood)
            #expect(validate(text.map { [$0] }) == isGood)
            #expect(validate([text + Array(repeating: 0x62, count: 9)]) == isGood)
        }
    }

    @Test func `every scalar is accepted in one piece and in bytes`() {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 37) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(Character(scalar)).utf8)
            #expect(validate(bytes.map { [$0] }))
        }
    }

    private func validate(_ pieces: [[UInt8]]) -> Bool {
        var validator = UTF8Validator()
        for piece in pieces {
            if !piece.withUnsafeBytes({ validator.validate($0) }) { return false }
        }
        return validator.isComplete
    }
}

@Suite struct WebSocketFrameHeaderTests {
    /// RFC 6455 section 5.7 and the two boundaries of section 5.2.
    @Test(
        arguments: [
            (5, [0x81, 0x05]), (0, [0x81, 0x00]), (125, [0x81, 0x7D]),
            (126, [0x81, 0x7E, 0x00, 0x7E]), (65535, [0x81, 0x7E, 0xFF, 0xFF]),
            (65536, [0x81, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func `a header has the length of the standard`(count: Int, header: [UInt8]) {
        var bytes: [UInt8] = []
        WebSocketFrameHeader.append(.text, payloadLength: count, to: &bytes)
        #expect(bytes == header)
    }

    /// `StorecastWire` puts its messages into frames by itself: it has no WebSockets, and its texts
    /// are written behind the header's place.
    @Test(arguments: [0, 1, 125, 126, 127, 255, 256, 65_535, 65_536, 65_537, 1_193_046])
    func `messages of the wire have the same frame`(count: Int) {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        let message = ServerMessage { $0.raw(text) }
        #expect(Array(message.frame) == WebSocketFrameHeader.frame(text: text))
    }

    @Test func `a client's Hello is masked as in the standard`() {
        // RFC 6455 section 5.7: "Hello" masked with 37 fa 21 3d.
        var bytes = Array("Hello".utf8)
        let key = UInt32(littleEndian: 0x3D21_FA37)
        bytes.withUnsafeMutableBytes { FrameMasker.mask($0, key: key) }
        #expect(bytes == [0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test func `masking twice restores any length`() {
        for count in 0..<40 {
            var bytes = (0..<count).map { UInt8($0 * 7 & 0xFF) }
            let before = bytes
            for _ in 0..<2 {
                bytes.withUnsafeMutableBytes { FrameMasker.mask($0, key: 0xA1B2_C3D4) }
            }
            #expect(bytes == before)
        }
    }
}

@Suite struct CloseFrameTests {
    @Test func `a long reason is cut between characters`() {
        let frame = CloseFrame(code: 1000, reason: String(repeating: "ü", count: 100))
        #expect(frame.payload.count == 124)
        #expect(frame.payload.withUnsafeBytes { CloseFrame.read($0).isValid })
    }

    @Test func `a reason that isn't UTF-8 is 1007`() {
        let (frame, isValid) = [0x03, 0xE8, 0xFF].withUnsafeBytes { _ in
            ([0x03, 0xE8, 0xFF] as [UInt8]).withUnsafeBytes { CloseFrame.read($0) }
        }
        #expect(frame == CloseFrame(code: 1007))
        #expect(!isValid)
    }

    @Test func `codes that may not travel are the standard's`() {
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535] as [UInt16] {
            #expect(!CloseFrame.mayTravel(code))
        }
        for code in [1000, 1003, 1007, 1011, 1012, 3000, 4999] as [UInt16] {
            #expect(CloseFrame.mayTravel(code))
        }
    }
}

@Suite struct MessageAssemblerTests {
    @Test func `a message in one piece isn't copied`() {
        var assembler = MessageAssembler(limit: 3)
        #expect(add(&assembler, [1, 2, 3]) == .whole)
        #expect(assembler.take() == [])
    }

    @Test func `pieces are put together up to the limit and not beyond`() {
        var assembler = MessageAssembler(limit: 4)
        #expect(add(&assembler, [1], remaining: 1, isFinal: false) == .incomplete)
        #expect(add(&assembler, [2], isFinal: false) == .incomplete)
        #expect(add(&assembler, [3, 4]) == .assembled)
        #expect(assembler.take() == [1, 2, 3, 4])
        #expect(add(&assembler, [1, 2, 3], isFinal: false) == .incomplete)
        let step = add(&assembler, [4, 5])
        #expect(step == .violation(CloseFrame(code: 1009, reason: "A message may have 4 bytes.")))
    }

    private func add(
        _ assembler: inout MessageAssembler, _ bytes: [UInt8], remaining: Int = 0,
        isFinal: Bool = true
    ) -> MessageAssembler.Step {
        bytes.withUnsafeBytes {
            assembler.add($0, remaining: remaining, isFinal: isFinal, isBinary: false)
        }
    }
}
