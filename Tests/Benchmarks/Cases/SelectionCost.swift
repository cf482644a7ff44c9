import MeasureSupport
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
        // Used by this function alone, which the compiler doesn't see through its closures.
        nonisolated(unsafe) let source = try resolved.source(board, SelectionFinders())
        nonisolated(unsafe) let group = try SelectionGroup(
            key: resolved.key, sub: 1, tag: "tag", source: source, version: 0,
            historyBytes: 256 << 10,
            recent: RecentSnapshots(limit: 4 << 20))
        let permitted = try Permitted(to: .anonymous, by: Rule<Int, Int>.open, 0, in: 0) { group }
        var version: UInt64 = 0
        let change = {
            board.cards[Int(version) % 1_000].votes += 1
            version += 1
        }
        table.add("the value's text", Double(group.size), "bytes")
        table.add(
            "evaluate, compare and encode what differs",
            try microseconds(scale.runs, count) {
                change()
                blackHole(try source.update(board))
            }, "µs")
        table.add(
            "… and make the patch",
            try microseconds(scale.runs, count) {
                change()
                let before = group.version
                if let difference = try source.update(board) {
                    group.update(difference, at: version)
                }
                blackHole(try permitted.message(from: before))
            }, "µs")
        let before = group.version
        change()
        if let difference = try source.update(board) { group.update(difference, at: version) }
        let patch = try permitted.message(from: before)
        table.add("the patch's frame", Double(patch.frameSize), "bytes")
    }

    private static func microseconds(
        _ runs: Int, _ count: Int, _ body: () throws -> Void
    ) rethrows -> Measurement {
        try Stopwatch.nanoseconds(runs: runs, count: count, body).scaled(by: 0.001)
    }
}
