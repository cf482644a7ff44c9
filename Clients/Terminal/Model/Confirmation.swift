import Example

/// Something that is done only after a yes.
enum Confirmation: Equatable, Sendable {
    case removeCard(Card.ID, text: String)
    case removeColumn(Column.ID, title: String)

    var question: String {
        switch self {
        case .removeCard(_, let text): "Remove “\(text)”?"
        case .removeColumn(_, let title): "Remove the column “\(title)”?"
        }
    }

    var action: any BoardAction {
        switch self {
        case .removeCard(let card, _): RemoveCard(card: card)
        case .removeColumn(let column, _): RemoveColumn(column: column)
        }
    }
}
