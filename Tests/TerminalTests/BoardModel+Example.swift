@testable import Example
import StorecastSync
@testable import Terminal

extension BoardModel {
    /// Three columns: cards 1, 2, 3 in `todo`, card 4, with votes, in `doing`, none in `done`.
    static var example: BoardModel {
        var model = BoardModel(address: "ws://localhost:9090/", user: "ada")
        model.participant = "a"
        model.columns = [
            Column(id: "todo", title: "To do", count: 3),
            Column(id: "doing", title: "Doing", count: 1), Column(id: "done", title: "Done"),
        ]
        model.cards = [
            "todo": [
                card("1", "Write the README"),
                card("2", "Measure the fan-out to 1,000 connections"),
                card("3", "日本語のカード"),
            ],
            "doing": [card("4", "Review", assignee: "bob", voters: ["ada", "bob"])],
            "done": [],
        ]
        let time = Timestamp(secondsSince1970: 1_767_225_845)
        model.chat = [
            ChatMessage(id: "m1", author: "bob", text: "Who takes the README?", time: time),
            ChatMessage(id: "m2", author: "", text: "I do\u{1B}[2J", time: time),
        ]
        model.present = ["ada", "bob"].map { Participant(id: $0, name: $0, since: time) }
        model.link = .live
        return model
    }

    /// The cards of columns that are shown whole.
    var cards: [Column.ID: [Card]] {
        get { pages.mapValues(\.rows) }
        set {
            pages = newValue.mapValues { cards in
                RowPage(
                    rows: cards, count: cards.count, start: nil, end: nil, hasBefore: false,
                    hasAfter: false)
            }
        }
    }

    static func card(
        _ id: String, _ text: String, assignee: String? = nil, voters: [String] = []
    ) -> Card {
        Card(
            id: id, column: "todo", text: text, assignee: assignee, voters: voters, author: "ada",
            created: Timestamp(secondsSince1970: 0))
    }

    /// Presses keys; returns the actions that are dispatched, as text.
    mutating func pressing(_ keys: Key...) -> [String] {
        keys.flatMap { press($0) }.map { effect in
            switch effect {
            case .dispatch(let action, _): Self.text(action)
            case .quit: "quit"
            case .turn(let column, let turn): "\(turn) page of \(column)"
            case .redraw: "redraw"
            case .reconnect: "reconnect"
            }
        }
    }

    private static func text(_ action: any SyncAction) -> String {
        let payload = (try? JSONCoding.encodeTree(action)).map { "\($0)" } ?? "?"
        return "\(type(of: action).wireName) \(payload)"
    }
}
