import IssueReporting
package import StorecastRoom
package import StorecastSync

/// The conformance suite of ``Journal``: checks, each a sentence, that a test runs on an
/// implementation.
///
/// ```swift
/// @Test(arguments: JournalConformance.all)
/// func `keeps what a journal promises`(check: JournalConformance) async throws {
///     let file = temporaryFile()
///     try await check.run { () throws(JournalError) in try await SQLiteStore.open(file) }
/// }
/// ```
/// A violation fails the test that is running, under Swift Testing and XCTest.
package struct JournalConformance: Sendable, CustomStringConvertible {
    typealias Body = @MainActor @Sendable (JournalBench) async throws -> Void

    /// What a journal does that passes the check.
    package let description: String
    private let durable: Bool
    private let body: Body

    init(_ description: String, durable: Bool = false, _ body: @escaping Body) {
        self.description = description
        self.durable = durable
        self.body = body
    }

    /// Every check. A journal that isn't durable skips those of what survives closing.
    package static let all = opening + appending + reading + snapshots + truncating + reopening

    /// Runs the check on a store, empty at first, which `open` opens each time.
    @MainActor package func run(
        _ open: @escaping @Sendable () async throws(JournalError) -> any JournalStore
    ) async throws {
        let bench = try await JournalBench(open)
        if bench.journal.isDurable || !durable { try await body(bench) }
        await bench.close()
    }
}

extension JournalConformance {
    static let reading = [
        JournalConformance("says at once that a room without entries is read") { bench in
            bench.expect(try await bench.read("/a"), [])
        },
        JournalConformance("gives what is behind an offset, and nothing else") { bench in
            try await bench.append(JournalSample.notes(5), to: "/a")
            try await bench.append(JournalSample.notes(5), to: "/b")
            try await bench.append(JournalSample.notes(5, from: 6), to: "/a")
            let all = try await bench.read("/a")
            for (index, entry) in all.enumerated() {
                let rest = try await bench.read("/a", after: entry.offset)
                bench.expect(rest, Array(all[(index + 1)...]))
            }
        },
        JournalConformance("gives many entries in order, each once") { bench in
            for first in stride(from: 1, to: 3_000, by: 500) {
                try await bench.append(JournalSample.notes(500, from: UInt64(first)), to: "/a")
            }
            bench.expect(
                try await bench.read("/a").map(\.record.seq) == Array(1...3_000), true)
        },
        JournalConformance("tells a reader that is caught up what comes then") { bench in
            try await bench.append(JournalSample.notes(2), to: "/a")
            let reader = JournalReader(bench.journal, "/a", after: 0)
            await reader.caughtUp()
            for seq in 3...20 as ClosedRange<UInt64> {
                try await bench.append(JournalSample.notes(1, from: seq), to: "/a")
                try await bench.append(JournalSample.notes(1, from: seq), to: "/b")
            }
            await reader.wait(forEntries: 20)
            reader.cancel()
            bench.expect(reader.entries.map(\.record.seq), Array(1...20))
            bench.expect(reader.timesCaughtUp, 1)
            bench.expect(reader.failure, nil)
        },
        JournalConformance("tells a reader that was cancelled nothing more") { bench in
            try await bench.append(JournalSample.notes(2), to: "/a")
            let reader = JournalReader(bench.journal, "/a", after: 0)
            await reader.caughtUp()
            reader.cancel()
            try await bench.append(JournalSample.notes(2, from: 3), to: "/a")
            bench.expect(try await bench.read("/a").count, 4)
            bench.expect(reader.entries.count, 2)
        },
    ]
}

/// Entries for tests of journals.
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

    /// An ordinary entry.
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

    /// Names of rooms that are canonically equivalent in Unicode, and differ only in their bytes.
    package static let lookAlikes = ["/b/\u{e9}", "/b/e\u{301}", "/K", "/\u{212A}"]

    /// Entries with every member, and with extreme values.
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
