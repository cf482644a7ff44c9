@testable import StorecastSync
import Testing

/// How a refusal lists what a room knows.
struct KnownNamesTests {
    private func lack(_ names: [String]) -> String { KnownNames(names).lack(of: "Nope") }

    @Test func `all names are listed up to twenty, then how many more there are`() {
        let names = (1...23).map { "a\($0)" }
        #expect(lack([]) == "There is no 'Nope': there are none at all.")
        #expect(lack(["Say"]) == "There is no 'Nope', only Say.")
        #expect(lack(["Move", "Say"]) == "There is no 'Nope', only Move, Say.")
        let twenty = names.prefix(20).joined(separator: ", ")
        #expect(lack(Array(names.prefix(20))) == "There is no 'Nope', only \(twenty).")
        #expect(lack(names) == "There is no 'Nope', only \(twenty) and 3 more.")
    }

    @Test func `long names leave the sentence within what a rejection's detail may have`() {
        let long = String(repeating: "x", count: 60)
        // 62 bytes each with what is between them: six are within 384.
        #expect(lack(Array(repeating: long, count: 30)).hasSuffix(" and 24 more."))
        let huge = String(repeating: "é", count: 10_000)
        let text = KnownNames(Array(repeating: huge, count: 30)).lack(of: huge)
        #expect(text.utf8.count <= 512)
        #expect(text.hasSuffix(" more."))
    }
}
