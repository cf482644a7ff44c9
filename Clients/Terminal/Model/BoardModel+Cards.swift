import Example
import StorecastSync

extension BoardModel {
    /// Votes for the selected card, or takes the vote back.
    func vote() -> [Effect] {
        guard let card = selectedCard else { return [] }
        return card.voters.contains(userID)
            ? [.dispatch(Unvote(card: card.id))] : [.dispatch(Vote(card: card.id))]
    }

    /// Assigns the selected card to the person, or to nobody if it was theirs.
    mutating func takeOrGiveBack() -> [Effect] {
        guard let card = selectedCard else { return [] }
        guard let user else {
            notice = "Only a person with a name can take a card: start with --as NAME."
            return []
        }
        let assignee = card.assignee == user ? nil : user
        return [.dispatch(AssignCard(card: card.id, assignee: assignee))]
    }

    /// Moves the selected card up or down within its column.
    mutating func moveCard(along step: Int) -> [Effect] {
        guard let card = selectedCard, let row = selectedRow, let column = selectedColumn
        else { return [] }
        let cards = selectedCards
        // Down one means above the card after the next one.
        let below = step < 0 ? row + step : row + step + 1
        guard cards.indices.contains(row + step),
            below < cards.count || pages[column.id]?.hasAfter != true
        else { return [] }
        cursor.card = card.id
        let before = cards.indices.contains(below) ? cards[below].id : nil
        return [.dispatch(MoveCard(card: card.id, column: column.id, before: before))]
    }

    /// Moves the selected card to a neighbouring column, at about the same height.
    mutating func moveCard(across step: Int) -> [Effect] {
        guard let card = selectedCard, let row = selectedRow, let place = selectedPlace,
            columns.indices.contains(place + step)
        else { return [] }
        let target = columns[place + step]
        let neighbours = cards(of: target.id)
        let before = neighbours.indices.contains(row) ? neighbours[row].id : nil
        // The selection goes along, and waits for the card to arrive.
        cursor = Cursor(column: target.id, card: card.id, row: row, place: place + step)
        return [.dispatch(MoveCard(card: card.id, column: target.id, before: before))]
    }
}
