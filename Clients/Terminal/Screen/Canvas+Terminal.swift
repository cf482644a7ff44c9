extension Canvas {
    /// The bytes that turn a terminal that shows `shown` (nil: anything) into this screen: the rows
    /// that differ, in one piece, so that nobody sees half of it.
    func update(from shown: Canvas?) -> String {
        let known = shown?.width == width && shown?.height == height ? shown : nil
        if let known, known == self { return "" }
        var text = "\u{1B}[?2026h\u{1B}[?25l"
        if known == nil { text += "\u{1B}[0m\u{1B}[2J" }
        for row in 0..<height where known?.cells(ofRow: row) != cells(ofRow: row) {
            write(row, to: &text)
        }
        if let cursor {
            text += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        }
        return text + "\u{1B}[?2026l"
    }

    private func write(_ row: Int, to text: inout String) {
        text += "\u{1B}[\(row + 1);1H"
        var style: Style?
        for (column, cell) in cells(ofRow: row).enumerated() {
            guard let character = cell.character else { continue }
            if cell.style != style {
                text += cell.style.sequence
                style = cell.style
            }
            text.append(character)
            if character.isUncertain {
                // The terminal may count otherwise: say where we are.
                text += "\u{1B}[\(min(column + character.columns, width - 1) + 1)G"
            }
        }
        text += "\u{1B}[0m"
    }

    /// The text of the rows, without styles and without the spaces at their ends.
    var lines: [String] {
        (0..<height).map { row in
            var line = String(cells(ofRow: row).compactMap(\.character))
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
