import StorecastServer
import Testing

struct RoomPatternsTests {
    private static let longest = String(repeating: "x", count: 64)

    @Test(
        arguments: [
            ("/boards/*", "/boards/a", true), ("/boards/*", "/boards/A-b_c.d~9", true),
            ("/boards/*", "/boards/" + longest, true), ("/boards/*", "/boards/x" + longest, false),
            ("/boards/*", "/boards/", false), ("/boards/*", "/boards", false),
            ("/boards/*", "/boards/a/", false), ("/boards/*", "/boards/a/b", false),
            ("/boards/*", "/Boards/a", false), ("/boards/*", "/boards/\u{e9}", false),
            ("/boards/*", "/boards/a b", false), ("/boards/*", "/boards/a%20b", false),
            ("/boards/*", "/boards/*", false), ("/boards/*", "/boards/..", false),
            ("/boards/*", "/boards/...", false), ("/boards/*", "/boards/a\u{0}", false),
            ("/*/*", "/a/b", true), ("/*", "/a", true), ("/*", "/", false), ("/", "/", true),
            ("/", "/a", false), ("/a/*/c", "/a/b/c", true), ("/a/*/c", "/a/b/d", false),
        ])
    func `a star is one segment of plain letters`(
        pattern: String, path: String, isOne: Bool
    ) throws {
        #expect(try RoomPatterns([pattern]).contains(path) == isOne)
        #expect(try RoomPatterns(["/none", pattern]).contains(path) == isOne)
    }

    @Test(arguments: [
        "", "boards", "*", "/boards/", "//", "/a*", "/**", "/a//b", "/\u{e9}", "/a b", "/..",
        "/a/.",
        "/x" + longest, String(repeating: "/a", count: 17),
    ])
    func `what is no pattern is refused, with an example`(text: String) {
        let error = #expect(throws: ServerError.self) { try RoomPatterns([text]) }
        #expect(error?.code == .roomPatternUnusable)
        #expect(error?.description.hasSuffix("Write /boards/*, for example.") == true)
    }

    @Test func `there are at most 64`() throws {
        #expect(try RoomPatterns(Array(repeating: "/a", count: 64)).contains("/a"))
        #expect(throws: ServerError.self) { try RoomPatterns(Array(repeating: "/a", count: 65)) }
    }
}
