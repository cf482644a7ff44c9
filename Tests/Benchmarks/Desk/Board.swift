import Storecast

/// A value of many entries, for what is measured without a server.
struct Board: Codable, Equatable, Sendable {
    struct Card: Codable, Equatable, Sendable {
        var id: String
        var column: String
        var text: String
        var assignee: String?
        var votes: Int
        var isDone: Bool
    }

    var title = "Board"
    var cards: [Card]

    init(cards count: Int) {
        let columns = ["todo", "doing", "review", "done"]
        cards = (0..<count).map { index in
            Card(
                id: "card-\(index)", column: columns[index % 4],
                text: "Card \(index): a line of text as people write them, not long.",
                assignee: index % 3 == 0 ? "person-\(index % 17)" : nil, votes: index % 7,
                isDone: index % 4 == 3)
        }
    }
}

/// An action as an application would have it; 129 bytes of JSON.
struct AddCard: Action, Codable, Equatable {
    var column = "todo"
    var text = "Write the figures down, \"all\" of them, and say what they don't."
    var assignee = "ada"
    var votes = 3
    var urgent = false
}
