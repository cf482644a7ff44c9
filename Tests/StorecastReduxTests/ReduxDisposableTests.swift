import StorecastRedux
import Testing

struct ReduxDisposableTests {
    @Test func `it is disposed from dispose on, not before, and stays so`() {
        let store = createStore(countReducer, state: 0)
        let disposable = store.subscribe { _ in }
        let other = store.subscribe { _ in }
        #expect(!disposable.disposed)
        store.dispatch(Count())
        #expect(!disposable.disposed)
        disposable.dispose()
        #expect(disposable.disposed)
        disposable.dispose()
        #expect(disposable.disposed)
        #expect(!other.disposed)
    }

    @Test func `all copies know that one has been disposed of`() {
        let store = createStore(countReducer, state: 0)
        let disposable = store.subscribe { _ in }
        let copy = disposable
        copy.dispose()
        #expect(disposable.disposed)
    }

    @Test func `after dispose the subscriber is not called, not even in the same round`() {
        let store = createStore(countReducer, state: 0)
        var later: (any ReduxDisposable)?
        store.subscribe { _ in later?.dispose() }
        var seen: [Int] = []
        later = store.subscribe { seen.append($0) }
        store.dispatch(Count())
        #expect(seen == [])
    }

    @Test func `a subscriber may dispose of itself`() {
        let store = createStore(countReducer, state: 0)
        var own: (any ReduxDisposable)?
        var seen: [Int] = []
        own = store.subscribe {
            seen.append($0)
            own?.dispose()
        }
        store.dispatch(Count())
        store.dispatch(Count())
        #expect(seen == [1])
    }

    @Test func `dropping a disposable does not end the subscription`() {
        let store = createStore(countReducer, state: 0)
        var seen: [Int] = []
        _ = store.subscribe { seen.append($0) }
        store.dispatch(Count())
        #expect(seen == [1])
    }

    @Test func `dispose lets go of what the subscriber holds`() {
        let store = createStore(countReducer, state: 0)
        var probe: Probe? = Probe()
        weak let reference = probe
        let disposable = store.subscribe { [probe] _ in probe?.count += 1 }
        probe = nil
        store.dispatch(Count())
        #expect(reference?.count == 1)
        disposable.dispose()
        #expect(reference == nil)
    }

    @Test func `it does not keep the store alive and is disposed when that is gone`() {
        var store: ReduxStore<Int>? = createStore(countReducer, state: 0)
        var probe: Probe? = Probe()
        weak let reference = probe
        let disposable = store?.subscribe { [probe] _ in probe?.count += 1 }
        probe = nil
        #expect(disposable?.disposed == false)
        store = nil
        #expect(disposable?.disposed == true)
        #expect(reference == nil)
        disposable?.dispose()
    }

    @Test func `a store frees its state and subscribers though a disposable is still held`() {
        struct Held { var object = Probe() }
        weak var state: Probe?
        weak var subscriber: Probe?
        func subscribed() -> any ReduxDisposable {
            let store = createStore({ state, _ in state ?? Held() })
            let disposable = store.subscribe { _ in }
            let captured = Probe()
            store.subscribe { _ in captured.count += 1 }
            store.dispatch(Count())
            #expect(captured.count == 1)
            disposable.dispose()
            (state, subscriber) = (store.state.object, captured)
            return disposable
        }
        let disposable = subscribed()
        #expect(state == nil)
        #expect(subscriber == nil)
        withExtendedLifetime(disposable) {}
    }

    @Test func `one of another library is wrapped by its functions`() {
        var isDisposed = false
        let disposable = SimpleReduxDisposable(
            disposed: { isDisposed }, dispose: { isDisposed = true })
        #expect(!disposable.disposed)
        disposable.dispose()
        #expect(disposable.disposed)
    }
}
