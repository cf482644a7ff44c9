import Example
import StorecastSync

/// The newest messages that fit.
struct ChatPane {
    let model: BoardModel
    let rows: Range<Int>

    func draw(on canvas: inout Canvas) {
        canvas.fill(row: rows.lowerBound, with: "─", style: .dim)
        canvas.write(" Chat ", row: rows.lowerBound, column: 1, style: .bold)
        var row = rows.upperBound
        for message in model.chat.reversed() {
            let lines = lines(of: message, in: canvas.width)
            row -= lines.count
            guard row > rows.lowerBound else { break }
            draw(message, lines, at: row, on: &canvas)
        }
        if model.chat.isEmpty {
            canvas.write("Nobody has said anything. c does.", row: row - 1, column: 1, style: .dim)
        }
    }

    private func draw(
        _ message: ChatMessage, _ lines: [String], at row: Int, on canvas: inout Canvas
    ) {
        canvas.write(clock(message), row: row, column: 1, style: .dim)
        canvas.write(author(message), row: row, column: 7, style: .person(message.author))
        for (offset, line) in lines.enumerated() {
            canvas.write(line, row: row + offset, column: indent(message))
        }
    }

    private func lines(of message: ChatMessage, in width: Int) -> [String] {
        let lines = TextLayout.wrap(
            message.text.displayable, to: width - indent(message) - 1,
            limit: max(rows.count - 1, 1))
        return lines.isEmpty ? [""] : lines
    }

    private func author(_ message: ChatMessage) -> String {
        let name = message.author.isEmpty ? Participant.anonymousName : message.author
        return TextLayout.truncate(name.shown.displayable, to: 16)
    }

    private func indent(_ message: ChatMessage) -> Int {
        8 + TextLayout.columns(author(message))
    }

    /// Hours and minutes, local time.
    private func clock(_ message: ChatMessage) -> String {
        let seconds = message.time.secondsSince1970 + Double(model.secondsFromGMT)
        guard let time = Int(exactly: seconds.rounded(.down)) else { return "--:--" }
        let minutes = (time / 60 % 1440 + 1440) % 1440
        let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return parts.joined(separator: ":")
    }
}
