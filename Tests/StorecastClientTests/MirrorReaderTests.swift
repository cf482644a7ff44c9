import StorecastSync
import Testing

@testable import StorecastClient
@testable import StorecastMirror

struct MirrorReaderTests {
    private let mirror = Mirror(selection: "s", parameters: nil)
    private let reader = MirrorReader<Notes>()

    struct Notes: Decodable, Equatable, Sendable {
        var rows: Table<Note>
    }

    struct Note: Decodable, Equatable, Identifiable, Sendable {
        @TaskLocal static var reads = Counter()
        var id: Int
        var text: String

        init(from decoder: any Decoder) throws {
            Self.reads.count += 1
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            text = try container.decode(String.self, forKey: .text)
        }

        enum CodingKeys: CodingKey { case id, text }
    }

    /// Used by one test at a time.
    final class Counter: @unchecked Sendable { var count = 0 }

    private func counting(_ test: (Counter) throws -> Void) rethrows {
        let counter = Counter()
        try Note.$reads.withValue(counter) { try test(counter) }
    }

    private func take(_ version: UInt64) {
        let rows = (1...3).map { ("\($0)", ["id": .int($0), "text": "a"] as JSON) }
        mirror.take(["rows": .object(JSONObject(rows))], at: at(version))
    }

    private func at(_ version: UInt64) -> Position { Position(epoch: "e", version: version) }

    private func replaceText(of id: Int, by text: String, _ from: UInt64) throws {
        let path = "/rows/\(id)/text"
        let patch: JSON = [["op": "replace", "path": .string(path), "value": .string(text)]]
        let operations = try JSONDocument(patch.bytes).root
        #expect(mirror.apply(operations, from: from, to: at(from + 1)))
    }

    @Test func `a patch has the rows decoded that it touches`() throws {
        try counting { reads in
            take(1)
            #expect(reader.read(mirror).state?.rows.count == 3)
            #expect(reads.count == 3)
            try replaceText(of: 2, by: "b", 1)
            let update = reader.read(mirror)
            #expect(update.state?.rows.rows.map(\.text) == ["a", "b", "a"])
            #expect(update.position == at(2))
            #expect(reads.count == 4)
        }
    }

    @Test func `what hasn't changed isn't decoded again`() {
        counting { reads in
            take(1)
            _ = reader.read(mirror)
            #expect(mirror.confirm(at(4)))
            mirror.fail(Rejection(.forbidden, "No."))
            let update = reader.read(mirror)
            #expect(update.state?.rows.count == 3)
            #expect(update.position == at(4))
            #expect(update.problem?.code == .forbidden)
            #expect(reads.count == 3)
        }
    }

    @Test func `patches that it hasn't seen, and snapshots, have everything decoded`() throws {
        try counting { reads in
            take(1)
            _ = reader.read(mirror)
            try replaceText(of: 1, by: "b", 1)
            try replaceText(of: 2, by: "b", 2)
            #expect(reader.read(mirror).state?.rows.rows.map(\.text) == ["b", "b", "a"])
            #expect(reads.count == 6)
            take(9)
            #expect(reader.read(mirror).state?.rows.rows.map(\.text) == ["a", "a", "a"])
            #expect(reads.count == 9)
        }
    }

    @Test func `what another mirror has is taken over whole`() {
        counting { reads in
            take(1)
            _ = reader.read(mirror)
            let other = Mirror(selection: "s", parameters: [1])
            other.take(["rows": ["7": ["id": 7, "text": "c"]]], at: at(2))
            mirror.adopt(other)
            #expect(reader.read(mirror).state?.rows.rows.map(\.id) == [7])
            #expect(reads.count == 4)
        }
    }

    @Test func `a value that can't be read is a problem until the next that can`() throws {
        take(1)
        _ = reader.read(mirror)
        let patch = try JSONDocument(#"[{"op":"remove","path":"/rows/2/text"}]"#).root
        #expect(mirror.apply(patch, from: 1, to: at(2)))
        let update = reader.read(mirror)
        #expect(update.state == nil)
        #expect(update.problem?.code == .invalid)
        #expect(reader.read(mirror).problem?.code == .invalid)
        let mend = #"[{"op":"add","path":"/rows/2/text","value":"c"}]"#
        #expect(mirror.apply(try JSONDocument(mend).root, from: 2, to: at(3)))
        #expect(reader.read(mirror).state?.rows.rows.map(\.text) == ["a", "c", "a"])
        #expect(reader.read(mirror).problem == nil)
    }
}
