import Example

/// Which card is selected: by its id as long as it is there, else by its place.
struct Cursor: Equatable, Sendable {
    var column: Column.ID?
    var card: Card.ID?
    /// Where the card is, or was before it went.
    var row = 0
    /// Where the column is, or was before it went.
    var place = 0
}

extension BoardModel {
    /// The index of the selected column; nil if there are no columns.
    var selectedPlace: Int? {
        guard !columns.isEmpty else { return nil }
        return columns.firstIndex { $0.id == cursor.column } ?? min(cursor.place, columns.count - 1)
    }

    /// The selected column; nil if there are no columns.
    var selectedColumn: ColumnTitle? { selectedPlace.map { columns[$0] } }

    /// The cards of the selected column.
    var selectedCards: [Card] { selectedColumn.flatMap { cards[$0.id] } ?? [] }

    /// The index of the selected card; nil if its column is empty.
    var selectedRow: Int? {
        let cards = selectedCards
        guard !cards.isEmpty else { return nil }
        return cards.firstIndex { $0.id == cursor.card } ?? min(cursor.row, cards.count - 1)
    }

    /// The selected card.
    var selectedCard: Card? { selectedRow.map { selectedCards[$0] } }

    /// Notes where the selected column and card are now, so that the selection stays near when
    /// they go.
    mutating func settleCursor() {
        guard let place = selectedPlace else { return }
        cursor.place = place
        cursor.column = columns[place].id
        if let row = selectedCards.firstIndex(where: { $0.id == cursor.card }) { cursor.row = row }
    }

    mutating func select(place: Int) {
        guard columns.indices.contains(place) else { return }
        let row = selectedRow ?? cursor.row
        cursor = Cursor(column: columns[place].id, row: row, place: place)
        cursor.card = selectedCard?.id
    }

    mutating func select(row: Int) {
        let cards = selectedCards
        guard !cards.isEmpty else { return }
        cursor.row = min(max(row, 0), cards.count - 1)
        cursor.card = cards[cursor.row].id
        settleCursor()
    }
}
