@testable import Example
@testable import StorecastSync
import Testing

struct BoardLimitsTests {
    private func code(_ text: String) -> Rejection.Code? {
        Stage().rejection(of: AddCard(column: "todo", text: text))?.code
    }

    @Test func `a text has at most its limit of Unicode scalars`() {
        #expect(code(String(repeating: "é", count: BoardLimits.text)) == nil)
        #expect(code(String(repeating: "x", count: BoardLimits.text + 1)) == .invalid)
        // One Character for a person, too many scalars for the board.
        let marks = String(repeating: "\u{301}", count: BoardLimits.text)
        #expect(code("e" + marks) == .invalid)
        #expect(code(String(repeating: "x", count: 1 << 20)) == .invalid)
    }

    @Test(arguments: ["", " ", "\n\t\u{3000}"])
    func `a text that says nothing is rejected`(text: String) {
        #expect(code(text) == .invalid)
    }

    @Test(arguments: ["\u{1B}[2J", "a\u{0}b", "a\u{7F}", "a\u{9B}31m", "a\rb"])
    func `control characters are rejected`(text: String) {
        #expect(code(text) == .invalid)
    }

    @Test func `line feeds and joined emoji are texts`() {
        #expect(code("two\nlines\tand 👩‍👩‍👧") == nil)
    }

    @Test func `every text that people write is checked`() {
        let long = String(repeating: "x", count: 1_001)
        let actions: [any SyncAction] = [
            AddColumn(title: long), RenameColumn(column: "todo", title: long), Say(text: long),
            EditCard(card: "1", text: long), AssignCard(card: "1", assignee: long),
        ]
        for action in actions {
            #expect(Stage().rejection(of: action)?.code == .invalid, "\(action)")
        }
    }

    @Test(arguments: ["bob\u{202E}", "b\u{200B}ob", "\u{2066}bob\u{2069}", " "])
    func `nobody is called by a name that hides or reorders text`(name: String) {
        var stage = Stage()
        stage.act(AddCard(column: "todo", text: "Buy tea."))
        #expect(stage.rejection(of: AssignCard(card: "1", assignee: "bob")) == nil)
        #expect(stage.rejection(of: AssignCard(card: "1", assignee: name))?.code == .invalid)
    }
}
