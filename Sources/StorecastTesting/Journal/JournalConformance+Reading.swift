import IssueReporting
import StorecastSync

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
