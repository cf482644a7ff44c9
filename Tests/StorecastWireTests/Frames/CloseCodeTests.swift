import StorecastWire
import Testing

struct CloseCodeTests {
    @Test func `the table is the vectors' table`() throws {
        let rows = try #require(JSON(parsing: Vectors.text(of: "close-codes.json")).array)
        let expected = rows.map {
            Row(
                code: $0["code"]?.int, word: $0["word"]?.string, reconnect: $0["reconnect"]?.bool)
        }
        #expect(CloseCode.all.map(Row.init) == expected)
    }

    @Test func `the table is the document's table`() throws {
        let lines = try Vectors.document().split(separator: "\n")
        let rows = lines.compactMap { line -> Row? in
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ").dropLast() }
            guard cells.count == 4, let code = Int(cells[0]), (1000..<5000).contains(code) else {
                return nil
            }
            let word = cells[1].filter { $0 != "`" }
            return Row(code: code, word: String(word), reconnect: cells[3] == "yes")
        }
        #expect(CloseCode.all.map(Row.init) == rows)
    }

    @Test(arguments: [(1006, true), (1008, false), (1010, false), (1012, true), (3000, true)])
    func `other codes ask to connect again unless they say not to`(code: UInt16, again: Bool) {
        #expect(CloseCode(rawValue: code).allowsReconnect == again)
    }

    @Test func `4000 to 4099 mean again, 4100 to 4199 mean stop`() {
        for code in UInt16(4000)...4199 {
            #expect(CloseCode(rawValue: code).allowsReconnect == (code < 4100))
        }
        #expect(CloseCode(rawValue: 4200).word == "close-4200")
    }

    private struct Row: Equatable {
        var code: Int?
        var word: String?
        var reconnect: Bool?

        init(code: Int?, word: String?, reconnect: Bool?) {
            self.code = code
            self.word = word
            self.reconnect = reconnect
        }

        init(_ code: CloseCode) {
            self.init(
                code: Int(code.rawValue), word: code.word, reconnect: code.allowsReconnect)
        }
    }
}
