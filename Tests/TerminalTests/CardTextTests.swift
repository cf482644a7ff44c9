@testable import Example
@testable import StorecastSync
@testable import Terminal
import Testing

/// A card's text that a person edits in the terminal, while others edit it too.
struct CardTextTests {
    private var model = BoardModel.example

    /// What others have made of a card of `todo`, as the page comes.
    private mutating func others(_ action: any BoardAction) {
        var page = model.pages["todo"]!
        Board.reducer(ofColumn: "todo")(&page, action)
        model.show(page, of: "todo", turned: nil)
    }

    private func edit(_ text: String, by editor: String = "b") -> EditCardText {
        let card = model.cards["todo"]![0]
        return EditCardText(card: card.id, edit: card.sharedText.edit(by: editor, to: text)!)
    }

    private var line: LineEditor? {
        guard case .typing(let prompt) = model.mode else { return nil }
        return prompt.line
    }

    /// Presses keys; returns the only action that is dispatched.
    private mutating func press(_ keys: Key...) -> (any BoardAction)? {
        let actions = keys.flatMap { model.press($0) }.compactMap { effect -> (any BoardAction)? in
            guard case .dispatch(let action, _) = effect else { return nil }
            return action
        }
        #expect(actions.count <= 1)
        return actions.first
    }

    @Test mutating func `what others write is shown while one types, and both are saved`() {
        _ = press(.character("e"), .home, .paste("Do: "))
        others(edit("Write the long README"))
        #expect(line?.text == "Do: Write the long README")
        #expect(line?.cursor == 4)
        let saved = press(.character("!"), .enter)
        if let saved { others(saved) }
        #expect(model.cards["todo"]?[0].text == "Do: !Write the long README")
    }

    @Test mutating func `what others have saved before this page has it is kept, too`() {
        _ = press(.character("e"), .paste("!"))
        let saved = press(.enter)
        others(edit("Write the long README"))
        if let saved { others(saved) }
        #expect(model.cards["todo"]?[0].text == "Write the long README!")
    }

    @Test mutating func `the cursor stays behind the letter where it was`() {
        _ = press(.character("e"), .left, .left)
        others(edit("Please write the README file"))
        #expect(line?.text == "Please write the README file")
        #expect(line?.cursor == 21)
        others(Vote(card: "1"))
        #expect(line?.cursor == 21)
    }

    @Test mutating func `line breaks that the line can't show are kept`() {
        others(edit("Write\nthe README"))
        _ = press(.character("e"))
        #expect(line?.text == "Write the README")
        let saved = press(.paste(" file"), .enter)
        if let saved { others(saved) }
        #expect(model.cards["todo"]?[0].text == "Write\nthe README file")
    }

    @Test mutating func `what couldn't be saved is there to be edited again`() {
        let saved = press(.character("e"), .paste(" file"), .enter)
        #expect(saved is EditCardText)
        // The person is doing something else.
        _ = press(.character("?"))
        others(edit("Write it"))
        refuse(saved, "Write the README file")
        #expect(model.mode == .help)
        #expect(model.notice?.contains("It is too late.") == true)
        _ = press(.character(" "))
        #expect(line?.text == "Write it Write the README file")
        let again = press(.enter)
        if let again { others(again) }
        #expect(model.cards["todo"]?[0].text == "Write it Write the README file")
        #expect(model.mode == .browse)
    }

    @Test mutating func `of a card that is gone it makes a new one`() {
        let saved = press(.character("e"), .paste(" file"), .enter)
        others(RemoveCard(card: "1"))
        refuse(saved, "Write the README file")
        #expect(line?.text == "Write the README file")
        let added = press(.enter) as? AddCard
        #expect(added == AddCard(column: "todo", text: "Write the README file"))
    }

    @Test mutating func `what can't be merged is shown behind the text of the others`() {
        let before = model.pages["todo"]!
        // An edit of one's own that is going to be rejected.
        others(edit("Write it", by: "a"))
        _ = press(.character("e"), .paste(" soon"))
        model.show(before, of: "todo", turned: nil)
        #expect(line?.text == "Write the README Write it soon")
        #expect(line?.cursor == 30)
        let saved = press(.enter)
        if let saved { others(saved) }
        #expect(model.cards["todo"]?[0].text == "Write the README Write it soon")
    }

    @Test mutating func `what a save has typed goes with it`() {
        _ = press(.character("e"), .paste(" file"))
        guard case .dispatch(_, let typed)? = model.press(.enter).first else {
            Issue.record("Nothing is dispatched.")
            return
        }
        #expect(typed == "Write the README file")
    }

    private mutating func refuse(_ action: (any BoardAction)?, _ typed: String) {
        guard let action else { return }
        model.refuse(action, typed, because: Rejection(.conflict, "It is too late."))
    }
}
