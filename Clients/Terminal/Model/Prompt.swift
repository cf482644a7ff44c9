import Example
import StorecastSync

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
    /// The newest text that is known of the card that is edited, which the line changes.
    private var shared: SharedText?
    /// Whether the line has what was typed before and couldn't be saved.
    private var isAgain = false

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

    /// A prompt for the text of a card.
    init(editing card: Card) {
        self.init(.editCard(card.id), text: card.text)
        shared = card.sharedText
    }

    /// A prompt for what couldn't be saved, behind the text that the card has instead; for a new
    /// card in a column, if it is gone.
    init(again typed: String, card: Card?, column: Column.ID) {
        if let card {
            self.init(editing: card)
            add(typed)
        } else {
            self.init(.addCard(column), text: typed)
        }
        isAgain = true
    }

    /// What stands before the line.
    var label: String {
        switch purpose {
        case .addCard: isAgain ? "The card is gone. New card" : "New card"
        case .editCard: isAgain ? "Not saved. Edit again" : "Edit card"
        case .say: "Say"
        case .addColumn: "New column"
        case .renameColumn: "Column title"
        }
    }

    /// What the line asks for; nil if it is empty, or the card's text as it was.
    ///
    /// - Parameter editor: the connection's `participant`.
    func action(by editor: String) -> (any BoardAction)? {
        let text = line.text
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        switch purpose {
        case .addCard(let column): return AddCard(column: column, text: text)
        case .editCard(let card):
            return edit(by: editor).map { EditCardText(card: card, edit: $0) }
        case .say: return Say(text: text)
        case .addColumn: return AddColumn(title: text)
        case .renameColumn(let column): return RenameColumn(column: column, title: text)
        }
    }

    /// Shows what others have made of the card's text, with what is typed in it and the cursor
    /// where it was; if that can't be told any more, with the whole line behind it.
    mutating func follow(_ news: SharedText, by editor: String) {
        guard let shared, shared != news else { return }
        let edit = edit(by: editor)
        var (shown, merged) = (shared, news)
        if let edit {
            shown.apply(edit)
            merged.apply(edit)
        }
        self.shared = news
        let typed = line.text
        let cursor = line.scalarsBeforeCursor
        line.replaceText(
            with: merged.text.displayable,
            scalarsBeforeCursor: merged.offset(cursor, of: shown.version(for: editor)) ?? cursor)
        guard edit != nil, merged == news else { return }
        add(typed)
        isAgain = true
    }

    /// What makes the line of the card's text; nil if nothing has been changed.
    private func edit(by editor: String) -> TextEdit? {
        guard let shared else { return nil }
        let shown = SharedText(shared.text.displayable)
        guard let edit = shown.edit(by: editor, to: line.text) else { return nil }
        // Line breaks are spaces in the line. They stay where nothing is typed in their place.
        guard shown.count == shared.count else { return shared.edit(by: editor, to: line.text) }
        return TextEdit(version: shared.version(for: editor), changes: edit.changes)
    }

    /// Puts what was typed behind the line.
    private mutating func add(_ typed: String) {
        let text = line.text + " " + typed.displayable
        line.replaceText(with: text, scalarsBeforeCursor: text.unicodeScalars.count)
    }
}
