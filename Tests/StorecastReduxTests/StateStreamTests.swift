import StorecastRedux
import Testing

@Suite(.timeLimit(.minutes(30)))
struct StateStreamTests {
    /// A stream as a reactive library would make it.
    private final class Recorder {
        var states: [Int] = []
        var subscribers: [(Int) -> Void] = []

        func makeStream(_ state: Int) -> StateStream<Int> {
            states = [state]
            return StateStream(
                dispatch: { state in
                    self.states.append(state)
                    self.subscribers.forEach { $0(state) }
                },
                subscribe: { subscriber in
                    self.subscribers.append(subscriber)
                    return SimpleReduxDisposable(
                        disposed: { [weak self] in self?.subscribers.isEmpty ?? true },
                        dispose: { [weak self] in self?.subscribers = [] })
                },
                getState: { self.states.last ?? 0 })
        }
    }

    @Test func `a store's states go through the stream given, the first one too`() {
        let recorder = Recorder()
        let store = createStreamStore(recorder.makeStream, reducer: countReducer, state: nil)
        var seen: [Int] = []
        let disposable = store.subscribe { seen.append($0) }
        store.dispatch(Count())
        #expect(store.state == 11)
        #expect(recorder.states == [10, 11])
        #expect(seen == [11])
        #expect(!disposable.disposed)
        disposable.dispose()
        #expect(disposable.disposed)
    }

    @Test func `a creator of stores with such a stream can be enhanced`() {
        let recorder = Recorder()
        var count = 0
        let counting: ReduxMiddleware<Int> = { _ in
            { next in
                { action in
                    count += 1
                    return next(action)
                }
            }
        }
        let store = applyMiddleware(counting)(createStreamStore(recorder.makeStream))(
            countReducer, 1)
        store.dispatch(Count())
        #expect(recorder.states == [1, 2])
        #expect(count == 1)
    }

    @Test func `a simple stream passes on what is dispatched to it`() {
        let stream = createSimpleStream("a")
        var seen: [String] = []
        _ = stream.subscribe { seen.append($0) }
        stream.dispatch("b")
        #expect(stream.getState() == "b")
        #expect(seen == ["b"])
    }

    @Test func `a sequence begins with the current state and goes on with every next one`() async {
        let store = createStore(countReducer, state: 0)
        var states = store.states(buffering: .unbounded).makeAsyncIterator()
        for _ in 0..<3 { store.dispatch(Count()) }
        for expected in 0...3 {
            #expect(await states.next() == expected)
        }
    }

    @Test func `the sequence of a stream keeps what its reader asked for`() async {
        let stream = createSimpleStream(0)
        var (all, newest) = (
            stream.states(buffering: .unbounded).makeAsyncIterator(),
            stream.states().makeAsyncIterator()
        )
        for state in 1...3 { stream.dispatch(state) }
        for expected in 0...3 { #expect(await all.next() == expected) }
        #expect(await newest.next() == 3)
    }

    @Test func `a slow reader gets the newest state, as a rule`() async {
        let store = createStore(countReducer, state: 0)
        var states = store.states().makeAsyncIterator()
        for _ in 0..<3 { store.dispatch(Count()) }
        #expect(await states.next() == 3)
        store.dispatch(Count())
        #expect(await states.next() == 4)
    }

    @Test func `the sequence ends with its store`() async {
        var store: ReduxStore<Int>? = createStore(countReducer, state: 0)
        let states = store?.states()
        store?.dispatch(Count())
        store = nil
        var seen: [Int] = []
        if let states {
            for await state in states { seen.append(state) }
        }
        #expect(seen == [1])
    }

    @Test func `the sequence of a stream ends with it`() async {
        var stream: StateStream<Int>? = createSimpleStream(5)
        let states = stream?.states()
        stream = nil
        var iterator = states?.makeAsyncIterator()
        #expect(await iterator?.next() == 5)
        #expect(await iterator?.next() == nil)
    }

    @Test func `a reader may be on another actor`() async {
        let store = createStore(countReducer, state: 0)
        let states = store.states(buffering: .unbounded)
        let sum = Task { @concurrent in
            var sum = 0
            for await state in states.prefix(4) { sum += state }
            return sum
        }
        for _ in 0..<3 { store.dispatch(Count()) }
        #expect(await sum.value == 6)
    }

    @Test func `a reader that has stopped is unsubscribed at the next state`() {
        let recorder = Recorder()
        let store = createStreamStore(recorder.makeStream, reducer: countReducer, state: 0)
        do {
            let states = store.states()
            _ = states.makeAsyncIterator()
            #expect(recorder.subscribers.count == 1)
        }
        store.dispatch(Count())
        #expect(recorder.subscribers.isEmpty)
    }
}
