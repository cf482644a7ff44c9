import Example
import StorecastSync

/// One column: its title, and the cards around the selected one.
struct ColumnPane {
    let column: Column
    let page: RowPage<Card>?
    let selectedRow: Int?
    let isSelected: Bool
    let isMoving: Bool
    let user: String
    let rows: Range<Int>
    let span: Range<Int>

    private var area: Range<Int> { rows.dropFirst(2) }
    private var cards: [Card] { page?.rows ?? [] }

    func draw(on canvas: inout Canvas) {
        let count = String(column.count)
        let room = span.count - count.count - 3
        let behind = canvas.write(
            TextLayout.truncate(column.title.displayable, to: room), row: rows.lowerBound,
            column: span.lowerBound + 1, end: span.upperBound,
            style: isSelected ? .color(.cyan, bold: true) : .bold)
        canvas.write(
            count, row: rows.lowerBound, column: behind + 1, end: span.upperBound, style: .dim)
        let rule = rows.lowerBound + 1
        canvas.fill(
            row: rule, from: span.lowerBound, to: span.upperBound, with: isSelected ? "━" : "─",
            style: isSelected ? .color(.cyan) : .dim)
        drawCards(rule, on: &canvas)
    }

    private func drawCards(_ rule: Int, on canvas: inout Canvas) {
        let first = firstVisible()
        var row = area.lowerBound
        var shown = first
        for index in first..<cards.count {
            let lines = lines(index)
            // The first one is shown even if it is cut off.
            guard row + lines.count <= area.upperBound || index == first else { break }
            draw(index, lines, at: row, on: &canvas)
            row += lines.count
            shown = index + 1
        }
        var hidden: [String] = []
        if first > 0 || page?.hasBefore == true {
            hidden.append("↑\(first)" + (page?.hasBefore == true ? "+" : ""))
        }
        if shown < cards.count || page?.hasAfter == true {
            hidden.append("↓\(cards.count - shown)" + (page?.hasAfter == true ? "+" : ""))
        }
        guard !hidden.isEmpty else { return }
        let text = " " + hidden.joined(separator: " ") + " "
        canvas.write(
            text, row: rule, column: span.upperBound - TextLayout.columns(text) - 1,
            style: .color(.yellow))
    }

    /// The first card that leaves room for the selected one below it.
    private func firstVisible() -> Int {
        guard var first = selectedRow else { return 0 }
        var height = lines(first).count
        while first > 0 {
            height += lines(first - 1).count
            guard height <= area.count else { break }
            first -= 1
        }
        return first
    }

    private func lines(_ index: Int) -> [String] {
        let limit = index == selectedRow ? max(area.count / 2, 1) : 3
        var lines = TextLayout.wrap(
            cards[index].text.displayable, to: span.count - 3, limit: limit)
        if lines.isEmpty { lines = ["(nothing)"] }
        if !details(cards[index]).isEmpty { lines.append("") }
        return lines
    }

    private func draw(_ index: Int, _ lines: [String], at row: Int, on canvas: inout Canvas) {
        let isSelected = index == selectedRow
        let style: Style = isSelected ? Style(isBold: true, isReversed: isMoving) : .plain
        for (offset, line) in lines.enumerated() {
            let row = row + offset
            guard row < area.upperBound else { return }
            let mark = isSelected ? "▌" : offset == 0 ? "•" : " "
            canvas.write(
                mark, row: row, column: span.lowerBound,
                style: isSelected ? .color(.cyan, bold: true) : .dim)
            if line.isEmpty {
                draw(details(cards[index]), row, on: &canvas)
            } else {
                canvas.write(
                    line, row: row, column: span.lowerBound + 2, end: span.upperBound, style: style)
            }
        }
    }

    private func draw(_ details: [(String, Style)], _ row: Int, on canvas: inout Canvas) {
        var column = span.lowerBound + 2
        for (text, style) in details {
            column =
                canvas.write(
                    text, row: row, column: column, end: span.upperBound, style: style) + 1
        }
    }

    /// Votes and assignee; a filled triangle means that one vote is the person's own.
    private func details(_ card: Card) -> [(String, Style)] {
        var parts: [(String, Style)] = []
        if !card.voters.isEmpty {
            let isMine = card.voters.contains(user)
            parts.append(
                ("\(isMine ? "▲" : "△")\(card.voters.count)", .color(.green, bold: isMine)))
        }
        if let assignee = card.assignee { parts.append(("@\(assignee)", .person(assignee))) }
        return parts
    }
}
