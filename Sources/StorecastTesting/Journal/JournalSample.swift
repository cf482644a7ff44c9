package import StorecastRoom

/// Entries to try a journal with.
package enum JournalSample {
    /// A short action.
    package struct Note: SyncAction {
        package var text: String

        package init(text: String) {
            self.text = text
        }
    }

    /// An action that can't be encoded.
    struct Unencodable: SyncAction {
        struct Refusal: Error {}

        init() {}
        init(from decoder: any Decoder) throws { throw Refusal() }
        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }

    /// An entry with nothing special about it.
    package static func entry(_ seq: UInt64, _ actions: [any SyncAction]) -> JournalEntry {
        JournalEntry(
            client: "client-of-the-bench", seq: seq, base: seq - 1, settled: seq - 1,
            sender: Identity("ada"), time: Timestamp(secondsSince1970: 1_000_000 + Double(seq)),
            seed: seq, actions: actions, rejection: nil)
    }

    /// `count` entries from `first` on, each with a note of its number.
    package static func notes(_ count: UInt64, from first: UInt64 = 1) -> [JournalEntry] {
        (first..<first + count).map { entry($0, [Note(text: "\($0)")]) }
    }

    /// Names of rooms that differ in their bytes only: canonically equivalent, as Unicode has it.
    package static let lookAlikes = ["/b/\u{e9}", "/b/e\u{301}", "/K", "/\u{212A}"]

    /// Entries with everything that can stand in one.
    package static let strangeOnes: [JournalEntry] = [
        JournalEntry(
            client: "c", seq: 1, base: 0, settled: 0, sender: .anonymous,
            time: Timestamp(secondsSince1970: 0), seed: 0, actions: [], rejection: nil),
        JournalEntry(
            client: "c", seq: 1 << 53 - 1, base: 1 << 53 - 1, settled: 1 << 53 - 1,
            sender: Identity("NUL \u{0} and\nlines", roles: ["b", "a", "", "\"\u{1F980}\""]),
            time: Timestamp(secondsSince1970: -1.5), seed: .max,
            actions: [
                Note(text: ""), Note(text: "\u{0} \" \\ ü \u{1F980}"), Note(text: "third"),
            ], rejection: nil, schema: 3),
        JournalEntry(
            client: "c", seq: 3, base: 7, settled: 2, sender: Identity("e\u{301}"),
            time: Timestamp(secondsSince1970: 1_763_726_400.123_456_7), seed: 1 << 63,
            actions: [], rejection: Rejection(.conflict, "No.", detail: "Not \u{0} that.")),
        JournalEntry(
            client: "c", seq: 4, base: 7, settled: 2, sender: Identity("ada"),
            time: Timestamp(secondsSince1970: .leastNonzeroMagnitude), seed: 1,
            actions: [], rejection: Rejection("own-code", "")),
        JournalEntry(
            client: "c", seq: 5, base: 7, settled: 2, sender: Identity("eve"),
            time: Timestamp(secondsSince1970: 5), seed: 5, actions: [],
            rejection: Rejection(.unknownAction, "No."),
            refused: RefusedAction(
                type: "\u{1B}[2J\u{0}", payload: String(repeating: "\u{1F980}\"", count: 1000))),
        JournalEntry(
            client: "c", seq: 6, base: 7, settled: 2, sender: Identity("ada"),
            time: Timestamp(secondsSince1970: 6), seed: 6,
            actions: [Note(text: "kept, not reduced")], rejection: Rejection(.internal, "No.")),
    ]
}

extension Rejection {
    fileprivate init(_ code: String, _ title: String) { self.init(Code(code), title) }
}
