import Example
import StorecastSync

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
    var selectedColumn: Column? { selectedPlace.map { columns[$0] } }

    /// The cards that are shown of the selected column.
    var selectedCards: [Card] { selectedColumn.map { cards(of: $0.id) } ?? [] }

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

    /// Selects the card some rows further; past an end of the page, the next page.
    mutating func step(_ rows: Int) -> [Effect] {
        let row = (selectedRow ?? 0) + rows
        if let column = selectedColumn, let page = pages[column.id] {
            if row < 0, page.hasBefore { return [.turn(column.id, .previous)] }
            if row >= page.rows.count, page.hasAfter { return [.turn(column.id, .next)] }
        }
        select(row: row)
        return []
    }

    /// Selects the column's first card.
    mutating func selectFirst() -> [Effect] {
        if let column = selectedColumn, pages[column.id]?.hasBefore == true {
            return [.turn(column.id, .first)]
        }
        select(row: 0)
        return []
    }

    mutating func select(row: Int) {
        let cards = selectedCards
        guard !cards.isEmpty else { return }
        cursor.row = min(max(row, 0), cards.count - 1)
        cursor.card = cards[cursor.row].id
        settleCursor()
    }
}
