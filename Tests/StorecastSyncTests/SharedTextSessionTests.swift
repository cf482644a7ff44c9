import StorecastSync
import Testing

/// Editors whose edits cross lose nothing.
struct SharedTextSessionTests {
    @Test(arguments: 1...15)
    func `all is kept, and in the end all are shown the same`(seed: UInt64) {
        var session = TextSession(seed: seed, memory: 100_000)
        session.run(steps: 250)
        #expect(session.refused == 0)
        #expect(session.accepted > 50)
        #expect(session.editors.allSatisfy { $0.shown == session.shared })
    }

    @Test func `edits are refused when too much has come in between, and all see that`() {
        var refused = 0
        for seed in 1...15 as ClosedRange<UInt64> {
            var session = TextSession(seed: seed, memory: 40)
            session.run(steps: 250)
            #expect(session.accepted > 20, "seed \(seed)")
            #expect(session.editors.allSatisfy { $0.shown == session.shared }, "seed \(seed)")
            refused += session.refused
        }
        #expect(refused > 0)
    }
}

/// A server and editors, whose edits and whose news of the others are late. No scalar is inserted
/// twice, so that each can be followed.
private struct TextSession {
    struct Made {
        var number: Int
        var edit: TextEdit
        var insert: String
        var gone: String
        var wanted: String
    }

    struct Editor {
        let name: String
        var shown: SharedText
        var waiting: [Made] = []
        var unsent: [Made] = []
        var answered = 0
        var count = 0
    }

    private(set) var shared: SharedText
    private(set) var editors: [Editor] = []
    private(set) var accepted = 0
    private(set) var refused = 0
    private var random: SeededGenerator
    private var next: UInt32 = 0x4E00

    init(seed: UInt64, memory: Int) {
        random = SeededGenerator(seed: seed)
        shared = SharedText(memory: memory)
        shared = SharedText(fresh(10), memory: memory)
        editors = ["ada", "bob", "eve"].map { Editor(name: $0, shown: shared) }
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            let editor = random.below(editors.count)
            switch random.below(4) {
            case 0, 1: type(editor)
            case 2: serve(editor)
            default: receive(editor)
            }
        }
        for editor in editors.indices {
            while !editors[editor].unsent.isEmpty { serve(editor) }
        }
        for editor in editors.indices { receive(editor) }
    }

    private mutating func fresh(_ count: Int) -> String {
        var text = ""
        for _ in 0..<count {
            text.unicodeScalars.append(Unicode.Scalar(next)!)
            next += 1
        }
        return text
    }

    /// Somebody replaces some of what is shown to them, and is shown that at once.
    private mutating func type(_ editor: Int) {
        let old = Array(editors[editor].shown.text)
        let at = random.below(old.count + 1)
        let end = min(old.count, at + [0, 0, 1, 3][random.below(4)])
        let insert = fresh(random.below(4))
        let wanted = String(old[..<at]) + insert + String(old[end...])
        guard let edit = editors[editor].shown.edit(by: editors[editor].name, to: wanted)
        else { return }
        editors[editor].count += 1
        let made = Made(
            number: editors[editor].count, edit: edit, insert: insert,
            gone: String(old[at..<end]), wanted: wanted)
        editors[editor].waiting.append(made)
        editors[editor].unsent.append(made)
        editors[editor].shown.apply(edit)
        #expect(editors[editor].shown.text == wanted)
    }

    /// The server reduces the oldest edit that hasn't reached it yet.
    private mutating func serve(_ editor: Int) {
        guard !editors[editor].unsent.isEmpty else { return }
        let made = editors[editor].unsent.removeFirst()
        editors[editor].answered = made.number
        let before = shared
        shared.apply(made.edit)
        guard shared != before else { return refused += 1 }
        accepted += 1
        let text = shared.text
        let (letters, wanted) = (Set(text), Set(made.wanted))
        #expect(made.insert.isEmpty || text.contains(made.insert), "it is there, in one piece")
        #expect(letters.isDisjoint(with: made.gone), "what is deleted is gone")
        #expect(
            text.filter { !made.insert.contains($0) }
                == before.text.filter { !made.gone.contains($0) },
            "nothing else changes")
        #expect(
            text.filter(wanted.contains) == made.wanted.filter(letters.contains),
            "it stands among what its editor saw")
    }

    /// The server's value comes, and what is waiting is run on it again.
    private mutating func receive(_ editor: Int) {
        editors[editor].shown = shared
        let answered = editors[editor].answered
        editors[editor].waiting.removeAll { $0.number <= answered }
        for made in editors[editor].waiting { editors[editor].shown.apply(made.edit) }
    }
}
