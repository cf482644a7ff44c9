import StorecastRecorder
import StorecastTesting
import Testing

@Suite(.timeLimit(.minutes(30)))
struct RecorderTests {
    private let clock = ManualClock()
    private let store = makeTallyStore()

    @Test func `every action is recorded with its time`() throws {
        let recorder = Recorder(store, clock: clock)
        #expect(recorder.position == 0)
        clock.advance(by: .seconds(2))
        store.dispatch(Add(by: 5))
        clock.advance(by: .milliseconds(500))
        store.dispatch(Clear())
        store.dispatch(Unsaved())
        #expect(recorder.actions.map { "\($0.action)" } == ["Add(by: 5)", "Clear()", "Unsaved()"])
        #expect(
            recorder.actions.map(\.time) == [.seconds(2), .milliseconds(2500), .milliseconds(2500)])
        #expect(recorder.position == 3)
        #expect(recorder.time == .milliseconds(2500))
        #expect(store.state.steps == ["+5", "clear"])
    }

    @Test func `it records what comes out of the middleware`() {
        let doubling: Middleware<Tally> = { _, _ in
            { next in
                { action in
                    guard let add = action as? Add else { return }
                    next(Add(by: add.by * 2))
                }
            }
        }
        let store = makeTallyStore(middleware: [doubling])
        let recorder = Recorder(store)
        store.dispatch(Add(by: 4))
        store.dispatch(Clear())
        // Also through middleware that was added later.
        store.middleware.append(doubling)
        store.dispatch(Add(by: 1))
        #expect(recorder.actions.map { $0.action as? Add } == [Add(by: 8), Add(by: 4)])
        recorder.travel(to: 0)
        recorder.travel(to: 2)
        #expect(store.state.sum == 12)
    }

    @Test func `actions are recorded in the order in which they are reduced`() {
        let recorder = Recorder(store)
        let listener = Listener<Int>()
        listener.reaction = { [store] in if $0 == 1 { store.dispatch(Add(by: 10)) } }
        store.subscribe(listener) { $0.select(\.sum) }
        store.dispatch(Add(by: 1))
        #expect(recorder.actions.map { $0.action as? Add } == [Add(by: 1), Add(by: 10)])
        #expect(listener.received == [0, 1, 11])
    }

    @Test func `thunks aren't recorded, what they dispatch is`() {
        let store = makeTallyStore(middleware: [createThunkMiddleware()])
        let recorder = Recorder(store)
        store.dispatch(Thunk<Tally> { dispatch, _ in dispatch(Add(by: 3)) })
        #expect(recorder.actions.map { $0.action as? Add } == [Add(by: 3)])
    }

    @Test func `recording ends with the recorder, and another may begin`() {
        do {
            let recorder = Recorder(store)
            store.dispatch(Add())
            #expect(recorder.actions.count == 1)
        }
        store.dispatch(Add())
        #expect(store.state.sum == 2)
        let next = Recorder(store)
        store.dispatch(Add())
        #expect(next.actions.count == 1)
        next.travel(to: 0)
        #expect(store.state.sum == 2)
    }

    @Test func `a second recorder of one store ends the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = makeTallyStore()
            let first = Recorder(store)
            _ = Recorder(store)
            _ = first
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("The store has a recorder or a room already."))
    }
}
