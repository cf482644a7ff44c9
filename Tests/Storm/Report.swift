import MeasureSupport

/// What was measured of each kind of fault.
struct Report {
    private struct Row {
        var title: String
        var times = 0
        /// Of each room that was concerned, the longest time without an acked write, in seconds.
        var gaps: [Double] = []
        var slowestAck = 0.0
    }

    private var rows: [Row] = []

    var faults: Int { rows.reduce(0) { $0 + $1.times } }

    mutating func add(_ title: String, _ measure: (gaps: [Double], slowestAck: Double)) {
        let place = rows.firstIndex { $0.title == title } ?? rows.count
        if place == rows.count { rows.append(Row(title: title)) }
        rows[place].times += 1
        rows[place].gaps += measure.gaps
        rows[place].slowestAck = max(rows[place].slowestAck, measure.slowestAck)
    }

    var table: String {
        var lines = [
            "| fault | times | rooms | without an acked write, median, s | longest, s "
                + "| the slowest ack of any client, s |",
            "|---|--:|--:|--:|--:|--:|",
        ]
        for row in rows {
            let gaps = row.gaps.isEmpty ? nil : Measurement(row.gaps)
            let cells = [
                row.title, "\(row.times)", "\(row.gaps.count)",
                gaps.map { Figure.text($0.median) } ?? "-",
                gaps.map { Figure.text($0.maximum) } ?? "-", Figure.text(row.slowestAck),
            ]
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }
}
