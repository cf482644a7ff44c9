@testable import Example
import StorecastSync
@testable import Terminal
import Testing

struct BoardModelTests {
    @Test func `arrows and letters select cards, and stop at the edges`() {
        var model = BoardModel.example
        #expect(model.selectedCard?.id == "1")
        _ = model.pressing(.down, .character("j"), .down)
        #expect(model.selectedCard?.id == "3")
        _ = model.pressing(.right)
        #expect(model.selectedCard?.id == "4")
        _ = model.pressing(.right)
        #expect(model.selectedColumn?.id == "done")
        #expect(model.selectedCard == nil)
        _ = model.pressing(.right, .left, .character("h"), .character("h"), .home)
        #expect(model.selectedCard?.id == "1")
    }

    @Test func `the selection stays on its card when others move it`() {
        var model = BoardModel.example
        _ = model.pressing(.down)
        model.cards["todo"]?.insert(BoardModel.card("9", "new"), at: 0)
        model.settleCursor()
        #expect(model.selectedCard?.id == "2")
    }

    @Test func `when its card is removed the selection stays at its place`() {
        var model = BoardModel.example
        _ = model.pressing(.down)
        model.cards["todo"]?.remove(at: 1)
        model.settleCursor()
        #expect(model.selectedCard?.id == "3")
        model.cards["todo"] = []
        #expect(model.selectedCard == nil)
        model.columns = []
        #expect(model.selectedColumn == nil)
        #expect(model.pressing(.down, .character("v"), .shiftLeft, .character("x")).isEmpty)
    }

    @Test func `that place is where the card was last`() {
        var model = BoardModel.example
        _ = model.pressing(.down)
        model.cards["todo"]?.swapAt(0, 1)
        model.settleCursor()
        model.cards["todo"]?.removeFirst()
        model.settleCursor()
        #expect(model.selectedCard?.id == "1")
    }

    @Test func `a adds a card to the selected column`() {
        var model = BoardModel.example
        let actions = model.pressing(.right, .character("a"), .paste("Hi"), .character("!"), .enter)
        #expect(actions == [#"AddCard {"column":"doing","text":"Hi!"}"#])
        #expect(model.mode == .browse)
    }

    @Test func `escape and an empty line do nothing`() {
        var model = BoardModel.example
        #expect(model.pressing(.character("a"), .character("x"), .escape).isEmpty)
        #expect(model.pressing(.character("a"), .character(" "), .enter).isEmpty)
        #expect(model.mode == .browse)
    }

