import StorecastWire
import Testing

/// `Docs/Protocol.md` and `Tests/Vectors/frames` show the same frames.
struct ProtocolDocumentTests {
    @Test func `every frame of the document is a vector`() throws {
        let known = try documented()
        for (direction, frame) in try shown() {
            let vector = known.first { $0["frame"] == frame }
            #expect(vector != nil, "no vector has \(frame)")
            if let direction { #expect(vector?["direction"]?.string == direction, "\(frame)") }
        }
    }

    @Test func `every documented vector is in the document`() throws {
        let frames = try Set(shown().map(\.frame))
        for vector in try documented() {
            #expect(
                frames.contains(try #require(vector["frame"])),
                "\(vector.testDescription) is not in the document")
        }
    }

    @Test func `every op has a section with a frame`() throws {
        let text = try Vectors.document()
        let ops = Set(try shown().compactMap { $0.frame["op"]?.string })
        let sections = text.split(separator: "\n").filter { $0.hasPrefix("### ") }
            .map { String($0.dropFirst(4)) }.filter { $0.allSatisfy(\.isLowercase) }
        #expect(ops == Set(sections))
        #expect(ops.count == 21)
    }

    @Test func `the parts of the document are a vector`() throws {
        let parts = try Vectors.document().split(separator: "\n").filter { line in
            line.hasPrefix("S→C ") && line.dropFirst(4).first?.isNumber == true
        }.map { JSON.string(String($0.dropFirst(4))) }
        let known = try Vectors.all(in: "parts").filter { $0["doc"]?.bool == true }
        #expect(known.map { $0["messages"] } == [.array(parts)])
    }

    private func documented() throws -> [Vector] {
        try Vectors.all(in: "frames").filter { $0["doc"]?.bool == true }
    }

    /// The frames in the document's fences, and who says them where it is said.
    private func shown() throws -> [(direction: String?, frame: JSON)] {
        var frames: [(direction: String?, frame: JSON)] = []
        var fence: Substring?
        var body = ""
        for line in try Vectors.document().split(separator: "\n") {
            if line == "```" {
                if fence == "json" { frames.append((nil, try JSON(parsing: body))) }
                fence = nil
            } else if line.hasPrefix("```") {
                fence = line.dropFirst(3)
                body = ""
            } else if fence == "json" {
                body += line
            } else if fence == "text", let direction = direction(of: line) {
                // A part of a value is no frame.
                if line.dropFirst(4).first?.isNumber == true { continue }
                let said = try JSON(parsing: String(line.drop { $0 != " " }))
                frames += (said.array ?? [said]).map { (direction, $0) }
            }
        }
        #expect(frames.count > 50)
        return frames
    }

    private func direction(of line: Substring) -> String? {
        line.hasPrefix("C→S ") ? "client" : line.hasPrefix("S→C ") ? "server" : nil
    }
}
