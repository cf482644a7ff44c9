import StorecastRecorder
import StorecastTesting
import Testing

@Suite(.timeLimit(.minutes(30)))
struct TimeTravelTests {
    private let clock = ManualClock()
    private let store = makeTallyStore()

    /// One action a second: +1 at 1 s, +2 at 2 s, …
    private func record(_ count: Int, every interval: Int = 64) -> Recorder<Tally> {
        let recorder = Recorder(store, checkpointEvery: interval, clock: clock)
        for number in 1...count {
            clock.advance(by: .seconds(1))
            store.dispatch(Add(by: number))
        }
        return recorder
    }

    @Test(arguments: [1, 2, 3, 64])
    func `any position can be reached from any other`(interval: Int) {
        let recorder = record(7, every: interval)
        for from in 0...7 {
            for to in 0...7 {
                recorder.travel(to: from)
                recorder.travel(to: to)
                #expect(store.state.steps == (0..<to).map { "+\($0 + 1)" })
                #expect(recorder.position == to)
                #expect(recorder.actions.count == 7)
            }
        }
    }

    @Test func `subscribers see the state travelled to and none between`() {
        let recorder = record(9, every: 2)
        let listener = Listener<Int>()
        store.subscribe(listener) { $0.select(\.sum) }
        recorder.travel(to: 3)
        recorder.travel(to: 8)
        recorder.travel(to: 8)
        recorder.travel(to: 0)
        #expect(listener.received == [45, 6, 36, 0])
    }

    @Test func `on from a position travelled to, the future is dropped`() {
        let recorder = record(9, every: 2)
        recorder.travel(to: 3)
        store.dispatch(Clear())
        #expect(recorder.actions.count == 4)
        #expect(recorder.position == 4)
        store.dispatch(Add(by: 50))
        let new = ["+1", "+2", "+3", "clear", "+50"]
        for position in (0...5).reversed() {
            recorder.travel(to: position)
            #expect(store.state.steps == Array(new.prefix(position)))
        }
    }

    @Test func `time goes on from the position travelled to`() {
        let recorder = record(3)
        clock.advance(by: .seconds(100))
        recorder.travel(to: 1)
        #expect(recorder.time == .seconds(1))
        clock.advance(by: .milliseconds(250))
        store.dispatch(Clear())
        #expect(recorder.actions.map(\.time) == [.seconds(1), .milliseconds(1250)])
    }

    @Test func `steps go back and forward and stop at the ends`() {
        let recorder = record(2)
        #expect(!recorder.stepForward())
        #expect(recorder.stepBack())
        #expect(store.state.sum == 1)
        #expect(recorder.stepBack())
        #expect(!recorder.stepBack())
        #expect(store.state == Tally())
        #expect(recorder.stepForward())
        #expect(recorder.position == 1)
    }

    @Test(arguments: [(0, 0), (999, 0), (1000, 1), (2500, 2), (3000, 3), (60_000, 3)])
    func `a time is reached after everything that had happened by then`(
        milliseconds: Int, position: Int
    ) {
        let recorder = record(3)
        recorder.travel(toTime: .milliseconds(milliseconds))
        #expect(recorder.position == position)
    }

    @Test func `of several actions at one time the last is reached`() {
        let recorder = Recorder(store, clock: clock)
        for _ in 0..<4 { store.dispatch(Add()) }
        recorder.travel(toTime: .zero)
        #expect(recorder.position == 4)
    }

    @Test func `what a subscriber dispatches in answer to a state travelled to is ignored`() {
        let recorder = Recorder(store)
        let listener = Listener<Int>()
        listener.reaction = { [store] in if $0 == 5 { store.dispatch(Add(by: 1)) } }
        store.subscribe(listener) { $0.select(\.sum) }
        store.dispatch(Add(by: 5))
        #expect(store.state.steps == ["+5", "+1"])
        recorder.travel(to: 1)
        #expect(store.state.steps == ["+5"])
        #expect(recorder.actions.count == 2)
        recorder.travel(to: 2)
        #expect(store.state.steps == ["+5", "+1"])
        #expect(listener.received == [0, 5, 6, 5, 6])
    }

    @Test func `side effects of middleware aren't repeated`() {
        var effects = 0
        let counting: Middleware<Tally> = { _, _ in
            { next in
                { action in
                    effects += 1
                    next(action)
                }
            }
        }
        let store = makeTallyStore(middleware: [counting])
        let recorder = Recorder(store)
        store.dispatch(Add())
        recorder.travel(to: 0)
        recorder.travel(to: 1)
        #expect(effects == 1)
        #expect(store.state.sum == 1)
    }

    @Test func `travelling to where there is nothing ends the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let recorder = Recorder(makeTallyStore())
            recorder.travel(to: 1)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("There is no position 1 in a recording of 0 actions."))
    }
}
