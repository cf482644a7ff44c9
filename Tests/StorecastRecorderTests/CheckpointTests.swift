import StorecastRecorder
import StorecastTesting
import Testing

/// The cost of travelling, counted in calls of the reducer.
@Suite(.timeLimit(.minutes(30)))
struct CheckpointTests {
    private let calls = Calls()
    private let length = 100_000

    private static func longRecording(_ length: Int) -> Recording {
        Recording(
            entries: (0..<length).map {
                .init(
                    time: .milliseconds($0),
                    action: StandardAction(type: "Add", payload: ["by": 1], isTypedAction: true))
            })
    }

    @Test func `a seek in 100,000 loaded actions costs the same however far it goes`() {
        let store = makeSumStore(calls: calls)
        let recorder = Recorder(store, typeMaps: [TypeMap(Add.self)])
        #expect(recorder.load(Self.longRecording(length)).isEmpty)
        #expect(calls.count == length)
        #expect(store.state == length)
        // A prime as factor makes the jumps go far and both ways.
        let far = (0..<1000).map { $0 * 7919 % (length + 1) }
        for target in [0, length, 1, length - 1, 511, 512, 513] + far {
            calls.count = 0
            recorder.travel(to: target)
            #expect(calls.count < 512)
            #expect(store.state == target)
        }
    }

    @Test func `playing on from a position reduces each action once at most`() async throws {
        let store = makeSumStore(calls: calls)
        let recorder = Recorder(store)
        for _ in 0..<1000 { store.dispatch(Add()) }
        recorder.travel(to: 100)
        calls.count = 0
        try await recorder.play(speed: .infinity)
        #expect((1...900).contains(calls.count))
        #expect(store.state == 1000)
    }

    @Test func `to record is linear`() {
        let store = makeSumStore(calls: calls)
        let recorder = Recorder(store)
        for _ in 0..<length { store.dispatch(Add()) }
        #expect(calls.count == length)
        #expect(recorder.actions.count == length)
    }

    @Test func `nothing after the position loaded to is reduced`() {
        let store = makeSumStore(calls: calls)
        let recorder = Recorder(store, typeMaps: [TypeMap(Add.self)])
        _ = recorder.load(Self.longRecording(1000), goingTo: 10)
        #expect(calls.count == 10)
        recorder.travel(to: 1000)
        #expect(calls.count == 1000)
        #expect(store.state == 1000)
    }

    @Test(arguments: [(1, 2), (1, 3), (3, 4), (5, 5), (2, 7)])
    func `few checkpoints do, and never more than allowed are kept`(
        interval: Int, limit: Int
    ) {
        let states = Watched.Census()
        let store = Store(state: Watched(0, in: states)) { state, action in
            state = Watched(state.value + 1, in: states)
        }
        let recorder = Recorder(store, checkpointEvery: interval, keepingAtMost: limit)
        for number in 1...200 {
            store.dispatch(Add())
            // The store's own state, and the checkpoints.
            #expect(states.alive <= limit + 1)
            let target = (number * 37) % (number + 1)
            recorder.travel(to: target)
            #expect(store.state.value == target)
            recorder.travel(to: number)
            #expect(store.state.value == number)
        }
    }
}

/// A state that is counted as long as somebody keeps it.
private final class Watched {
    final class Census {
        var alive = 0
    }

    let value: Int
    private let census: Census

    init(_ value: Int, in census: Census) {
        self.value = value
        self.census = census
        census.alive += 1
    }

    deinit { census.alive -= 1 }
}
