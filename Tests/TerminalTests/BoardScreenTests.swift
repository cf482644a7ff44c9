@testable import Example
@testable import StorecastClient
import StorecastSync
@testable import Terminal
import Testing

struct BoardScreenTests {
    private func lines(_ model: BoardModel, _ width: Int = 80, _ height: Int = 24) -> [String] {
        BoardScreen.draw(model, width: width, height: height).lines
    }

    @Test func `a board of three columns in 80 by 24`() {
        let expected = """
             Storecast board                                              ada, bob · 2 here
             To do 3                  │ Doing 1                  │ Done 0
            ━━━━━━━━━━━━━━━━━━━━━━━━━━┼──────────────────────────┼──────────────────────────
            ▌ Write the README        │• Review                  │
            • Measure the fan-out to  │  ▲2 @bob                 │
              1,000 connections       │                          │
            • 日本語のカード          │                          │
            """
        #expect(
            Array(lines(.example).prefix(7)) == expected.split(separator: "\n").map(String.init))
        #expect(lines(.example)[16].hasPrefix("─ Chat ──"))
        #expect(lines(.example)[20] == " 00:04 bob Who takes the README?")
        #expect(lines(.example)[21] == " 00:04 anonymous I do [2J")
        #expect(lines(.example)[22] == " ● live · ada · ws://localhost:9090/")
    }

    @Test(arguments: [(80, 24), (40, 12), (41, 13), (200, 60), (39, 12), (1, 1), (0, 0), (80, 11)])
    func `every size is filled and nothing more`(width: Int, height: Int) {
        var model = BoardModel.example
        for mode in [
            .browse, .move, .help, .typing(Prompt(.say, text: String(repeating: "日", count: 300))),
            .confirming(.removeCard("1", text: String(repeating: "x", count: 300))),
        ] as [BoardModel.Mode] {
            model.mode = mode
            model.notice = String(repeating: "notice ", count: 40)
            let canvas = BoardScreen.draw(model, width: width, height: height)
            #expect(canvas.width == width && canvas.height == height)
            for line in canvas.lines { #expect(TextLayout.columns(line) <= width) }
        }
    }

    @Test func `why the connection ended is said once, and whole`() {
        var model = BoardModel.example
        model.link = .closed("There is no such room.")
        model.notice = "There is no such room."
        #expect(
            lines(model)[22]
                == " ✕ closed: There is no such room. · ada · ws://localhost:9090/")
    }

    @Test func `a line that is too long shows the part around the cursor`() {
        var model = BoardModel.example
        let text = String(repeating: "abcdefghij", count: 12)
        model.mode = .typing(Prompt(.say, text: text))
        let canvas = BoardScreen.draw(model, width: 80, height: 24)
        #expect(canvas.lines[22].hasSuffix("abcdefghij"))
        #expect(canvas.cursor?.row == 22)
        #expect(canvas.cursor.map { $0.column < 80 } == true)
    }

    @Test func `the selected card is on the screen however many there are`() {
        var model = BoardModel.example
        model.cards["todo"] = (0..<100).map { BoardModel.card("\($0)", "card number \($0)") }
        _ = model.pressing(.end)
        let text = lines(model)
        #expect(text.contains { $0.hasPrefix("▌ card number 99") })
        #expect(text[2].contains("↑"))
        _ = model.pressing(.home)
        #expect(lines(model).contains { $0.hasPrefix("▌ card number 0 ") })
        #expect(lines(model)[2].contains("↓"))
    }

    @Test func `the selected column is on the screen however many there are`() {
        var model = BoardModel.example
        model.columns = (0..<10).map { Column(id: "\($0)", title: "Column \($0)") }
        for _ in 0..<9 { _ = model.pressing(.right) }
        #expect(lines(model)[1].contains("Column 9"))
        #expect(lines(model)[1].hasPrefix("‹"))
        for _ in 0..<9 { _ = model.pressing(.left) }
        #expect(lines(model)[1].contains("Column 0"))
        #expect(lines(model)[1].hasSuffix("›"))
    }

    @Test(
        arguments: [
            (.connecting, "◌ connecting …"), (.live, "● live"),
            (.offline(retryIn: 3, because: "gone."), "○ offline, next try in 3 s (gone.)"),
            (.closed("bad token."), "✕ closed: bad token."),
        ] as [(BoardModel.Link, String)])
    func `the status line says how the connection is doing`(link: BoardModel.Link, text: String) {
        var model = BoardModel.example
        model.link = link
        #expect(lines(model)[22].hasPrefix(" " + text))
    }

    @Test(
        arguments: [
            (.connecting, .connecting), (.live, .live),
            (.offline(outage(until: 12.5)), .offline(retryIn: 3, because: "gone.")),
            (.offline(outage(until: 11)), .offline(retryIn: 1, because: "gone.")),
            (.offline(outage(until: 9)), .offline(retryIn: 0, because: "gone.")),
            (.closed(nil), .closed("the connection was closed.")),
            (
                .closed(Rejection(.forbidden, "No.")),
                .closed("\(Rejection(.forbidden, "No."))")
            ),
        ] as [(RemoteConnection.Status, BoardModel.Link)])
    func `an outage is counted down to the next try`(
        status: RemoteConnection.Status, link: BoardModel.Link
    ) {
        #expect(BoardModel.Link(status, at: Timestamp(secondsSince1970: 10)) == link)
    }

    private static func outage(until retry: Double) -> Outage {
        Outage(
            since: Timestamp(secondsSince1970: 2), retryAt: Timestamp(secondsSince1970: retry),
            reason: "gone.")
    }

    @Test(
        arguments: [
            (.connecting, 2, "◌ connecting …, 2 unsent changes · ada"),
            (
                .offline(retryIn: 3, because: "gone."), 1,
                "○ offline, next try in 3 s (gone.), 1 unsent change · ada"
            ),
            (.live, 2, "● live · ada"), (.connecting, 0, "◌ connecting … · ada"),
        ] as [(BoardModel.Link, Int, String)])
    func `without a connection the status line says what is unsent`(
        link: BoardModel.Link, unsent: Int, text: String
    ) {
        var model = BoardModel.example
        (model.link, model.unsent) = (link, unsent)
        #expect(lines(model)[22].hasPrefix(" " + text))
    }

    @Test func `names and titles of others can't do anything to the terminal`() {
        var model = BoardModel.example
        let evil = "\u{1B}]0;x\u{7}\u{9B}2J"
        model.columns = [Column(id: "todo", title: evil)]
        model.cards["todo"] = [BoardModel.card("1", evil, assignee: evil)]
        model.present = [
            Participant(id: "e", name: evil, since: Timestamp(secondsSince1970: 0))
        ]
        model.chat = [
            ChatMessage(
                id: "e", author: evil, text: evil, time: Timestamp(secondsSince1970: .infinity))
        ]
        model.notice = evil
        model.link = .closed(evil)
        let sent = BoardScreen.draw(model, width: 80, height: 24).update(from: nil)
        #expect(!sent.contains("\u{1B}]"))
        #expect(!sent.unicodeScalars.contains("\u{7}"))
        #expect(!sent.unicodeScalars.contains("\u{9B}"))
    }
}
