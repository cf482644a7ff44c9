import Glibc
import MeasureSupport

/// The rows of one benchmark, printed as a Markdown table.
struct Table {
    private let title: String
    private var rows: [[String]] = []
    private var notes: [String] = []

    init(title: String) {
        self.title = title
    }

    /// A row of a measurement.
    mutating func add(_ what: String, _ measurement: Measurement, _ unit: String) {
        let spread = "\(Figure.text(measurement.minimum))…\(Figure.text(measurement.maximum))"
        rows.append([what, Figure.text(measurement.median), spread, unit])
    }

    /// A row of a figure that has no spread.
    mutating func add(_ what: String, _ figure: Double, _ unit: String) {
        rows.append([what, Figure.text(figure), "", unit])
    }

    /// A sentence below the table.
    mutating func note(_ sentence: String) {
        notes.append(sentence)
    }

    func show() {
        let all = [["what", "median", "min…max", "unit"]] + rows
        let widths = (0..<4).map { column in all.map { $0[column].count }.max() ?? 0 }
        print("### \(title)\n")
        for (index, row) in all.enumerated() {
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 1 || column == 2 ? padding + cell : cell + padding
            }
            print("| " + cells.joined(separator: " | ") + " |")
            guard index == 0 else { continue }
            let lines = widths.enumerated().map { column, width in
                let dashes = String(repeating: "-", count: width + 1)
                return column == 1 || column == 2 ? dashes + ":" : "-" + dashes
            }
            print("|" + lines.joined(separator: "|") + "|")
        }
        if !notes.isEmpty { print("\n" + notes.joined(separator: "\n")) }
        print("")
        fflush(nil)
    }
}
