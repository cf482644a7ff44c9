import StorecastTables
public import StorecastWire
import Testing

struct TableMemoryTests {
    // MARK: Against decoding everything

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `after any patch the value is that of decoding everything`(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let memory = TableMemory()
        var json = try JSONCoding.encodeTree(Shelf(&random))
        var good = json
        var kinds: Set<Bool> = []
        for step in 0..<40 {
            let patch = random.patch(of: json)
            guard (try? patch.apply(to: &json)) != nil else { continue }
            memory.note(patch)
            let (new, fresh) = (
                Result { try memory.decode(Shelf.self, from: json) },
                Result { try JSONCoding.decode(Shelf.self, from: json) }
            )
            #expect(
                try text(of: new) == text(of: fresh), "seed \(seed), step \(step): \(patch)")
            let isGood = (try? fresh.get()) != nil
            kinds.insert(isGood)
            // Most steps are from one good value to another.
            if isGood {
                good = json
            } else if random.below(3) > 0 {
                json = good
                memory.forget()
            }
        }
        #expect(kinds == [true, false], "seed \(seed)")
    }

    /// The value's text, or the error's.
    private func text(of result: Result<Shelf, any Error>) throws -> String {
        switch result {
        case .success(let value):
            String(decoding: try JSONCoding.encodeTree(value).canonicalBytes, as: UTF8.self)
        case .failure(let error): JSONCoding.message(for: error)
        }
    }

    // MARK: What is decoded

    @Test func `of ten thousand rows one that changed is decoded`() throws {
        try Reads.counting { reads in
            let memory = TableMemory()
            var json = try JSONCoding.encodeTree(Rows((0..<10_000).map { Row(id: $0) }))
            _ = try memory.decode(Rows.self, from: json)
            #expect(reads.take() == 10_013)

            let value = try change(&json, memory, [.replace(path: "/all/17/text", value: "new")])
            #expect(value.all[id: 17]?.text == "new")
            #expect(reads.take() == 1)
            #expect(value.all.count == 10_000)

            _ = try change(&json, memory, [])
            #expect(reads.take() == 0)
        }
    }

    @Test(
        arguments: [
            ([.remove(path: "/all/3")], 0),
            ([.add(path: "/all/9", value: ["id": 9, "text": ""])], 1),
            ([.replace(path: "/all/3", value: ["id": 3, "text": "b"])], 1),
            ([.replace(path: "/title", value: "b")], 0),
            (
                [
                    .replace(path: "/all/3/text", value: "b"),
                    .replace(path: "/all/3/text", value: "c"),
                ], 1
            ),
            // A table that is new, and one that is there no more.
            ([.add(path: "/more", value: ["4": ["id": 4, "text": ""]])], 1),
            ([.remove(path: "/all"), .add(path: "/all", value: [:])], 0),
            // Tables move with the elements that they are in.
            ([.add(path: "/parts/0", value: [:])], 0),
            ([.add(path: "/parts/-", value: ["1": ["id": 1, "text": ""]])], 1),
            ([.remove(path: "/parts/0")], 0),
            ([.move(from: "/parts/2", path: "/parts/0")], 0),
            (
                [
                    .move(from: "/parts/0", path: "/parts/2"),
                    .replace(path: "/parts/2/0/text", value: "b"),
                ], 1
            ),
            ([.copy(from: "/parts/2", path: "/parts/0")], 1),
            ([.move(from: "/named/é", path: "/named/e\u{301}")], 0),
            ([.remove(path: "/named/é")], 0),
            // An ordered row and its place.
            ([.replace(path: "/sorted/2/0", value: "U")], 1),
            ([.remove(path: "/sorted/2")], 0),
            ([.move(from: "/sorted/2", path: "/sorted/7")], nil),
            // A row with rows.
            ([.replace(path: "/boxes/a/rows/1/text", value: "b")], 1),
            ([.replace(path: "/boxes/a/name", value: "b")], 0),
            ([.remove(path: "/boxes/a")], 0),
        ] as [([JSONPatch.Operation], Int?)])
    func `only rows that a patch touches are decoded`(
        _ operations: [JSONPatch.Operation], _ count: Int?
    ) throws {
        try Reads.counting { reads in
            let memory = TableMemory()
            var json = try JSONCoding.encodeTree(Rows((0..<5).map { Row(id: $0) }))
            _ = try memory.decode(Rows.self, from: json)
            _ = reads.take()
            let patch = JSONPatch(operations)
            try patch.apply(to: &json)
            memory.note(patch.outline)
            let value = Result { try memory.decode(Rows.self, from: json) }
            if let count { #expect(reads.take() == count) }
            #expect(
                (try? value.get()) == (try? JSONCoding.decode(Rows.self, from: json)))
            #expect(((try? value.get()) == nil) == (count == nil))
        }
    }

    @Test func `tables in a row that has come are remembered too`() throws {
        try Reads.counting { reads in
            let memory = TableMemory()
            var json = try JSONCoding.encodeTree(Rows([]))
            _ = try memory.decode(Rows.self, from: json)
            let rows: JSON = ["1": ["id": 1, "text": ""], "2": ["id": 2, "text": ""]]
            let box: JSON = ["id": "c", "name": "", "rows": rows]
            _ = try change(&json, memory, [.add(path: "/boxes/c", value: box)])
            #expect(reads.take() == 2)
            _ = try change(&json, memory, [.replace(path: "/boxes/c/rows/1/text", value: "b")])
            #expect(reads.take() == 1)
        }
    }

    private func change(
        _ json: inout JSON, _ memory: TableMemory, _ operations: [JSONPatch.Operation]
    ) throws -> Rows {
        let patch = JSONPatch(operations)
        try patch.apply(to: &json)
        memory.note(patch)
        return try memory.decode(Rows.self, from: json)
    }

    // MARK: Faults

    @Test(
        arguments: [
            // Another id than the name, none at all, twice one id, twice one rank.
            #"[{"op":"replace","path":"/all/1/id","value":7}]"#,
            #"[{"op":"add","path":"/all/x","value":{"id":7,"text":""}}]"#,
            #"[{"op":"replace","path":"/sorted/1/0","value":"~"}]"#,
            #"[{"op":"copy","from":"/sorted/0/0","path":"/sorted/1/0"}]"#,
            #"[{"op":"replace","path":"/all/1","value":{"id":1}}]"#,
            #"[{"op":"add","path":"/loose/A","value":{"id":"a"}}]"#,
        ])
    func `a fault is the one of decoding everything, and then mended`(_ text: String) throws {
        let memory = TableMemory()
        let good = try JSONCoding.encodeTree(Rows((0..<5).map { Row(id: $0) }))
        _ = try memory.decode(Rows.self, from: good)
        let patch = try JSONPatch(reading: try JSONDocument(text).root)
        var bad = good
        try patch.apply(to: &bad)
        memory.note(patch)
        let fresh = #expect(throws: DecodingError.self) {
            try JSONCoding.decode(Rows.self, from: bad)
        }
        let error = #expect(throws: DecodingError.self) {
            try memory.decode(Rows.self, from: bad)
        }
        #expect(
            error.map { JSONCoding.message(for: $0) } == fresh.map { JSONCoding.message(for: $0) })
        let value = try memory.decode(Rows.self, from: good)
        #expect(try value == JSONCoding.decode(Rows.self, from: good))
    }

    @Test func `two ordered rows may change places in one patch`() throws {
        let memory = TableMemory()
        var json = try JSONCoding.encodeTree(Rows((0..<5).map { Row(id: $0) }))
        let old = try memory.decode(Rows.self, from: json)
        let (first, second) = (old.sorted.rank(of: 1)?.text, old.sorted.rank(of: 3)?.text)
        let value = try change(
            &json, memory,
            [
                .replace(path: "/sorted/1/0", value: .string(try #require(second))),
                .replace(path: "/sorted/3/0", value: .string(try #require(first))),
            ])
        #expect(value.sorted.map(\.id) == [0, 3, 2, 1, 4])
    }

    // MARK: Types that don't read as expected

    /// Each step replaces a row's number, and what the type goes by.
    @Test(arguments: UnusualTypes.all)
    func `a type that reads in a way of its own gets what it asks for`(
        _ type: any Unusual.Type
    ) throws {
        try check(type)
    }

    private func check<T: Unusual>(_ type: T.Type) throws {
        let memory = TableMemory()
        var json: JSON = [
            "kind": 0, "rows": ["1": ["id": 1, "text": "a"], "2": ["id": 2, "text": "b"]],
        ]
        for step in 0..<30 {
            let patch = JSONPatch([
                step % 3 == 0
                    ? .replace(path: "/kind", value: .int(Int64(step / 3 % 3)))
                    : .replace(path: "/rows/1/text", value: .string("\(step)"))
            ])
            try patch.apply(to: &json)
            memory.note(patch)
            let value = try memory.decode(T.self, from: json)
            #expect(try value == JSONCoding.decode(T.self, from: json), "step \(step)")
        }
    }

    @Test func `what stands for a missing member isn't taken for a member`() throws {
        struct Old: Codable, Equatable, Evolving {
            var list: Table<Row>
            var rows: Table<Row>
            var kind: Int
            static let memberDefaults: JSON = ["rows": ["1": ["id": 1, "text": "default"]]]
        }
        let memory = TableMemory()
        // The list is where the default's rows are in their text.
        var json: JSON = ["list": ["7": ["id": 7, "text": ""]], "kind": 1]
        for operation: JSONPatch.Operation in [
            .replace(path: "/kind", value: 2),
            .add(path: "/rows", value: ["2": ["id": 2, "text": ""]]),
            .replace(path: "/rows/2/text", value: "b"), .remove(path: "/rows"),
        ] {
            let patch = JSONPatch([operation])
            try patch.apply(to: &json)
            memory.note(patch)
            let value = try memory.decode(Old.self, from: json)
            #expect(try value == JSONCoding.decode(Old.self, from: json))
        }
    }

    @Test func `paths in errors and decoders are those of the whole value`() throws {
        struct Place: Codable, Equatable, Identifiable {
            var id: String
            var path = ""
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(String.self, forKey: .id)
                path = container.codingPath.map(\.stringValue).joined(separator: "/")
            }
        }
        let memory = TableMemory()
        var json: JSON = ["x": [["a": ["id": "a"]]]]
        _ = try memory.decode([String: [Table<Place>]].self, from: json)
        let patch = JSONPatch([.add(path: "/x/0/b", value: ["id": "b"])])
        try patch.apply(to: &json)
        memory.note(patch)
        let value = try memory.decode([String: [Table<Place>]].self, from: json)
        #expect(value["x"]?[0].rows.map(\.path) == ["x/0/a", "x/0/b"])
    }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// The pointer written, which must be one.
    public init(stringLiteral value: String) { self = try! JSONPointer(parsing: value) }
}
