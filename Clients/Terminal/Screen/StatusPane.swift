/// The last two rows: the status or what is being typed, and the keys.
struct StatusPane {
    let model: BoardModel
    let row: Int

    func draw(on canvas: inout Canvas) {
        canvas.write(hint, row: row + 1, column: 1, style: .dim)
        switch model.mode {
        case .typing(let prompt): draw(prompt, on: &canvas)
        case .confirming(let confirmation):
            let question = TextLayout.truncate(
                confirmation.question.displayable, to: canvas.width - 2)
            canvas.write(question, row: row, column: 1, style: .color(.yellow, bold: true))
        default: drawStatus(on: &canvas)
        }
    }

    private func drawStatus(on canvas: inout Canvas) {
        let (mark, text, style) = status
        var column = canvas.write("\(mark) \(text)\(unsent)", row: row, column: 1, style: style)
        column = canvas.write(
            " · \(model.user ?? "anonymous") · \(model.address)", row: row, column: column,
            style: .dim)
        // The end of the connection is every store's problem too.
        if case .closed(let reason) = model.link, reason == model.notice { return }
        guard let notice = model.notice?.displayable else { return }
        // What the person should know goes over what they know.
        let text2 = " \(notice) "
        let shown = TextLayout.truncate(text2, to: canvas.width - 12)
        let start = min(column + 2, canvas.width - TextLayout.columns(shown) - 1)
        canvas.write(shown, row: row, column: start, style: .color(.yellow, bold: true))
    }

    private var status: (mark: String, text: String, style: Style) {
        switch model.link {
        case .connecting: ("◌", "connecting …", .color(.yellow, bold: true))
        case .live: ("●", "live", .color(.green, bold: true))
        case .offline(let seconds, let reason):
            ("○", "offline, next try in \(seconds) s (\(reason))", .color(.red, bold: true))
        case .closed(let reason): ("✕", "closed: \(reason)", .color(.red, bold: true))
        }
    }

    /// Not while it is live: then it would come and go with every change.
    private var unsent: String {
        guard model.unsent > 0, model.link != .live else { return "" }
        return model.unsent == 1 ? ", 1 unsent change" : ", \(model.unsent) unsent changes"
    }

    private func draw(_ prompt: Prompt, on canvas: inout Canvas) {
        let start = canvas.write(
            "\(prompt.label): ", row: row, column: 1, style: .color(.cyan, bold: true))
        let room = canvas.width - start - 2
        let text = prompt.line.text
        // The part around the cursor: as much before it as fits, then what follows.
        let before = String(text.prefix(prompt.line.cursor))
        let shown = TextLayout.suffix(before, room)
        let cursor = canvas.write(shown, row: row, column: start)
        canvas.write(String(text.dropFirst(prompt.line.cursor)), row: row, column: cursor)
        canvas.cursor = Canvas.Place(row: row, column: cursor)
    }

    private var hint: String {
        switch model.mode {
        case .browse, .help:
            "a add  e edit  m move  v vote  t take  x remove  c chat  ? help  q quit"
        case .move: "←↓↑→ or hjkl move the card  any other key: done"
        case .typing(let prompt) where prompt.purpose == .say:
            "Enter says it  an empty line or Esc: back to the board"
        case .typing: "Enter does it  Esc: leave it"
        case .confirming: "y or Enter: yes  any other key: no"
        }
    }
}
