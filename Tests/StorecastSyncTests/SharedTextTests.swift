import Foundation
import StorecastSync
import Testing

/// A shared text does what the vectors say, which the JavaScript client is held to as well.
struct SharedTextTests {
    private struct Vectors: Decodable {
        struct Step: Decodable {
            var edit: TextEdit
            var text: String?
            var refused: String?
        }

        struct History: Decodable, CustomTestStringConvertible {
            var name: String?
            var start: String
            var memory: Int
            var steps: [Step]
            var testDescription: String { name ?? "a history from '\(start)'" }
        }

        struct Difference: Decodable, CustomTestStringConvertible {
            var from: String
            var to: String
            var changes: [TextChange]
            var testDescription: String { "'\(from)' to '\(to)'" }
        }

        var cases: [History]
        var differences: [Difference]
        var histories: [History]
    }

    private static let vectors: Vectors = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        guard let text = try? Data(contentsOf: tests.appending(path: "Vectors/texts.json")),
            let vectors = try? JSONDecoder().decode(Vectors.self, from: text)
        else { return Vectors(cases: [], differences: [], histories: []) }
        return vectors
    }()

    /// Applies the edits of a vector, and compares the text behind each.
    private func follow(_ vector: Vectors.History) -> SharedText {
        var shared = SharedText(vector.start, memory: vector.memory)
        for step in vector.steps {
            let before = shared
            let code = refusal(of: step.edit, shared)
            #expect(code == step.refused, "\(step.edit)")
            shared.apply(step.edit)
            if let text = step.text {
                #expect(Array(shared.text.utf8) == Array(text.utf8), "\(step.edit)")
                #expect(shared.count == text.unicodeScalars.count)
            } else {
                #expect(shared == before, "\(step.edit)")
            }
        }
        return shared
    }

    private func refusal(
        of edit: TextEdit, _ shared: SharedText, longest: Int = .max
    ) -> String? {
        do throws(Rejection) {
            try shared.check(edit, longest: longest)
            return nil
        } catch {
            return error.code.description
        }
    }

    @Test func `the vectors are there`() {
        #expect(Self.vectors.cases.count > 15)
        #expect(Self.vectors.differences.count > 12)
        #expect(Self.vectors.histories.count > 15)
    }

    @Test(arguments: vectors.cases)
    private func `an edit finds its place among those that came in between`(
        vector: Vectors.History
    ) {
        _ = follow(vector)
    }

    @Test(arguments: vectors.histories)
    private func `it becomes what a slow model makes of it, with a bounded memory`(
        history: Vectors.History
    ) throws {
        let shared = follow(history)
        let encoded = parts(try JSONEncoder().encode(shared))
        #expect(encoded.remembered <= history.memory)
        if history.memory < 100 { #expect(encoded.folded > 0, "too short for its memory") }
    }

    private struct Parts: Decodable {
        struct Span: Decodable { var deleted: [Int]? }
        struct Turn: Decodable {}
        var folded = 0
        var spans: [Span] = []
        var turns: [Turn] = []
        var remembered: Int {
            spans.reduce(turns.count) { $0 + 1 + ($1.deleted?.count ?? 0) }
        }
    }

    private func parts(_ json: Data) -> Parts {
        (try? JSONDecoder().decode(Parts.self, from: json)) ?? Parts()
    }

    @Test func `it is read as it was written`() throws {
        for history in Self.vectors.histories {
            let shared = follow(history)
            let read = try JSONDecoder().decode(
                SharedText.self, from: JSONEncoder().encode(shared))
            #expect(read == shared)
        }
    }

    @Test(arguments: vectors.differences)
    private func `the edit between two texts leaves whole words`(
        difference: Vectors.Difference
    ) {
        var shared = SharedText(difference.from)
        let edit = shared.edit(by: "ada", to: difference.to)
        #expect((edit?.changes ?? []) == difference.changes)
        if let edit { shared.apply(edit) }
        #expect(Array(shared.text.utf8) == Array(difference.to.utf8))
    }

    @Test func `it is one change, where there would be too many, or too much to compare`() {
        let many = (0..<120).map { "same \($0) " }.joined()
        let other = (0..<120).map { "other \($0) " }.joined()
        #expect(SharedText(many).edit(by: "ada", to: other)?.changes.count == 1)
        let long = String(repeating: "a b ", count: 1_000)
        #expect(SharedText(long).edit(by: "ada", to: "x" + long.uppercased())?.changes.count == 1)
    }

    @Test func `no more changes are taken than an edit may have`() {
        let shared = SharedText(String(repeating: "ab", count: 200))
        func edit(_ count: Int) -> TextEdit {
            TextEdit(
                version: shared.version(for: "ada"),
                changes: (0..<count).map { TextChange(at: 2 * $0, delete: 1) })
        }
        #expect(refusal(of: edit(TextEdit.mostChanges), shared) == nil)
        #expect(refusal(of: edit(TextEdit.mostChanges + 1), shared) == "invalid")
    }

    @Test func `numbers of any size are refused`() {
        let shared = SharedText("ab")
        for number in [Int.max, .min] {
            for edit in [
                TextEdit(
                    version: TextVersion(editor: "ada", base: number, own: 0),
                    changes: [TextChange(at: 0, delete: 1)]),
                TextEdit(
                    version: TextVersion(editor: "ada", base: 0, own: number),
                    changes: [TextChange(at: 0, delete: 1)]),
                TextEdit(
                    version: shared.version(for: "ada"),
                    changes: [TextChange(at: 0, delete: number)]),
                TextEdit(
                    version: shared.version(for: "ada"),
                    changes: [TextChange(at: number, insert: "x")]),
            ] {
                #expect(refusal(of: edit, shared) != nil, "\(edit)")
            }
        }
    }

    @Test func `whatever an edit says, its text and what it remembers stay in step`() {
        var random = SeededGenerator(seed: 17)
        var shared = SharedText("some words to begin with", memory: 60)
        var taken = 0
        for _ in 0..<3_000 {
            let version = TextVersion(
                editor: ["ada", "bob", "eve"][random.below(3)],
                base: shared.revision - random.below(12) + 1, own: random.below(4) - 1)
            var (at, changes) = (random.below(10) - 1, [TextChange]())
            for _ in 0..<random.below(4) {
                changes.append(
                    TextChange(
                        at: at, delete: random.below(6) - 1,
                        insert: String(repeating: "é", count: random.below(3))))
                at += random.below(9)
            }
            let before = shared.revision
            shared.apply(TextEdit(version: version, changes: changes))
            taken += shared.revision - before
            #expect(shared.count == shared.text.unicodeScalars.count)
        }
        #expect(taken > 300)
    }

    @Test func `what would make it too long is a conflict, but what makes it shorter never is`() {
        let shared = SharedText("abcdef")
        let longer = shared.edit(by: "ada", to: "abcdef!")
        let shorter = shared.edit(by: "ada", to: "abcde")
        #expect(longer.flatMap { refusal(of: $0, shared, longest: 6) } == "conflict")
        #expect(longer.flatMap { refusal(of: $0, shared, longest: 7) } == nil)
        #expect(shorter.flatMap { refusal(of: $0, shared, longest: 3) } == nil)
    }

    @Test func `one editor types as much as they like without a connection`() {
        var shared = SharedText("", memory: 50)
        let offline = shared.version(for: "ada")
        for own in 0..<500 {
            shared.apply(
                TextEdit(
                    version: TextVersion(editor: "ada", base: offline.base, own: own),
                    changes: [TextChange(at: own, insert: "x")]))
        }
        #expect(shared.text == String(repeating: "x", count: 500))
        #expect(shared.version(for: "ada") == TextVersion(editor: "ada", base: 0, own: 500))
        #expect(shared.version(for: "bob") == TextVersion(editor: "bob", base: 500, own: 0))
    }

    @Test(arguments: [
        #"{"text":"abc","revision":1,"memory":9,"folded":0,"turns":[],"spans":[{"count":2}]}"#,
        #"{"text":"","revision":1,"memory":9,"folded":0,"turns":[],"spans":[{"count":-1}]}"#,
        #"{"text":"a","revision":-1,"memory":9,"folded":0,"turns":[],"spans":[{"count":1}]}"#,
        #"{"text":"a","revision":1,"memory":9,"folded":5,"turns":[],"spans":[{"count":1}]}"#,
    ])
    func `what was never a shared text takes no edits, and doesn't trap`(json: String) throws {
        var shared = try JSONDecoder().decode(SharedText.self, from: Data(json.utf8))
        let before = shared
        let edit = TextEdit(
            version: TextVersion(editor: "ada", base: 0, own: 0),
            changes: [TextChange(at: 0, insert: "x")])
        shared.apply(edit)
        #expect(shared == before)
        #expect(refusal(of: edit, shared) == "internal")
        #expect(shared.offset(0, of: edit.version) == nil)
    }

    // MARK: Cursors

    @Test func `a cursor stays between its neighbours while others edit`() throws {
        let older = SharedText("😀 one two")
        var newer = older
        newer.apply(try #require(older.edit(by: "bob", to: "🙃🙃 one, two")))
        func moved(_ before: String) -> String {
            let cursor = older.text.index(older.text.startIndex, offsetBy: before.count)
            return String(newer.text[..<newer.place(of: cursor, in: older, for: "ada")])
        }
        #expect(moved("😀 on") == "🙃🙃 on")
        #expect(moved("😀 one") == "🙃🙃 one")
        #expect(moved("😀 one two") == "🙃🙃 one, two")
        #expect(moved("") == "")
    }

    @Test func `a cursor stands where it stood, when what was around it is deleted`() throws {
        let older = SharedText("one two three")
        var newer = older
        newer.apply(try #require(older.edit(by: "bob", to: "one three")))
        #expect(newer.offset(6, of: older.version(for: "ada")) == 4)
    }

    @Test func `a cursor keeps its distance, or stands at the end, when it can't be told`() throws {
        let older = SharedText("one two", memory: 1)
        var newer = older
        for text in ["one", "on", "o"] {
            newer.apply(try #require(newer.edit(by: "bob", to: text)))
        }
        #expect(newer.offset(3, of: older.version(for: "ada")) == nil)
        let far = older.text.index(older.text.startIndex, offsetBy: 3)
        #expect(newer.place(of: far, in: older, for: "ada") == newer.text.endIndex)
        let near = older.text.index(after: older.text.startIndex)
        #expect(newer.place(of: near, in: older, for: "ada") == newer.text.endIndex)
    }
}
