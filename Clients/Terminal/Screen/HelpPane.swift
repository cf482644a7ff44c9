/// The keys, on top of everything else.
struct HelpPane {
    private static let text = [
        ("arrows, hjkl", "select a card"), ("a", "add a card to the column"),
        ("e", "edit the card"), ("m, then arrows", "move the card"),
        ("shift+arrows, HJKL", "move the card at once"), ("v", "vote, or take the vote back"),
        ("t", "take the card, or give it back"), ("x", "remove the card"),
        ("n  r  X", "new, rename, remove column"), ("c", "chat"), ("R", "connect now"),
        ("ctrl+L", "draw again"), ("q, ctrl+C", "quit"),
    ]

    func draw(on canvas: inout Canvas) {
        let width = min(54, canvas.width - 2)
        let height = min(Self.text.count + 4, canvas.height)
        let left = (canvas.width - width) / 2
        let top = (canvas.height - height) / 2
        for row in top..<top + height { canvas.fill(row: row, from: left, to: left + width) }
        frame(left, top, width, height, on: &canvas)
        canvas.write(" Keys ", row: top, column: left + 2, style: .bold)
        for (offset, (keys, meaning)) in Self.text.enumerated() {
            let row = top + 2 + offset
            guard row < top + height - 1 else { break }
            canvas.write(
                keys, row: row, column: left + 3, end: left + 23, style: .color(.cyan, bold: true))
            canvas.write(meaning, row: row, column: left + 23, end: left + width - 1)
        }
    }

    private func frame(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, on canvas: inout Canvas
    ) {
        let bottom = top + height - 1
        let right = left + width - 1
        for row in [top, bottom] {
            canvas.fill(row: row, from: left, to: right, with: "─", style: .dim)
        }
        for row in top...bottom {
            for column in [left, right] {
                canvas.write("│", row: row, column: column, style: .dim)
            }
        }
        for (corner, row, column) in [
            ("╭", top, left), ("╮", top, right), ("╰", bottom, left), ("╯", bottom, right),
        ] {
            canvas.write(corner, row: row, column: column, style: .dim)
        }
    }
}
