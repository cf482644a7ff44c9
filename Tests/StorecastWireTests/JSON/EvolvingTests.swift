import StorecastWire
import Testing

struct EvolvingTests {
    struct Card: Codable, Equatable {
        var text: String
        var color = "white"
        var votes = 1
    }

    struct Deck: Codable, Equatable {
        var cards: [Card]
        var byName: [String: Card]
    }

    private func read<T: Decodable>(_ text: String) throws -> T {
        try JSONCoding.decode(from: JSONDocument(text).root)
    }

    @Test func `a member that is missing has its default, wherever the value is`() throws {
        let deck: Deck = try read(
            #"{"cards":[{"text":"a"},{"text":"b","votes":5}],"byName":{"c":{"text":"c"}}}"#)
        #expect(
            deck.cards == [
                Card(text: "a", color: "red", votes: 2), Card(text: "b", color: "red", votes: 5),
            ])
        #expect(deck.byName == ["c": Card(text: "c", color: "red", votes: 2)])
    }

    @Test func `what is there counts, null too`() throws {
        let card: Card = try read(#"{"text":"a","color":"blue","votes":3}"#)
        #expect(card == Card(text: "a", color: "blue", votes: 3))
        #expect(throws: DecodingError.self) {
            try read(#"{"text":"a","color":null}"#) as Card
        }
    }

    @Test func `a member without a default stays necessary, and is named`() {
        let error = #expect(throws: DecodingError.self) { try read(#"{"votes":1}"#) as Card }
        #expect(error.map(JSONCoding.message(for:)) == #"The member "text" is missing."#)
    }

    @Test func `the member of a type inside is not taken for one's own`() {
        struct Outer: Decodable, Evolving {
            struct Inner: Decodable { var color: String }
            var inner: Inner
            static var memberDefaults: JSON { ["color": "red"] }
        }
        #expect(throws: DecodingError.self) { try read(#"{"inner":{}}"#) as Outer }
    }

    /// Counts how often one is read.
    final class Branch: Decodable, Evolving {
        @TaskLocal static var reads = Counter()
        final class Counter: @unchecked Sendable { var count = 0 }

        let inner: Branch?
        let color: String

        static let memberDefaults: JSON = ["color": "red"]

        enum CodingKeys: CodingKey { case inner, color }

        init(from decoder: any Decoder) throws {
            Self.reads.count += 1
            let members = try decoder.container(keyedBy: CodingKeys.self)
            inner = try members.decodeIfPresent(Branch.self, forKey: .inner)
            color = try members.decode(String.self, forKey: .color)
        }
    }

    @Test func `every value is read once, however many lack members`() throws {
        for levels in [1, 12, 60] {
            let text = (0..<levels).reduce("{}") { inner, _ in #"{"inner":"# + inner + "}" }
            try Branch.$reads.withValue(Branch.Counter()) {
                let branch: Branch = try read(text)
                #expect(branch.inner?.color == "red")
                #expect(Branch.reads.count == levels + 1)
            }
        }
    }

    @Test func `a default that doesn't fit is named`() {
        struct Wrong: Decodable, Evolving {
            struct Inner: Decodable, Evolving {
                var count: Int
                static var memberDefaults: JSON { ["count": "none"] }
            }
            var inner: [Inner]
            static var memberDefaults: JSON { [:] }
        }
        let error = #expect(throws: DecodingError.self) { try read(#"{"inner":[{}]}"#) as Wrong }
        let message = error.map(JSONCoding.message(for:))
        #expect(message == "At /inner/0/count: expected an integer, found a string.")
    }
}

extension EvolvingTests.Card: Evolving {
    // Other values than the initialiser's, to see which of them are used.
    static let memberDefaults: JSON = ["color": "red", "votes": 2]
}
