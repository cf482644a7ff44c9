import StorecastWire
import Testing

struct MalformedMessageTests {
    static func messages() throws -> [Vector] {
        try Vectors.all(in: "malformed").filter { $0["level"]?.string == "frame" }
    }

    @Test(arguments: try messages())
    func `a malformed message gets the documented errors`(_ vector: Vector) throws {
        let results = try frames(in: vector.message)
        var errors: [FrameError] = []
        for case .failure(let error) in results { errors.append(error) }
        #expect(results.count - errors.count == vector["readable"]?.int)
        let expected = try #require(vector["answers"]?.array)
        #expect(errors.count == expected.count)
        for (error, expected) in zip(errors, expected) { expect(error, fits: expected) }
    }

    @Test func `there are vectors of every level`() throws {
        let levels = try Vectors.all(in: "malformed").compactMap { $0["level"]?.string }
        #expect(Set(levels) == ["frame", "session", "socket"])
        #expect(levels.count > 50)
    }

    @Test func `bytes that are not UTF-8 are malformed here too`() throws {
        let vectors = try Vectors.all(in: "malformed").filter { $0["close"]?.int == 1007 }
        #expect(vectors.count == 3)
        for vector in vectors {
            guard case .failure(let error)? = try frames(in: vector.message).first else {
                Issue.record("\(vector.testDescription) was read")
                continue
            }
            #expect(error.code == .malformed)
        }
    }

    @Test(arguments: [3, 4])
    func `a message may be as long as the limit, not longer`(limit: Int) {
        var limits = JSONLimits()
        limits.bytes = limit
        let results = [UInt8]("true".utf8).withUnsafeBytes {
            Array(ClientFrames(reading: $0, limits: limits))
        }
        guard case .failure(let error)? = results.first else {
            Issue.record("true is no frame")
            return
        }
        #expect(error.code == (limit < 4 ? .malformed : .invalidFrame))
    }

    @Test func `frames of a batch come in its order`() {
        let text = #"[{"op":"unsubscribe","ref":2},{"op":"ping"},{"op":"unsubscribe","ref":1}]"#
        let read = frames(in: [UInt8](text.utf8)).compactMap { frame in
            switch frame {
            case .success(.unsubscribe(let ref)): "unsubscribe \(ref)"
            case .success(.ping): "ping"
            default: nil
            }
        }
        #expect(read == ["unsubscribe 2", "ping", "unsubscribe 1"])
    }

    @Test func `no prefix of a frame is read, and none traps`() {
        let text =
            #"[{"op":"dispatch","seq":1,"base":0,"action":{"type":"\u00e9","payload":[1.5e3]}}]"#
        let bytes = [UInt8](text.utf8)
        for length in 0..<bytes.count {
            let results = frames(in: Array(bytes[..<length]))
            guard results.count == 1, case .failure(let error) = results[0] else {
                Issue.record("The first \(length) bytes were read")
                continue
            }
            #expect(error.code == .malformed)
        }
    }

    private func frames(in bytes: [UInt8]) -> [Result<ClientFrame, FrameError>] {
        bytes.withUnsafeBytes { Array(ClientFrames(reading: $0, limits: JSONLimits())) }
    }
}
