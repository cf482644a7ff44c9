import StorecastTables
import Testing

struct TableKeyTests {
    static let texts = [
        "", "\0", "a", "a\0", "aaaaaaaa", "aaaaaaab", "aaaaaaaaa", "b", "cafe\u{301}", "caf\u{e9}",
        "K", "\u{212A}", "\u{ffff}", "😀", "abcdefghijklmno", "abcdefghijklmnop",
        "abcdefghijklmnopq", "abcdefghijklmnoq", String(repeating: "x", count: 100),
    ]

    @Test func `strings are in the order of their bytes`() {
        for one in Self.texts {
            for other in Self.texts {
                #expect(
                    String.isOrdered(one, before: other)
                        == one.utf8.lexicographicallyPrecedes(other.utf8), "\(one) \(other)")
            }
        }
        var random = SeededGenerator(seed: 1)
        func text() -> String {
            String(
                (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                    ["a", "b", "é", "e\u{301}"].randomElement(using: &random)!
                }.joined())
        }
        for _ in 0..<2_000 {
            let (one, other) = (text(), text())
            #expect(
                String.isOrdered(one, before: other)
                    == one.utf8.lexicographicallyPrecedes(other.utf8), "\(one) \(other)")
        }
    }

    @Test func `ids that look alike are two rows`() {
        var table = Table([Card(id: "\u{e9}", title: "1"), Card(id: "e\u{301}", title: "2")])
        #expect(table.count == 2)
        #expect(table[id: "\u{e9}"]?.title == "1" && table[id: "e\u{301}"]?.title == "2")
        let old = table
        table.remove(id: "e\u{301}")
        #expect(table[id: "\u{e9}"]?.title == "1" && table.count == 1)
        table.update(Card(id: "e\u{301}", title: "1"))
        #expect(table.changes(from: old).map { $0.id.utf8.count } == [3])
        #expect(table.changes(from: old) == table.changes(from: old))
    }

    @Test func `integers are in the order of numbers, and only their own text is theirs`() {
        #expect(Table([-1, 10, 9, 0].map { Number(id: $0) }).ids.elementsEqual([-1, 0, 9, 10]))
        for text in ["0", "7", "-1", "\(Int.max)", "\(Int.min)"] {
            #expect(Int(keyText: text)?.keyText == text)
        }
        for text in ["", "007", "+1", "-0", " 1", "1 ", "1.0", "١", "９", "a", "\(Int.max)0"] {
            #expect(Int(keyText: text) == nil, "\(text)")
        }
        #expect(UInt8(keyText: "255") == 255 && UInt8(keyText: "256") == nil)
        #expect(UInt128(keyText: UInt128.max.keyText) == .max)
    }

    struct Number: Identifiable { var id: Int }
    struct CardID: TableKey, RawRepresentable { var rawValue: String }
    enum Colour: Int, TableKey { case red = 2, green = 1 }

    @Test func `a type with a raw value is a key as that is`() {
        #expect(CardID(keyText: "a")?.keyText == "a")
        let (one, other) = (CardID(rawValue: "cafe\u{301}"), CardID(rawValue: "caf\u{e9}"))
        #expect(CardID.isOrdered(one, before: other) && !CardID.isOrdered(other, before: one))
        #expect(Colour.isOrdered(.green, before: .red) && !Colour.isOrdered(.red, before: .green))
        #expect(Colour(keyText: "2") == .red && Colour(keyText: "3") == nil)
    }
}
