import StorecastClient
import Testing

@testable import StorecastDevtools
@testable import StorecastRoom

struct DispatchLogTests {
    private struct Take: SyncAction { var number = 0 }

    private static let rejection = Rejection(.invalid, "Only up.")

    private func entry(
        _ actions: [any SyncAction], rejection: Rejection? = nil, refused: String? = nil,
        size: Int = 100
    ) -> JournalEntry {
        JournalEntry(
            client: "c", seq: 1, base: 0, settled: 0, sender: Identity("ada"),
            time: Timestamp(secondsSince1970: 0), seed: 0, actions: actions,
            rejection: rejection, refused: refused.map { RefusedAction(type: $0, payload: "{}") },
            size: size)
    }

    /// Acked, rejected, refused before they were actions, and with several actions or none.
    private var entries: [JournalEntry] {
        [
            entry([Add(number: 1)]), entry([Add(number: -1)], rejection: Self.rejection),
            entry([Take()]), entry([Take(), Add(number: 2)]), entry([]),
            entry([], rejection: Self.rejection, refused: "AddTea"),
            entry([], rejection: Self.rejection, refused: "Beer"),
            entry([], rejection: Self.rejection, refused: ""),
        ]
    }

    @Test(
        arguments: [
            (nil, [1, 2, 3, 4, 5, 6, 7, 8]), ("", [1, 2, 3, 4, 5, 6, 7, 8]),
            ("Add", [1, 2, 4, 6]), ("dd", [1, 2, 4, 6]), ("AddTea", [6]), ("Take", [3, 4]),
            ("e", [3, 4, 6, 7]), ("Beer", [7]), ("add", []), ("Addd", []),
        ] as [(String?, [UInt64])])
    func `a log of a type has what was dispatched under it, whatever became of it`(
        type: String?, numbers: [UInt64]
    ) {
        var log = DispatchLog(type: type)
        for (place, entry) in entries.enumerated() {
            log.append(entry, entry.rejection, at: 1, number: UInt64(place + 1))
        }
        #expect(log.json().array?.map { $0["number"]?.uint64 } == numbers)
        for number in 1...UInt64(entries.count) {
            #expect((log.entry(number) != nil) == numbers.contains(number), "\(number)")
        }
    }

    @Test func `what was refused is shown as an action, with its rejection`() {
        var log = DispatchLog(type: "Beer")
        log.append(
            entry([], rejection: Self.rejection, refused: "Beer"), Self.rejection, at: 4,
            number: 1)
        let shown = log.json()[0]
        #expect(
            shown?["actions"] == [
                ["type": "Beer", "excerpt": "digest 8f44b07b5901a25", "bytes": 2]
            ])
        #expect(shown?["rejection"] == "Only up.")
        #expect(shown?["version"] == 4)
    }

    @Test func `the newest 300 are shown`() {
        var log = DispatchLog(type: nil)
        for number in 1...1000 {
            log.append(entry([Add(number: 1)]), nil, at: 1, number: UInt64(number))
            let first = UInt64(max(1, number - 299))
            guard number.isMultiple(of: 50) else { continue }
            #expect(log.json().array?.map { $0["number"]?.uint64 } == Array(first...UInt64(number)))
        }
    }

    private static let mebibyte = 1 << 20

    /// Sizes of dispatches that come one after the other.
    private static let sizes: [[Int]] = [
        Array(repeating: mebibyte, count: 40), Array(repeating: 3 * mebibyte, count: 20),
        // The newest is shown, however large.
        [100, 9 * mebibyte, 100, 100], Array(repeating: 9 * mebibyte, count: 3),
        // Large ones pass by, and there is room for many again.
        Array(repeating: mebibyte, count: 20) + Array(repeating: 100, count: 700),
        (0..<700).map { $0 % 7 == 0 ? 2 * mebibyte : 30_000 },
    ]

    @Test(arguments: sizes.indices)
    func `of the newest 300 as many are shown as 8 MiB hold`(row: Int) {
        let sizes = Self.sizes[row]
        var log = DispatchLog(type: nil)
        for (place, size) in sizes.enumerated() {
            log.append(
                entry([Add(number: 1)], size: size), nil, at: 1, number: UInt64(place))
            guard place < 50 || place % 25 == 0 else { continue }
            var (first, bytes) = (place, size)
            while first > 0, place - first < 299, bytes + sizes[first - 1] <= 8 << 20 {
                first -= 1
                bytes += sizes[first]
            }
            let shown = log.json().array?.compactMap { $0["number"]?.uint64 }
            #expect(shown == (first...place).map { UInt64($0) })
        }
    }
}
