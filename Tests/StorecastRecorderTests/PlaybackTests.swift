import StorecastRecorder
import StorecastTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30)))
struct PlaybackTests {
    private let clock = ManualClock()
    private let store = makeTallyStore()
    private let recorder: Recorder<Tally>

    /// +1 at 1 s, +2 at 3 s, +3 at 6 s; at position 0.
    init() {
        recorder = Recorder(store, clock: clock)
        for number in 1...3 {
            clock.advance(by: .seconds(number))
            store.dispatch(Add(by: number))
        }
        recorder.travel(to: 0)
    }

    /// Moves the clock when the player waits.
    private func advance(by duration: Duration) async {
        await clock.waitForSleeper()
        clock.advance(by: duration)
    }

    @Test func `it plays in the recorded rhythm`() async throws {
        let playing = Task { try await recorder.play() }
        await advance(by: .milliseconds(999))
        await clock.waitForSleeper()
        #expect(recorder.position == 0)
        #expect(recorder.isPlaying)
        clock.advance(by: .milliseconds(1))
        await clock.waitForSleeper()
        #expect(store.state.steps == ["+1"])
        clock.advance(by: .seconds(2))
        await clock.waitForSleeper()
        #expect(store.state.steps == ["+1", "+2"])
        clock.advance(by: .seconds(3))
        #expect(try await playing.value)
        #expect(store.state.steps == ["+1", "+2", "+3"])
        #expect(!recorder.isPlaying)
    }

    @Test func `at four times the speed it takes a quarter of the time`() async throws {
        let playing = Task { try await recorder.play(speed: 4) }
        for step in [250, 500, 750] {
            await advance(by: .milliseconds(step))
        }
        #expect(try await playing.value)
        #expect(clock.now.offset == .milliseconds(6000 + 1500))
    }

    @Test func `without waiting it plays at once`() async throws {
        let listener = Listener<Int>()
        store.subscribe(listener) { $0.select(\.sum) }
        #expect(try await recorder.play(speed: .infinity))
        #expect(listener.received == [0, 1, 3, 6])
        #expect(try await recorder.play())
    }

    @Test func `a late start of the player doesn't slow the rest`() async throws {
        let playing = Task { try await recorder.play() }
        // Due at 1 s and 3 s: both are played, and 3 s later the last.
        await advance(by: .seconds(4))
        await clock.waitForSleeper()
        #expect(recorder.position == 2)
        clock.advance(by: .seconds(2))
        #expect(try await playing.value)
    }

    @Test func `pause ends the wait, and play goes on from there`() async throws {
        let playing = Task { try await recorder.play() }
        await advance(by: .seconds(1))
        await clock.waitForSleeper()
        recorder.pause()
        #expect(!recorder.isPlaying)
        #expect(try await !playing.value)
        #expect(recorder.position == 1)
        clock.advance(by: .seconds(60))
        #expect(recorder.position == 1)
        let resumed = Task { try await recorder.play() }
        await advance(by: .seconds(2))
        await advance(by: .seconds(3))
        #expect(try await resumed.value)
        #expect(recorder.position == 3)
    }

    @Test func `a dispatch while it plays goes on from there and ends it`() async throws {
        let playing = Task { try await recorder.play() }
        await advance(by: .seconds(1))
        await clock.waitForSleeper()
        clock.advance(by: .milliseconds(500))
        store.dispatch(Clear())
        #expect(try await !playing.value)
        #expect(store.state.steps == ["+1", "clear"])
        #expect(recorder.actions.map(\.time) == [.seconds(1), .milliseconds(1500)])
    }

    @Test func `travelling ends it`() async throws {
        let playing = Task { try await recorder.play() }
        await clock.waitForSleeper()
        recorder.travel(to: 2)
        #expect(try await !playing.value)
        #expect(recorder.position == 2)
    }

    @Test func `to play again takes the place of the former playback`() async throws {
        let slow = Task { try await recorder.play() }
        await clock.waitForSleeper()
        let fast = Task { try await recorder.play(speed: .infinity) }
        #expect(try await fast.value)
        #expect(try await !slow.value)
        #expect(recorder.position == 3)
    }

    @Test func `a subscriber may pause it`() async throws {
        let listener = Listener<Int>()
        listener.reaction = { [recorder] in if $0 == 3 { recorder.pause() } }
        store.subscribe(listener) { $0.select(\.sum) }
        #expect(try await !recorder.play(speed: .infinity))
        #expect(recorder.position == 2)
    }

    @Test func `cancelling the task ends it with an error`() async {
        let playing = Task { try await recorder.play() }
        await clock.waitForSleeper()
        playing.cancel()
        await #expect(throws: CancellationError.self) { try await playing.value }
        #expect(recorder.position == 0)
        #expect(!recorder.isPlaying)
    }
}
