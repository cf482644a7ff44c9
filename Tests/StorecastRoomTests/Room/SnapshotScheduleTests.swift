import Testing

@testable import StorecastRoom

/// When a room takes a snapshot, and what its journal may forget then, as numbers alone.
struct SnapshotScheduleTests {
    private func schedule(kept: Int? = nil) -> SnapshotSchedule {
        var policy = SnapshotPolicy()
        (policy.entries, policy.bytes, policy.kept) = (10, 1000, kept)
        return SnapshotSchedule(policy)
    }

    @Test func `one is due after so many entries, or so many bytes`() {
        var byEntries = schedule()
        #expect(!byEntries.isDue && !byEntries.isBegun && byEntries.unsavedSince == nil)
        byEntries.note(entries: 9, bytes: 999, at: .seconds(3))
        #expect(!byEntries.isDue && byEntries.unsavedSince == .seconds(3))
        byEntries.note(entries: 1, bytes: 0, at: .seconds(4))
        #expect(byEntries.isDue && byEntries.unsavedSince == .seconds(3))
        var byBytes = schedule()
        byBytes.note(entries: 1, bytes: 999, at: .zero)
        #expect(!byBytes.isDue)
        byBytes.note(entries: 1, bytes: 1, at: .zero)
        #expect(byBytes.isDue)
    }

    @Test func `while one is written none is due, and what comes meanwhile counts for the next`() {
        var schedule = schedule()
        schedule.note(entries: 10, bytes: 0, at: .seconds(1))
        schedule.begin()
        #expect(schedule.isWriting && !schedule.isDue)
        schedule.note(entries: 10, bytes: 0, at: .seconds(2))
        #expect(!schedule.isDue && schedule.unsavedSince == .seconds(1))
        #expect(schedule.saved(at: 10, size: 0) == nil)
        #expect(!schedule.isWriting && schedule.isDue && schedule.isBegun)
        #expect(schedule.unsavedSince == .seconds(2))
        schedule.begin()
        _ = schedule.saved(at: 20, size: 0)
        #expect(!schedule.isDue && schedule.unsavedSince == nil)
    }

    @Test func `a large one waits until as much has come as it takes`() {
        var found = schedule()
        found.found(at: 7, size: 5000)
        #expect(found.isBegun)
        found.note(entries: 10, bytes: 4999, at: .zero)
        #expect(!found.isDue)
        found.note(entries: 0, bytes: 1, at: .zero)
        #expect(found.isDue)
        found.begin()
        _ = found.saved(at: 17, size: 6000)
        found.note(entries: 10, bytes: 5999, at: .zero)
        #expect(!found.isDue)
    }

    @Test func `one that wasn't written is due again when it may be tried, with all that came`() {
        var schedule = schedule()
        schedule.note(entries: 60, bytes: 600, at: .seconds(1))
        schedule.begin()
        schedule.note(entries: 40, bytes: 400, at: .seconds(2))
        schedule.failed()
        #expect(!schedule.isWriting && !schedule.isDue && !schedule.isWorthwhile)
        #expect(!schedule.isBegun && schedule.unsavedSince == .seconds(1))
        schedule.retry()
        #expect(schedule.isDue && schedule.isWorthwhile)
    }

    @Test func `before a room leaves memory one is worth while from a hundred entries on`() {
        var schedule = schedule()
        schedule.note(entries: 99, bytes: 99_999, at: .zero)
        #expect(!schedule.isWorthwhile)
        schedule.note(entries: 1, bytes: 0, at: .zero)
        #expect(schedule.isWorthwhile)
        schedule.begin()
        schedule.note(entries: 100, bytes: 0, at: .zero)
        #expect(!schedule.isWorthwhile)
    }

    @Test(
        arguments: [
            (nil, [nil, nil, nil]), (0, [20, 30, 40]), (1, [20, 30, 40]), (2, [nil, 20, 30]),
        ] as [(Int?, [UInt64?])])
    func `what is older than the snapshots that are kept may be forgotten`(
        kept: Int?, forgotten: [UInt64?]
    ) {
        var schedule = schedule(kept: kept)
        schedule.found(at: 10, size: 0)
        var may: [UInt64?] = []
        for offset in [20, 30, 40] as [UInt64] {
            schedule.begin()
            may.append(schedule.saved(at: offset, size: 0))
        }
        #expect(may == forgotten)
    }
}
