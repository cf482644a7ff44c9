import StorecastWire
import Testing

@testable import StorecastRoom

/// A history with the terms a from 0, b from 4 and c from 7, which is at version 9.
@Suite struct RoomTermsTests {
    var terms = RoomTerms()

    init() {
        for (id, start) in [("a", 0), ("b", 4), ("c", 7)] as [(String, UInt64)] {
            terms.begin(id, at: start)
        }
    }

    @Test(
        arguments: [
            (4, "a", .part), (5, "a", .lost), (3, "b", .part), (7, "b", .part), (8, "b", .lost),
            (1, "c", .part), (9, "c", .part), (10, "c", .ahead), (1, "d", .unknown),
            (0, "d", .part), (9, nil, .part), (10, nil, .ahead),
        ] as [(UInt64, String?, RoomTerms.Relation)])
    func `a position is of the history if its term had come so far in it`(
        version: UInt64, term: String?, expected: RoomTerms.Relation
    ) {
        #expect(terms.relation(of: version, in: term, end: 9) == expected)
    }

    @Test func `without terms the version decides`() {
        #expect(RoomTerms().relation(of: 9, in: "a", end: 9) == .part)
        #expect(RoomTerms().relation(of: 10, in: "a", end: 9) == .ahead)
    }

    @Test func `whoever came after a term that goes on is lost`() {
        var terms = terms
        terms.begin("b", at: 9)
        #expect(terms.current == "b")
        #expect(terms.relation(of: 8, in: "c", end: 9) == .unknown)
        #expect(terms.relation(of: 9, in: "b", end: 9) == .part)
    }

    @Test func `the newest are kept`() {
        var terms = terms
        for number in 0..<(RoomTerms.most - 1) { terms.begin("\(number)", at: 9) }
        #expect(terms.relation(of: 1, in: "b", end: 9) == .unknown)
        #expect(terms.relation(of: 1, in: "c", end: 9) == .part)
    }

    @Test func `they are read as they were written`() throws {
        var writer = JSONWriter(reserving: 64)
        terms.write(to: &writer)
        #expect(try RoomTerms(JSONDocument(writer.bytes, limits: .trusted).root) == terms)
    }
}
