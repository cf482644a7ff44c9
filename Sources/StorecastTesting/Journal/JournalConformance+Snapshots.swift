import IssueReporting
import StorecastRoom

extension JournalConformance {
    /// A snapshot of as many bytes as asked, which aren't all alike.
    private static func snapshot(
        at offset: UInt64, version: UInt64 = 1, bytes: Int = 10
    ) -> JournalSnapshot {
        JournalSnapshot(
            offset: offset, version: version,
            content: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(offset)) })
    }

    static let snapshots = [
        JournalConformance("finds no snapshot where none is") { bench in
            bench.expect(try await bench.snapshot(of: "/a", through: .max), nil)
            let head = try await bench.append(JournalSample.notes(2), to: "/a")
            bench.expect(try await bench.snapshot(of: "/a", through: head), nil)
            let other = try await bench.append(JournalSample.notes(2), to: "/b")
            try await bench.save(snapshot(at: other), of: "/b")
            bench.expect(try await bench.snapshot(of: "/a", through: .max), nil)
        },
        JournalConformance("keeps a snapshot of what a room began with") { bench in
            try await bench.save(snapshot(at: 0, version: 0), of: "/a")
            bench.expect(
                try await bench.snapshot(of: "/a", through: 0), snapshot(at: 0, version: 0))
            bench.expect(try await bench.history(of: "/a").head, 0)
            try await bench.append(JournalSample.notes(1), to: "/a")
            bench.expect(try await bench.read("/a").count, 1)
        },
        JournalConformance("finds the newest snapshot up to an offset") { bench in
            var offsets: [UInt64] = []
            for seq in 1...4 as ClosedRange<UInt64> {
                offsets.append(
                    try await bench.append(JournalSample.notes(1, from: seq), to: "/a"))
            }
            let (early, late) = (snapshot(at: offsets[1]), snapshot(at: offsets[3], version: 4))
            try await bench.save(late, of: "/a")
            try await bench.save(early, of: "/a")
            bench.expect(try await bench.snapshot(of: "/a", through: offsets[3]), late)
            bench.expect(try await bench.snapshot(of: "/a", through: offsets[3] - 1), early)
            bench.expect(try await bench.snapshot(of: "/a", through: offsets[1]), early)
            bench.expect(try await bench.snapshot(of: "/a", through: offsets[1] - 1), nil)
        },
        JournalConformance("keeps snapshots of any size") { bench in
            let head = try await bench.append(JournalSample.notes(4), to: "/a")
            for (index, bytes) in [0, 1, 1 << 20, 1 << 20 + 1, 3 << 20].enumerated() {
                let large = snapshot(at: head, version: UInt64(index), bytes: bytes)
                try await bench.save(large, of: "/a")
                if try await bench.snapshot(of: "/a", through: head) != large {
                    reportIssue("A snapshot of \(bytes) bytes isn't what it was.")
                }
            }
        },
        JournalConformance("says when a snapshot can't be made, and keeps the last one") { bench in
            let head = try await bench.append(JournalSample.notes(1), to: "/a")
            try await bench.save(snapshot(at: head), of: "/a")
            await bench.expectError("it is unfit, place 0") {
                if case .unfit(place: 0, _) = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.save(of: "/a", offset: head, version: 9) {
                    throw JournalSample.Unencodable.Refusal()
                }
            }
            bench.expect(
                try await bench.snapshot(of: "/a", through: .max), snapshot(at: head))
        },
        JournalConformance("takes batches while a snapshot is written") { bench in
            let head = try await bench.append(JournalSample.notes(1), to: "/a")
            async let saved: Void = bench.save(snapshot(at: head, bytes: 4 << 20), of: "/a")
            for seq in 2...50 as ClosedRange<UInt64> {
                try await bench.append(JournalSample.notes(1, from: seq), to: "/a")
            }
            try await saved
            bench.expect(try await bench.read("/a").count, 50)
            bench.expect(try await bench.snapshot(of: "/a", through: .max)?.offset, head)
        },
    ]

    static let truncating = [
        JournalConformance("forgets nothing that no snapshot holds") { bench in
            let head = try await bench.append(JournalSample.notes(4), to: "/a")
            await bench.expectError("it is unavailable") {
                if case .unavailable = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.truncate("/a", through: head)
            }
            let first = try await bench.read("/a")[0].offset
            try await bench.save(snapshot(at: first), of: "/a")
            await bench.expectError("it is unavailable") {
                if case .unavailable = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.truncate("/a", through: head)
            }
            bench.expect(try await bench.read("/a").count, 4)
        },
        JournalConformance("forgets what is old, and never skips it silently") { bench in
            try await bench.append(JournalSample.notes(6), to: "/a")
            try await bench.append(JournalSample.notes(6), to: "/b")
            let all = try await bench.read("/a")
            for entry in [all[0], all[2], all[4]] {
                try await bench.save(snapshot(at: entry.offset), of: "/a")
            }
            try await bench.truncate("/a", through: all[3].offset)
            await bench.expectError("it is truncated, and below what") {
                guard case .truncated(let below) = $0 else { return false }
                return below > all[3].offset && below <= all[4].offset
            } from: { () throws(JournalError) in
                try await bench.read("/a")
            }
            await bench.expectError("it is truncated") {
                if case .truncated = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.read("/a", after: all[3].offset - 1)
            }
            bench.expect(
                try await bench.read("/a", after: all[3].offset), Array(all[4...]))
            bench.expect(
                try await bench.snapshot(of: "/a", through: .max), snapshot(at: all[4].offset))
            bench.expect(
                try await bench.snapshot(of: "/a", through: all[3].offset),
                snapshot(at: all[2].offset))
            bench.expect(try await bench.snapshot(of: "/a", through: all[1].offset), nil)
            bench.expect(try await bench.read("/b").count, 6)
        },
        JournalConformance("goes on with higher offsets when all is forgotten") { bench in
            let head = try await bench.append(JournalSample.notes(5), to: "/a")
            try await bench.save(snapshot(at: head), of: "/a")
            try await bench.truncate("/a", through: head)
            bench.expect(try await bench.history(of: "/a").head, head)
            if bench.journal.isDurable { try await bench.reopen() }
            bench.expect(try await bench.history(of: "/a").head, head)
            let next = try await bench.append(JournalSample.notes(1, from: 6), to: "/a")
            if next <= head { reportIssue("Offset \(next) comes behind \(head).") }
            bench.expect(
                try await bench.read("/a", after: head).map(\.record.seq), [6])
        },
        JournalConformance("forgets many entries") { bench in
            for first in stride(from: 1, to: 5_000, by: 1_000) {
                try await bench.append(JournalSample.notes(1_000, from: UInt64(first)), to: "/a")
            }
            let all = try await bench.read("/a")
            try await bench.save(snapshot(at: all[4_500].offset), of: "/a")
            try await bench.truncate("/a", through: all[4_498].offset)
            bench.expect(
                try await bench.read("/a", after: all[4_498].offset).count, 501)
        },
    ]

    static let reopening = [
        JournalConformance("keeps everything when it is closed and opened", durable: true) {
            bench in
            let untouched = try await bench.history(of: "/untouched")
            try await bench.append(JournalSample.strangeOnes, to: "/a")
            let head = try await bench.append(JournalSample.notes(1_200), to: "/a")
            try await bench.save(snapshot(at: head, bytes: 2 << 20), of: "/a")
            let (history, entries) = (
                try await bench.history(of: "/a"), try await bench.read("/a")
            )
            try await bench.reopen()
            let stillUntouched = try await bench.history(of: "/untouched")
            bench.expect(stillUntouched.epoch, untouched.epoch)
            bench.expect(stillUntouched.head, untouched.head)
            let again = try await bench.history(of: "/a")
            bench.expect(again.epoch, history.epoch)
            bench.expect(again.head, history.head)
            bench.expect(try await bench.read("/a") == entries, true)
            bench.expect(
                try await bench.snapshot(of: "/a", through: head),
                snapshot(at: head, bytes: 2 << 20))
            let next = try await bench.append(JournalSample.notes(1), to: "/a")
            if next <= head { reportIssue("Offset \(next) comes behind \(head).") }
            bench.expect(try await bench.read("/a", after: head).map(\.offset), [next])
        },
        JournalConformance("says that it is closed", durable: true) { bench in
            try await bench.append(JournalSample.notes(1), to: "/a")
            await bench.store.close()
            await bench.expectError("it is unavailable") {
                if case .unavailable = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.append(JournalSample.notes(1), to: "/a")
            }
            await bench.expectError("it is unavailable") {
                if case .unavailable = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.history(of: "/a")
            }
            try await bench.reopen()
            bench.expect(try await bench.read("/a").count, 1)
        },
    ]
}
