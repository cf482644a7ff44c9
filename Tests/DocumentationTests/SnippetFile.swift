import Foundation

/// A compiled file from which documents show parts, marked by comments:
///
/// ```
/// // snippet: <name>
/// …
/// // end of snippet
/// ```
struct SnippetFile {
    /// A file that is marked wrongly.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    /// The parts, by their names, without the indentation that all their lines have.
    private(set) var snippets: [String: String] = [:]

    /// Reads the marks in the text of a file.
    init(_ text: String, name: String) throws {
        var open: (name: String, lines: [Substring])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let mark = line.drop { $0 == " " }
            if mark.hasPrefix("// snippet: ") {
                guard open == nil else { throw Mistake(description: "\(name): \(mark) is inside") }
                open = (String(mark.dropFirst("// snippet: ".count)), [])
            } else if mark == "// end of snippet" {
                guard let ended = open.take(), snippets[ended.name] == nil else {
                    throw Mistake(description: "\(name): an end too many, or a name twice")
                }
                snippets[ended.name] = Self.unindented(ended.lines)
            } else {
                open?.lines.append(line)
            }
        }
        if let open { throw Mistake(description: "\(name): \(open.name) has no end") }
    }

    /// The lines as text, each without what all that aren't empty are indented by.
    static func unindented(_ lines: [Substring]) -> String {
        let depth = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { "\($0.dropFirst(depth))\n" }.joined()
    }
}