    @Test func `e edits the selected card`() {
        var model = BoardModel.example
        let actions = model.pressing(.character("e"), .backspace, .enter)
        #expect(
            actions == [
                #"EditCardText {"card":"1","edit":{"version":{"editor":"a","base":0,"own":0},"#
                    + #""changes":[{"at":15,"delete":1,"insert":""}]}}"#
            ])
        #expect(model.pressing(.character("e"), .left, .enter).isEmpty)
    }

    @Test func `a card that was never selected moves on, not the next one after it`() {
        var model = BoardModel.example
        _ = model.pressing(.shiftDown)
        model.cards["todo"]?.swapAt(0, 1)
        #expect(
            model.pressing(.shiftDown) == [#"MoveCard {"card":"1","column":"todo"}"#])
    }

    @Test func `cards move up and down above the card that will be below`() {
        var model = BoardModel.example
        #expect(
            model.pressing(.shiftDown) == [#"MoveCard {"card":"1","column":"todo","before":"3"}"#])
        #expect(model.pressing(.shiftUp).isEmpty)
        _ = model.pressing(.end)
        #expect(
            model.pressing(.character("K"))
                == [#"MoveCard {"card":"3","column":"todo","before":"2"}"#])
        #expect(model.pressing(.character("J")).isEmpty)
        _ = model.pressing(.up)
        #expect(model.pressing(.character("J")) == [#"MoveCard {"card":"2","column":"todo"}"#])
    }

    @Test func `a card moves to the next column, and the selection goes along`() {
        var model = BoardModel.example
        #expect(
            model.pressing(.character("m"), .right)
                == [#"MoveCard {"card":"1","column":"doing","before":"4"}"#])
        #expect(model.selectedColumn?.id == "doing")
        // The server's answer.
        let card = model.cards["todo"]?.removeFirst()
        model.cards["doing"]?.insert(card!, at: 0)
        model.settleCursor()
        #expect(model.selectedCard?.id == "1")
        #expect(model.mode == .move)
        _ = model.pressing(.enter)
        #expect(model.mode == .browse)
    }

    @Test func `v votes, and takes a vote back`() {
        var model = BoardModel.example
        #expect(model.pressing(.character("v")) == [#"Vote {"card":"1"}"#])
        #expect(model.pressing(.right, .character("v")) == [#"Unvote {"card":"4"}"#])
    }

    @Test func `t takes a card, and gives it back`() {
        var model = BoardModel.example
        #expect(model.pressing(.character("t")) == [#"AssignCard {"card":"1","assignee":"ada"}"#])
        model.cards["todo"]?[0].assignee = "ada"
        #expect(model.pressing(.character("t")) == [#"AssignCard {"card":"1"}"#])
        model.user = nil
        #expect(model.pressing(.character("t")).isEmpty)
        #expect(model.notice?.contains("--as") == true)
    }

    @Test func `x removes a card after a yes, and only then`() {
        var model = BoardModel.example
        #expect(model.pressing(.character("x"), .character("n")).isEmpty)
        #expect(model.pressing(.character("x"), .escape).isEmpty)
        #expect(model.pressing(.character("x"), .character("y")) == [#"RemoveCard {"card":"1"}"#])
    }

    @Test func `columns are added, renamed and removed`() {
        var model = BoardModel.example
        #expect(
            model.pressing(.character("n"), .character("L"), .enter)
                == [#"AddColumn {"title":"L"}"#])
        #expect(
            model.pressing(.character("r"), .character("!"), .enter)
                == [#"RenameColumn {"column":"todo","title":"To do!"}"#])
        #expect(
            model.pressing(.character("X"), .enter) == [#"RemoveColumn {"column":"todo"}"#])
    }

    @Test func `the chat stays open until an empty line`() {
        var model = BoardModel.example
        #expect(
            model.pressing(.character("c"), .character("q"), .enter, .character("?"), .enter)
                == [#"Say {"text":"q"}"#, #"Say {"text":"?"}"#])
        _ = model.pressing(.enter)
        #expect(model.mode == .browse)
    }

    @Test func `q quits only the board, control C everything`() {
        var model = BoardModel.example
        #expect(model.pressing(.character("q")) == ["quit"])
        #expect(model.pressing(.character("c"), .character("q")).isEmpty)
        #expect(model.pressing(.control("c")) == ["quit"])
    }

    @Test func `help goes with any key`() {
        var model = BoardModel.example
        _ = model.pressing(.character("?"))
        #expect(model.mode == .help)
        #expect(model.pressing(.character("q")).isEmpty)
        #expect(model.mode == .browse)
    }

    @Test func `past the ends of a page are the cards of the next one`() {
        var model = BoardModel.example
        #expect(model.pressing(.down, .down, .down) == [])
        model.pages["todo"]?.hasAfter = true
        #expect(model.selectedCard?.id == "3")
        #expect(model.pressing(.down) == ["next page of todo"])
        // It would go to the bottom of the column, as what is behind the page isn't known.
        #expect(model.pressing(.up, .shiftDown) == [])
        var page = model.pages["todo"]!
        page.rows = [BoardModel.card("7", "seven"), BoardModel.card("8", "eight")]
        (page.hasBefore, page.hasAfter) = (true, false)
        model.show(page, of: "todo", turned: .next)
        #expect(model.selectedCard?.id == "7")
        #expect(model.pressing(.down, .down) == [])
        #expect(model.selectedCard?.id == "8")
        #expect(model.pressing(.home) == ["first page of todo"])
        #expect(model.pressing(.up, .up) == ["previous page of todo"])
        model.show(BoardModel.example.pages["todo"]!, of: "todo", turned: .previous)
        #expect(model.selectedCard?.id == "3")
        // The selection stays where others are shown another page.
        #expect(model.pressing(.up) == [])
        model.show(BoardModel.example.pages["todo"]!, of: "todo", turned: nil)
        #expect(model.selectedCard?.id == "2")
    }
}
