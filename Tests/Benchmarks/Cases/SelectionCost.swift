import StorecastRoom
import StorecastWire

/// What one changed entry of a large selection costs: once a turn, whatever the number of mirrors.
enum SelectionCost: Benchmark {
    static let name = "selection"
    static let summary = "One changed card of 1,000, for all mirrors of the board together"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let selection = Selection("board") { (board: Board) in board }
        let count = scale.pick(10, 200)
        var board = Board(cards: 1_000)
        let resolved = try selection.resolve(nil, .anonymous)
        let evaluation = resolved.evaluation(board)
        let group = SelectionGroup(
            key: resolved.key, sub: 1, tag: "tag", value: try evaluation.encoded(), version: 0,
            historyBytes: 256 << 10)
        var version: UInt64 = 0
        let change = {
            board.cards[Int(version) % 1_000].votes += 1
            version += 1
        }
        table.add("the value's text", Double(group.size), "bytes")
        table.add(
            "evaluate and compare",
            microseconds(scale.runs, count) {
                change()
                blackHole(evaluation.update(board))
            }, "µs")
        table.add(
            "… and encode to a tree",
            try microseconds(scale.runs, count) {
                change()
                _ = evaluation.update(board)
                blackHole(try evaluation.encoded())
            }, "µs")
        group.update(try evaluation.encoded(), at: version)
        table.add(
            "… and diff and make the patch",
            try microseconds(scale.runs, count) {
                change()
                _ = evaluation.update(board)
                let before = group.version
                group.update(try evaluation.encoded(), at: version)
                blackHole(group.message(from: before))
            }, "µs")
        let patch = group.message(from: version - 1)
        table.add("the patch's frame", Double(patch.frameSize), "bytes")
    }

    private static func microseconds(
        _ runs: Int, _ count: Int, _ body: () throws -> Void
    ) rethrows -> Measurement {
        try Stopwatch.nanoseconds(runs: runs, count: count, body).scaled(by: 0.001)
    }
}
