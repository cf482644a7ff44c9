import IssueReporting
import StorecastRoom

extension JournalConformance {
    static let opening = [
        JournalConformance("begins a room's history with an epoch of its own") { bench in
            let first = try await bench.history(of: "/a")
            bench.expect(first.head, 0)
            bench.expect(try await bench.history(of: "/a"), first)
            if try await bench.history(of: "/b").epoch == first.epoch {
                reportIssue("Two rooms have the epoch '\(first.epoch)'.")
            }
        },
        JournalConformance("knows the offset of a room's newest entry") { bench in
            var history = try await bench.history(of: "/a")
            history.head = try await bench.append(JournalSample.notes(3), to: "/a")
            bench.expect(try await bench.history(of: "/a"), history)
        },
    ]

    static let appending = [
        JournalConformance("orders a room's batches by offsets that rise") { bench in
            let first = try await bench.append(JournalSample.notes(1), to: "/a")
            let fourth = try await bench.append(JournalSample.notes(3, from: 2), to: "/a")
            let offsets = try await bench.read("/a").map(\.offset)
            bench.expect(offsets.count, 4)
            bench.expect(offsets, [first, fourth - 2, fourth - 1, fourth])
            if first == 0 || offsets != Set(offsets).sorted() {
                reportIssue("The offsets are \(offsets).")
            }
        },
        JournalConformance("gives back every member of an entry as it was") { bench in
            try await bench.append(JournalSample.strangeOnes, to: "/a")
            bench.expect(
                try await bench.read("/a").map(\.record),
                try JournalSample.strangeOnes.map { try JournalRecord($0) })
        },
        JournalConformance("keeps rooms apart, whatever their names") { bench in
            let rooms =
                ["/", "/a", "/A", "/a/b", "/\u{1F980}", "/'; --"] + JournalSample.lookAlikes
            for (index, room) in rooms.enumerated() {
                try await bench.append(JournalSample.notes(1, from: UInt64(index + 1)), to: room)
            }
            for (index, room) in rooms.enumerated() {
                bench.expect(try await bench.read(room).map(\.record.seq), [UInt64(index + 1)])
            }
        },
        JournalConformance("keeps a batch that is appended again") { bench in
            try await bench.append(JournalSample.notes(2), to: "/a")
            try await bench.append(JournalSample.notes(2), to: "/a")
            bench.expect(try await bench.read("/a").map(\.record.seq), [1, 2, 1, 2])
        },
        JournalConformance("appends to many rooms of several loops at once", durable: true) {
            bench in
            let rooms = (0..<50).map { "/\($0)" }
            let journals = [bench.journal, bench.anotherJournal(), bench.anotherJournal()]
            let appends = rooms.enumerated().map { index, room in
                Task { @MainActor in
                    try await bench.append(
                        JournalSample.notes(20), to: room, in: journals[index % journals.count])
                }
            }
            for append in appends { _ = try await append.value }
            for room in rooms {
                bench.expect(try await bench.read(room).map(\.record.seq), Array(1...20))
            }
        },
        JournalConformance("keeps rooms apart that look alike, on one loop and on several") {
            bench in
            let other = bench.journal.isDurable ? bench.anotherJournal() : bench.journal
            let (one, two) = (JournalSample.lookAlikes[0], JournalSample.lookAlikes[1])
            for seq in 1...6 as ClosedRange<UInt64> {
                try await bench.append(JournalSample.notes(1, from: seq), to: one)
                try await bench.append(
                    JournalSample.notes(1, from: 100 + seq), to: two, in: other)
            }
            bench.expect(try await bench.read(one).map(\.record.seq), Array(1...6))
            bench.expect(try await bench.read(two).map(\.record.seq), Array(101...106))
        },
        JournalConformance(
            "keeps rooms apart that look alike, in whichever order they come back", durable: true
        ) { bench in
            var rooms = JournalSample.lookAlikes
            var epochs: [[UInt8]: String] = [:]
            for (index, room) in rooms.enumerated() {
                epochs[Array(room.utf8)] = try await bench.history(of: room).epoch
                try await bench.append(
                    JournalSample.notes(2, from: UInt64(index * 100 + 1)), to: room)
            }
            for _ in 0..<2 {
                rooms.reverse()
                try await bench.reopen()
                for room in rooms {
                    bench.expect(
                        try await bench.history(of: room).epoch, epochs[Array(room.utf8)])
                    let seqs = try await bench.read(room).map(\.record.seq)
                    try await bench.append(
                        JournalSample.notes(1, from: (seqs.last ?? 0) + 1), to: room)
                }
            }
            for (index, room) in JournalSample.lookAlikes.enumerated() {
                bench.expect(
                    try await bench.read(room).map(\.record.seq),
                    (1...4).map { UInt64(index * 100 + $0) })
            }
        },
        JournalConformance(
            "keeps nothing of a batch with an entry that it can't keep", durable: true
        ) { bench in
            let unfit = JournalSample.entry(2, [JournalSample.Unencodable()])
            await bench.expectError("the entry at place 1 is unfit") {
                if case .unfit(place: 1, _) = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.append(JournalSample.notes(1) + [unfit], to: "/a")
            }
            bench.expect(try await bench.read("/a"), [])
            try await bench.append(JournalSample.notes(1), to: "/a")
            bench.expect(try await bench.read("/a").map(\.record.seq), [1])
        },
        JournalConformance("keeps other rooms' batches beside one that it can't", durable: true) {
            bench in
            let unfit = JournalSample.entry(1, [JournalSample.Unencodable()])
            async let other = bench.append(JournalSample.notes(2), to: "/b")
            await bench.expectError("the entry at place 0 is unfit") {
                if case .unfit(place: 0, _) = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.append([unfit], to: "/a")
            }
            _ = try await other
            bench.expect(try await bench.read("/b").map(\.record.seq), [1, 2])
        },
    ]
}
