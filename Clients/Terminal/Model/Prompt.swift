import Example

/// A line that the person is typing, and what for.
struct Prompt: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
        case addCard(Column.ID)
        case editCard(Card.ID)
        case say
        case addColumn
        case renameColumn(Column.ID)
    }

    var purpose: Purpose
    var line: LineEditor

    /// A prompt whose line begins as `text`.
    init(_ purpose: Purpose, text: String = "") {
        self.purpose = purpose
        let limit =
            switch purpose {
            case .addCard, .editCard: BoardLimits.text
            case .say: BoardLimits.message
            case .addColumn, .renameColumn: BoardLimits.title
            }
        line = LineEditor(text.displayable, limit: limit)
    }

    /// What stands before the line.
    var label: String {
        switch purpose {
        case .addCard: "New card"
        case .editCard: "Edit card"
        case .say: "Say"
        case .addColumn: "New column"
        case .renameColumn: "Column title"
        }
    }

    /// What the line asks for; nil if it is empty.
    var action: (any BoardAction)? {
        let text = line.text
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        switch purpose {
        case .addCard(let column): return AddCard(column: column, text: text)
        case .editCard(let card): return EditCard(card: card, text: text)
        case .say: return Say(text: text)
        case .addColumn: return AddColumn(title: text)
        case .renameColumn(let column): return RenameColumn(column: column, title: text)
        }
    }
}
