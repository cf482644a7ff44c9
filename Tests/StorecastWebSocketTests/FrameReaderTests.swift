import StorecastWebSocket
import Testing

@Suite struct FrameReaderTests {
    /// The masked examples of RFC 6455 section 5.7; its other payloads, masked with the same key.
    @Test func `the standard's examples are read`() {
        let hello: [UInt8] = [
            0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
        ]
        expect(["text Hello"], from: hello)
        let pong: [UInt8] = [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        expect(["pong"], from: pong)
        let ping: [UInt8] = [0x89, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        expect(["ping Hello"], from: ping)
        // "Hel" and "lo", each masked.
        let fragments: [UInt8] =
            [0x01, 0x83, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D]
            + [0x80, 0x82, 0x37, 0xFA, 0x21, 0x3D, 0x5B, 0x95]
        expect(["text Hello"], from: fragments)
        // The single-frame example as a server sends it.
        expect(["violation 1002"], from: [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    }

    @Test(arguments: [0, 1, 3, 4, 5, 125, 126, 127, 65_535, 65_536, 100_000])
    func `a message of any length is read`(count: Int) {
        let text = (0..<count).map { UInt8(97 + $0 % 26) }
        let bytes = RawPeer.frame(head: 0x81, text)
        #expect(transcript(bytes) == ["text " + String(decoding: text, as: UTF8.self)])
        if count <= 127 { expect(transcript(bytes), from: bytes) }
    }

    @Test func `frames that aren't messages, nor much of one, are counted`() {
        let large = Array(repeating: UInt8(0x61), count: 1024)
        var bytes =
            RawPeer.frame(head: 0x89, []) + RawPeer.frame(head: 0x8A, [0x31])
            + RawPeer.frame(head: 0x01, [0x61]) + RawPeer.frame(head: 0x00, large)
            + RawPeer.frame(head: 0x00, []) + RawPeer.frame(head: 0x80, [0x61])
            + RawPeer.frame(head: 0x81, [])
        var reader = FrameReader(limit: 1 << 20)
        bytes.withUnsafeMutableBytes { buffer in
            var rest = buffer
            while !rest.isEmpty { _ = reader.next(&rest) }
        }
        #expect(reader.takeOddments() == 4)
        #expect(reader.takeOddments() == 0)
    }

    @Test func `control frames between fragments don't disturb the message`() {
        let bytes =
            RawPeer.frame(head: 0x01, [0x47, 0xC3]) + RawPeer.frame(head: 0x89, [0x31])
            + RawPeer.frame(head: 0x00, []) + RawPeer.frame(head: 0x8A, [])
            + RawPeer.frame(head: 0x80, [0xBC]) + RawPeer.frame(head: 0x81, [0x61])
        expect(["ping 1", "pong", "text Gü", "text a"], from: bytes)
    }

    @Test(arguments: [
        // Reserved bits and opcodes.
        RawPeer.frame(head: 0xC1, [0x61]), RawPeer.frame(head: 0xA1, []),
        RawPeer.frame(head: 0x91, []), RawPeer.frame(head: 0x83, []),
        RawPeer.frame(head: 0x87, []), RawPeer.frame(head: 0x8B, []),
        RawPeer.frame(head: 0x8F, []),
        // Fragmented control frames, and too long ones.
        RawPeer.frame(head: 0x08, []), RawPeer.frame(head: 0x09, []),
        RawPeer.frame(head: 0x0A, []),
        RawPeer.frame(head: 0x89, Array(repeating: 0x61, count: 126)),
        // A continuation of nothing, also behind a whole message, and a message within another.
        RawPeer.frame(head: 0x80, []), RawPeer.frame(head: 0x00, [0x61]),
        RawPeer.frame(head: 0x01, [0x61]) + RawPeer.frame(head: 0x81, [0x61]),
        RawPeer.frame(head: 0x01, [0x61]) + RawPeer.frame(head: 0x82, [0x61]),
        // No mask.
        [0x81, 0x00], [0x88, 0x02, 0x03, 0xE8], [0x89, 0x00], [0x8A, 0x01, 0x61],
        // Lengths that fit in fewer bytes, and one with its highest bit set.
        [0x81, 0xFE, 0x00, 0x7D], [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
        [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0],
    ])
    func `a violation is 1002, and what follows is dropped`(bytes: [UInt8]) {
        expect(["violation 1002"], from: bytes + RawPeer.frame(head: 0x81, [0x62]))
    }

    @Test func `text that isn't UTF-8, other data and long messages have codes of their own`() {
        expect(["violation 1007"], from: RawPeer.frame(head: 0x81, [0xC3]))
        expect(["violation 1007"], from: RawPeer.frame(head: 0x01, [0x61, 0xFF]))
        expect(
            ["violation 1007"],
            from: RawPeer.frame(head: 0x01, [0xC3]) + RawPeer.frame(head: 0x80, []))
        expect(["violation 1003"], from: RawPeer.frame(head: 0x82, [0x61]))
        let long = Array(repeating: UInt8(0x61), count: 11)
        expect(["violation 1009"], from: RawPeer.frame(head: 0x81, long), limit: 10)
        expect(
            ["violation 1009"],
            from: RawPeer.frame(head: 0x01, Array(long.dropLast(4)))
                + RawPeer.frame(head: 0x80, Array(long.prefix(4))), limit: 10)
        // Found by the header alone, whose length is the largest there is.
        let header: [UInt8] = [0x81, 0xFF, 0x7F] + Array(repeating: 0xFF, count: 7) + [1, 2, 3, 4]
        expect(["violation 1009"], from: header)
        #expect(transcript(RawPeer.frame(head: 0x81, Array(long.dropLast())), limit: 10).count == 1)
    }

    @Test func `every close code is taken or refused as the standard and the registry have it`() {
        for code in UInt16.min...UInt16.max {
            let isGood =
                (1000...1003).contains(code) || (1007...1014).contains(code)
                || (3000...4999).contains(code)
            let expected = isGood ? "close \(code) why" : "bad close 1002 "
            #expect(transcript(RawPeer.closeFrame(code, "why")) == [expected])
        }
        expect(["close 1005 "], from: RawPeer.frame(head: 0x88, []))
        expect(["bad close 1002 "], from: RawPeer.frame(head: 0x88, [0x03]))
        expect(["bad close 1007 "], from: RawPeer.frame(head: 0x88, [0x03, 0xE8, 0xFF]))
    }

    @Test func `what follows a close frame is dropped`() {
        expect(
            ["close 1000 "], from: RawPeer.closeFrame(1000) + RawPeer.frame(head: 0x81, [0x61]))
    }

    /// Any cut of some frames into two pieces, and bytes one at a time, read as the whole.
    @Test func `where the bytes are cut makes no difference`() {
        let text = Array("Grüße, 🌍! ".utf8)
        let bytes =
            RawPeer.frame(head: 0x81, text) + RawPeer.frame(head: 0x01, Array(text.prefix(3)))
            + RawPeer.frame(head: 0x89, [0x31, 0x32])
            + RawPeer.frame(head: 0x80, Array(text.dropFirst(3)))
            + RawPeer.frame(head: 0x81, Array(repeating: 0x61, count: 130))
            + RawPeer.closeFrame(4000, "end")
        let whole = transcript(bytes)
        #expect(whole.count == 5)
        for cut in 0...bytes.count {
            #expect(transcript([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
        expect(whole, from: bytes)
    }

    /// At once, and one byte at a time.
    private func expect(
        _ steps: [String], from bytes: [UInt8], limit: Int = 1 << 20,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(transcript([bytes], limit: limit) == steps, sourceLocation: location)
        #expect(transcript(bytes.map { [$0] }, limit: limit) == steps, sourceLocation: location)
    }

    private func transcript(_ bytes: [UInt8], limit: Int = 1 << 20) -> [String] {
        transcript([bytes], limit: limit)
    }

    private func transcript(_ pieces: [[UInt8]], limit: Int = 1 << 20) -> [String] {
        var reader = FrameReader(limit: limit)
        var steps: [String] = []
        for piece in pieces {
            var piece = piece
            piece.withUnsafeMutableBytes { buffer in
                var bytes = buffer
                while let step = describe(reader.next(&bytes)) { steps.append(step) }
                #expect(bytes.isEmpty)
            }
        }
        return steps
    }

    private func describe(_ step: FrameReader.Step) -> String? {
        switch step {
        case .more: nil
        case .text(let text): "text " + String(decoding: text, as: UTF8.self)
        case .assembled(let text): "text " + String(decoding: text, as: UTF8.self)
        case .ping(let payload): "ping " + String(decoding: payload, as: UTF8.self)
        case .pong: "pong"
        case .close(let frame, let isValid):
            (isValid ? "close " : "bad close ") + "\(frame.code) \(frame.reason)"
        case .violation(let frame): "violation \(frame.code)"
        }
    }
}
