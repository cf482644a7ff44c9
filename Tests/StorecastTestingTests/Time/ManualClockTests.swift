import Synchronization
import TestSupport
import Testing

@testable import StorecastTesting

@MainActor
@Suite(.timeLimit(.minutes(30)))
struct ManualClockTests {
    private let clock = ManualClock()

    @Test func `it stands still until it is moved`() {
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(2))
        clock.advance(by: .milliseconds(500))
        #expect(clock.now.offset == .milliseconds(2500))
    }

    @Test func `a sleeper wakes at its deadline and not before`() async throws {
        var hasWoken = false
        let sleeping = Task {
            try await clock.sleep(for: .seconds(2))
            hasWoken = true
        }
        await clock.waitForSleeper()
        clock.advance(by: .milliseconds(1999))
        // Still asleep: it would otherwise have left the clock, and this would wait for ever.
        await clock.waitForSleeper()
        #expect(!hasWoken)
        clock.advance(by: .milliseconds(1))
        try await sleeping.value
        #expect(hasWoken)
    }

    @Test func `a deadline in the past is no sleep`() async throws {
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: clock.now, tolerance: nil)
    }

    /// How a sleep ends.
    private enum End: Equatable {
        case woken, cancelled, tooLate
    }

    private func end(of sleeping: Task<Void, any Error>) async -> End {
        do {
            try await inTime("It sleeps on.") { try await sleeping.value }
            return .woken
        } catch {
            return error is CancellationError ? .cancelled : .tooLate
        }
    }

    @Test func `cancelling a sleeper wakes it with an error`() async {
        let sleeping = Task { try await clock.sleep(for: .seconds(2)) }
        await clock.waitForSleeper()
        sleeping.cancel()
        #expect(await end(of: sleeping) == .cancelled)
        #expect(clock.sleeperCount == 0)
        #expect(clock.nextDeadline == nil)
    }

    @Test(arguments: [0, 2])
    func `a task that is cancelled already doesn't fall asleep`(seconds: Int) async {
        let clock = clock
        let sleeping = Task { try await clock.sleep(for: .seconds(seconds)) }
        sleeping.cancel()
        #expect(await end(of: sleeping) == .cancelled)
        #expect(clock.sleeperCount == 0)
        #expect(clock.nextDeadline == nil)
    }

    @Test func `nor does one that is cancelled between two sleeps`() async {
        let clock = clock
        let sleeping = Task {
            try await clock.sleep(for: .seconds(1))
            try await clock.sleep(for: .seconds(1))
        }
        await clock.waitForSleeper()
        // It wakes, and is cancelled before it goes on.
        clock.advance(by: .seconds(1))
        sleeping.cancel()
        #expect(await end(of: sleeping) == .cancelled)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `who has woken isn't cancelled any more, and the others sleep on`() async {
        let clock = clock
        let tasks = (1...4).map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        #expect(await eventually { clock.sleeperCount == 4 })
        clock.advance(by: .seconds(1))
        #expect(await end(of: tasks[0]) == .woken)
        tasks[0].cancel()
        tasks[1].cancel()
        #expect(await end(of: tasks[1]) == .cancelled)
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .seconds(2))
        #expect(await end(of: tasks[2]) == .woken)
        #expect(clock.nextDeadline?.offset == .seconds(4))
        clock.advance(by: .seconds(1))
        #expect(await end(of: tasks[3]) == .woken)
    }

    @Test func `timers fire in the order of their deadlines, equal ones as they were set`() {
        let fired = Mutex<[String]>([])
        for (name, seconds) in [("late", 3), ("first", 1), ("second", 1), ("never", 4)] {
            clock.call(after: .seconds(seconds)) { fired.withLock { $0.append(name) } }
        }
        #expect(clock.nextDeadline?.offset == .seconds(1))
        clock.advance(by: .seconds(3))
        #expect(fired.withLock(\.self) == ["first", "second", "late"])
        #expect(clock.nextDeadline?.offset == .seconds(4))
        clock.call(after: .zero) { fired.withLock { $0.append("now") } }
        #expect(fired.withLock(\.last) == "now")
    }
}
