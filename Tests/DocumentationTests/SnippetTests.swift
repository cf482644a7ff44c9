import Foundation
import Testing

/// Documents show code as it is compiled.
struct SnippetTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// README, pages and articles.
    private static let documents =
        ["README.md"] + articles(in: "Docs")
        + names(in: "Sources").flatMap { articles(in: "Sources/\($0)/Documentation.docc") }

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

    /// All snippets, by file and name. Of some programs the whole file is one.
    private static func snippets() throws -> [String: String] {
        var all: [String: String] = [:]
        let folder = root.appending(path: "Tests/Snippets")
        let programs = [
            "Counter", "CounterClient", "CounterServer", "CounterTools", "TutorialPackage",
        ]
        for part in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !part.hasPrefix(".") {
            let files = folder.appending(path: part)
            for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
                let text = try String(contentsOf: files.appending(path: name), encoding: .utf8)
                if programs.contains(part) { all["\(part)/\(name)"] = text }
                for (key, code) in try SnippetFile(text, name: name).snippets {
                    all["\(part)/\(name): \(key)"] = code
                }
            }
        }
        return all
    }

    private static func articles(in folder: String) -> [String] {
        names(in: folder).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }

    /// What is in a folder; nothing, if it isn't there.
    private static func names(in folder: String) -> [String] {
        let path = root.appending(path: folder).path
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
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
