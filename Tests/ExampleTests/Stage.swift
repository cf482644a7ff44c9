@testable import Example
@testable import StorecastSync
import Testing

/// A board on which tests act as people do, one stamped action after the other.
struct Stage {
    var board = Board()
    private var count = 0

    /// The n-th action, from 1, has the id `"n"` and the time n.
    mutating func act(_ action: any SyncAction, as user: String = "ada") {
        count += 1
        var action = action
        if var stamped = action as? any Stamped {
            stamped.stamp = Stamp(
                id: String(count), sender: user.isEmpty ? .anonymous : Identity(user),
                time: Timestamp(secondsSince1970: Double(count)), seed: 0)
            action = stamped
        }
        Board.reduce(&board, action)
        // What the board counts on the way is what one finds by looking.
        guard board.cards.count < 100 else { return }
        let cards = board.columns.map { column in board.cards.count { $0.column == column.id } }
        #expect(board.columns.map(\.count) == cards)
        #expect(board.votes == board.cards.reduce(0) { $0 + $1.voters.count })
    }

    /// The outcome of the check that comes before the reducer.
    func rejection(of action: any SyncAction, as user: String = "ada") -> Rejection? {
        guard let action = action as? any BoardAction else { return nil }
        do {
            try action.check(board, by: user.isEmpty ? .anonymous : Identity(user))
            return nil
        } catch {
            return error
        }
    }

    /// The ids of the cards of a column, from top to bottom.
    func ids(_ column: String) -> [String] {
        board.cards.filter { $0.column == column }.map(\.id)
    }

    func card(_ id: String) -> Card? {
        board.cards.first { $0.id == id }
    }
}
