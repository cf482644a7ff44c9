import Example

/// The columns, side by side; when they don't all fit, those around the selected one.
struct ColumnsPane {
    let model: BoardModel
    let rows: Range<Int>

    private static let narrowest = 24

    func draw(on canvas: inout Canvas) {
        guard !model.columns.isEmpty else {
            let text = model.link == .live ? "An empty board: n adds a column." : "…"
            canvas.write(text, row: rows.lowerBound + 1, column: 2, style: .dim)
            return
        }
        let shown = visible(in: canvas.width)
        let width = (canvas.width + 1) / shown.count
        for (slot, place) in shown.enumerated() {
            let start = slot * width
            let end = slot == shown.count - 1 ? canvas.width : start + width - 1
            ColumnPane(
                column: model.columns[place], page: model.pages[model.columns[place].id],
                selectedRow: place == model.selectedPlace ? model.selectedRow : nil,
                isSelected: place == model.selectedPlace, isMoving: model.mode == .move,
                user: model.userID, rows: rows, span: start..<end
            ).draw(on: &canvas)
            if end < canvas.width { separator(at: end, on: &canvas) }
        }
        more(shown, on: &canvas)
    }

    /// The indices of the columns that are shown.
    private func visible(in width: Int) -> Range<Int> {
        let count = min(max((width + 1) / Self.narrowest, 1), model.columns.count)
        let selected = model.selectedPlace ?? 0
        let first = min(max(selected - count / 2, 0), model.columns.count - count)
        return first..<first + count
    }

    private func separator(at column: Int, on canvas: inout Canvas) {
        for row in rows {
            let crossing = row == rows.lowerBound + 1
            canvas.write(crossing ? "┼" : "│", row: row, column: column, style: .dim)
        }
    }

    /// Arrows where there are more columns than fit.
    private func more(_ shown: Range<Int>, on canvas: inout Canvas) {
        if shown.lowerBound > 0 {
            canvas.write("‹", row: rows.lowerBound, column: 0, style: .color(.yellow, bold: true))
        }
        if shown.upperBound < model.columns.count {
            canvas.write(
                "›", row: rows.lowerBound, column: canvas.width - 1,
                style: .color(.yellow, bold: true))
        }
    }
}
