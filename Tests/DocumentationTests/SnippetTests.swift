import Foundation
import Testing

/// Documents show code as it is compiled.
struct SnippetTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Documents whose every piece of Swift comes from a snippet.
    private static let documents =
        [
            "Cluster", "Coming-from-ReSwift", "Large-states", "Recovery", "Services", "Simulation",
            "Text", "Web",
        ]
        .map { "Docs/\($0).md" }
        + articles(in: "Sources/Storecast/Documentation.docc")
        + articles(in: "Sources/StorecastRedux/Documentation.docc")
        + articles(in: "Sources/StorecastServer/Documentation.docc")

    @Test(arguments: documents)
    func `every piece of Swift in the document is compiled`(document: String) throws {
        let compiled = Set(try Self.snippets().values)
        let pieces = try Self.pieces(of: document)
        for piece in pieces {
            let isCompiled = compiled.contains(piece)
            #expect(isCompiled, "\(document) shows what isn't a snippet:\n\(piece)")
        }
    }

    @Test func `every snippet is shown somewhere`() throws {
        let shown = Set(try Self.documents.flatMap(Self.pieces))
        for (name, code) in try Self.snippets() where !shown.contains(code) {
            Issue.record("No document shows the snippet \(name).")
        }
        #expect(!shown.isEmpty)
    }

    @Test func `a snippet loses the indentation that all its lines have`() throws {
        let file = try SnippetFile(
            """
            func f() {
                // snippet: one
                if true {

                    g()
                }
                // end of snippet
            }
            """, name: "f")
        #expect(file.snippets == ["one": "if true {\n\n    g()\n}\n"])
    }

    @Test(arguments: [
        "// snippet: a", "// end of snippet", "// snippet: a\n// snippet: b\n// end of snippet",
        "// snippet: a\n// end of snippet\n// snippet: a\n// end of snippet",
    ])
    func `wrong marks are a mistake`(text: String) {
        #expect(throws: SnippetFile.Mistake.self) { try SnippetFile(text, name: "f") }
    }

    // MARK: Files

    /// All snippets, by file and name.
    private static func snippets() throws -> [String: String] {
        var all: [String: String] = [:]
        for folder in [
            "ComingFromReSwift", "CounterCluster", "LargeStates", "Pieces", "PollTests",
            "Services", "Tutorial",
        ] {
            let url = root.appending(path: "Tests/Snippets/\(folder)")
            for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
                let text = try String(contentsOf: url.appending(path: name), encoding: .utf8)
                for (key, code) in try SnippetFile(text, name: name).snippets {
                    all["\(folder)/\(name): \(key)"] = code
                }
            }
        }
        return all
    }

    private static func articles(in folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: folder).path)
        return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    /// The fenced pieces of Swift in a document, without what they are indented by.
    private static func pieces(of document: String) throws -> [String] {
        let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
        var pieces: [String] = []
        var open: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            if let lines = open, content.hasPrefix("```") {
                pieces.append(SnippetFile.unindented(lines))
                open = nil
            } else if open != nil {
                open?.append(line)
            } else if content == "```swift" {
                open = []
            }
        }
        return pieces
    }
}
