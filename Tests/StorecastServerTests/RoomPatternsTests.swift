import Testing

@testable import StorecastServer

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

    @Test func `a pattern has at most 16 segments, and a segment 64 letters`() throws {
        let most = String(repeating: "/a", count: 16)
        #expect(try RoomPatterns([most]).contains(most))
        #expect(try RoomPatterns(["/" + Self.longest]).contains("/" + Self.longest))
        let error = #expect(throws: ServerError.self) { try RoomPatterns(["/", most + "/a"]) }
        #expect(error?.description.contains("more than 16 segments") == true)
    }

    @Test(
        arguments: [
            ("boards", "doesn't begin with a slash"), ("/a/", "an empty segment"),
            ("/a*", "a * alone"),
        ])
    func `what is wrong with a pattern is said`(text: String, problem: String) {
        let error = #expect(throws: ServerError.self) { try RoomPatterns([text]) }
        #expect(error?.description.contains(problem) == true)
        #expect(error?.description.contains("'\(text)'") == true)
    }

    @Test(
        arguments: [
            ("/a/*", "/a/b", true), ("/a/*", "/*/b", true), ("/a/b", "/*/c", false),
            ("/a", "/a/*", false), ("/a", "/b", false), ("/*", "/*", true), ("/", "/*", false),
            ("/é", "/e\u{301}", false),
        ])
    func `two patterns meet where one path may match both`(
        one: String, other: String, meet: Bool
    ) throws {
        // What isn't a name can't be a pattern.
        guard let one = try? RoomPattern(one), let other = try? RoomPattern(other) else {
            return #expect(!meet)
        }
        #expect(one.meets(other) == meet && other.meets(one) == meet)
    }

    @Test func `who asks for a path that isn't one is told which there are`() throws {
        let patterns = try RoomPatterns(["/a/*", "/b"])
        #expect(patterns.lack(of: "/c") == "There is no room at '/c'; there are: /a/*, /b.")
    }

    @Test func `there are at most 64`() throws {
        #expect(try RoomPatterns(Array(repeating: "/a", count: 64)).contains("/a"))
        #expect(throws: ServerError.self) { try RoomPatterns(Array(repeating: "/a", count: 65)) }
    }
}
