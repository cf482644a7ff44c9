import StorecastWire
import Testing

struct FrameVectorTests {
    static func frames(of direction: String, valid: Bool) throws -> [Vector] {
        try Vectors.all(in: "frames").filter {
            $0["direction"]?.string == direction && ($0["error"] == nil) == valid
        }
    }

    @Test(arguments: try frames(of: "client", valid: true))
    func `what a client says is read and written the same`(_ vector: Vector) throws {
        let expected = try #require(vector["frame"])
        let frame = try ClientFrame(reading: JSONDocument(expected.description).root)
        #expect(frame.op == expected["op"]?.string)
        let text = FrameRewriting.text(of: frame)
        #expect(try JSONDocument(text).root.json == withoutUnknown(expected))
    }

    @Test(arguments: try frames(of: "server", valid: true))
    func `what a server says is read and written the same`(_ vector: Vector) throws {
        let expected = try #require(vector["frame"])
        let frame = try ServerFrame(reading: JSONDocument(expected.description).root)
        let message = FrameRewriting.message(of: frame)
        // Edges read it beside the frame.
        var known = expected
        known["history"] = nil
        #expect(try JSONDocument(message.text).root.json == known)
    }

    @Test(arguments: try frames(of: "client", valid: false))
    func `a client's invalid frame gets the documented error`(_ vector: Vector) throws {
        let view = try JSONDocument(#require(vector["frame"]).description).root
        let error = #expect(throws: FrameError.self) { try ClientFrame(reading: view) }
        try expect(error, fits: #require(vector["error"]))
    }

    @Test(arguments: try frames(of: "server", valid: false))
    func `a server's invalid frame is refused`(_ vector: Vector) throws {
        let view = try JSONDocument(#require(vector["frame"]).description).root
        let error = #expect(throws: FrameError.self) { try ServerFrame(reading: view) }
        try expect(error, fits: #require(vector["error"]))
    }

    @Test func `members come in the order of the document`() throws {
        let message = ServerMessage.patch(
            sub: 5, from: 7, version: 8,
            operations: [[UInt8](#"{"op":"replace","path":"/tea","value":3}"#.utf8)])
        #expect(
            String(decoding: message.text, as: UTF8.self)
                == #"{"op":"patch","sub":5,"from":7,"v":8,"ops":"#
                + #"[{"op":"replace","path":"/tea","value":3}]}"#)
    }

    @Test func `a run of a patch may hold several operations`() throws {
        let runs = [
            #"{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}"#,
            #"{"op":"remove","path":"/c"}"#,
        ]
        let message = ServerMessage.patch(
            sub: 1, from: 1, version: 2, operations: runs.map { [UInt8]($0.utf8) })
        let ops = try JSONDocument(message.text).root["ops"]
        #expect(ops?.elements.compactMap { $0["path"]?.string } == ["/a", "/b", "/c"])
    }

    /// A reader drops what it doesn't know, and `settled: 0` says no more than its absence.
    private func withoutUnknown(_ frame: JSON) -> JSON {
        var frame = frame
        frame["later"] = nil
        frame[""] = nil
        return frame
    }
}

/// Compares what the vector says; `ref`, `seq` and `index` must not be there unless it says so.
func expect(_ error: FrameError?, fits expected: JSON) {
    guard let error else { return }
    #expect(error.code.word == expected["code"]?.string)
    #expect(!error.title.isEmpty)
    if let part = expected["detail"]?.string {
        #expect(error.detail?.contains(part) == true, "\(error.detail ?? "no detail")")
    }
    #expect(error.ref == expected["ref"]?.uint64)
    #expect(error.seq == expected["seq"]?.uint64)
    #expect(error.index == expected["index"]?.int)
}

extension ClientFrame {
    fileprivate var op: String {
        switch self {
        case .hello: "hello"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .dispatch: "dispatch"
        case .authenticate: "authenticate"
        case .ping: "ping"
        case .mirror: "mirror"
        case .vouch: "vouch"
        }
    }
}
