import StorecastWire

/// JSON text to Swift values and back, without Foundation.
enum JSONCost: Benchmark {
    static let name = "json"
    static let summary = "JSON: a small action and a state"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        try measure("action", AddCard(), scale.pick(5_000, 200_000), scale.runs, &table)
        try measure("state", Board(cards: 300), scale.pick(30, 500), scale.runs, &table)
    }

    private static func measure<Value: Codable>(
        _ what: String, _ value: Value, _ count: Int, _ runs: Int, _ table: inout Table
    ) throws {
        let text = try JSONCoding.encode(value)
        let document = try JSONDocument(text)
        table.add("\(what): text", Double(text.count), "bytes")
        table.add(
            "\(what): scan",
            try Stopwatch.nanoseconds(runs: runs, count: count) {
                blackHole(try JSONDocument(text))
            }, "ns")
        table.add(
            "\(what): scan and decode",
            try Stopwatch.nanoseconds(runs: runs, count: count) {
                blackHole(try JSONCoding.decode(Value.self, from: JSONDocument(text).root))
            }, "ns")
        table.add(
            "\(what): decode from a tree",
            try Stopwatch.nanoseconds(runs: runs, count: count) {
                blackHole(try JSONCoding.decode(Value.self, from: document.root.json))
            }, "ns")
        table.add(
            "\(what): encode to text",
            try Stopwatch.nanoseconds(runs: runs, count: count) {
                blackHole(try JSONCoding.encode(value))
            }, "ns")
        table.add(
            "\(what): encode to a tree",
            try Stopwatch.nanoseconds(runs: runs, count: count) {
                blackHole(try JSONCoding.encodeTree(value))
            }, "ns")
    }
}
