import StorecastWire
import Testing

struct SnapshotPartTests {
    static func vectors(failing: Bool) throws -> [Vector] {
        try Vectors.all(in: "parts").filter { ($0["fails"]?.bool == true) == failing }
    }

    /// What a client makes of parts: the value, once all have come.
    private func value(of vector: Vector) throws -> (parts: IncomingParts?, value: JSON?) {
        var parts: IncomingParts?
        for message in try #require(vector["messages"]?.array) {
            let bytes = [UInt8](try #require(message.string).utf8)
            try bytes.withUnsafeBytes { message in
                #expect(SnapshotPart.begins(message))
                let (part, text) = try SnapshotPart.read(message)
                if parts == nil { parts = IncomingParts(part, isWanted: true) }
                try parts?.append(part, text)
            }
        }
        guard let parts, parts.isComplete else { return (parts, nil) }
        return (parts, try JSONDocument(#require(parts.text)).root.json)
    }

    @Test(arguments: try vectors(failing: false))
    func `parts make a value`(_ vector: Vector) throws {
        let (parts, value) = try value(of: vector)
        #expect(value == vector["value"])
        #expect(parts?.sub == vector["sub"]?.uint64 && parts?.version == vector["v"]?.uint64)
    }

    @Test(arguments: try vectors(failing: true))
    func `parts that aren't those of one value are refused`(_ vector: Vector) {
        #expect(throws: (any Error).self) { try value(of: vector) }
    }

    @Test func `no frame is a part`() {
        for text in ["", "{}", "-1 2 3 4 5", " 1 2 3 4 5", "/", ":"] {
            Array(text.utf8).withUnsafeBytes { #expect(!SnapshotPart.begins($0)) }
        }
    }

    /// At every size, and wherever in a character that would be.
    @Test(arguments: 1...70)
    func `a snapshot is cut at any size, but not within a character`(size: Int) throws {
        let value: JSON = [
            "text": "aé\u{20ac}\u{1F600} \u{1F468}\u{200d}\u{1F469}", "n": [1, 2.5],
        ]
        for (sub, version) in [(0, 0), (5, 1_234_567), (1 << 53 - 1, 1 << 53 - 1)] {
            let (snapshot, bytes) = ServerMessage.snapshot(
                sub: UInt64(sub), version: UInt64(version), size: 0
            ) { $0.write(value) }
            var outgoing = OutgoingParts(of: snapshot, sub: UInt64(sub), version: UInt64(version))
            var incoming: IncomingParts?
            while !outgoing.isComplete {
                let message = outgoing.next(size)
                try message.text.withUnsafeBytes { message in
                    let (part, text) = try SnapshotPart.read(message)
                    #expect(String(validating: text, as: UTF8.self) != nil)
                    #expect(text.count <= max(4, size) && part.bytes == UInt64(bytes))
                    if incoming == nil { incoming = IncomingParts(part, isWanted: true) }
                    try incoming?.append(part, text)
                }
            }
            let text = try #require(incoming?.text)
            #expect(incoming?.isComplete == true)
            #expect(try JSONDocument(text).root.json == value)
        }
    }

    @Test func `what nobody wants is counted, not kept`() throws {
        let messages = ["5 7 0 4 12", "5 7 2 4 34"].map { [UInt8]($0.utf8) }
        let (first, text) = try messages[0].withUnsafeBytes { try SnapshotPart.read($0) }
        var parts = IncomingParts(first, isWanted: false)
        try parts.append(first, text)
        #expect(parts.text == nil && !parts.isComplete)
        let (second, rest) = try messages[1].withUnsafeBytes { try SnapshotPart.read($0) }
        try parts.append(second, rest)
        #expect(parts.text == nil && parts.isComplete)
    }
}
