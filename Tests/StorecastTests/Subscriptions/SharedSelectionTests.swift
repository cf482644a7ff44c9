import Storecast
import Testing

struct SharedSelectionTests {
    /// Counts how often its parts are read.
    struct Counted {
        let probe: Probe
        var value = 0
        var read: Int {
            probe.count += 1
            return value
        }
    }

    struct SetValue: Action { var value: Int }

    private func makeStore(_ probe: Probe) -> Store<Counted> {
        Store(state: Counted(probe: probe)) { state, action in
            if let set = action as? SetValue { state.value = set.value }
        }
    }

    @Test func `subscribers of equal key paths are evaluated once`() {
        let probe = Probe()
        let store = makeStore(probe)
        let observers = (0..<100).map { _ in Observer<Int>() }
        for observer in observers { store.subscribe(observer) { $0.select(\.read) } }
        #expect(probe.count == 1)
        store.dispatch(SetValue(value: 1))
        store.dispatch(SetValue(value: 1))
        #expect(probe.count == 3)
        #expect(observers.allSatisfy { $0.received == [0, 1] })
    }

    @Test func `those with filters of their own share one evaluation too`() {
        let probe = Probe()
        let store = makeStore(probe)
        let observers = (0..<10).map { _ in Observer<Int>() }
        for (number, observer) in observers.enumerated() {
            store.subscribe(observer) { $0.select(\.read).only { _, new in new > number } }
        }
        probe.count = 0
        store.dispatch(SetValue(value: 5))
        #expect(probe.count == 1)
        #expect(observers.map { $0.received.count } == [2, 2, 2, 2, 2, 1, 1, 1, 1, 1])
    }

    @Test func `key paths in a row are one key path`() {
        struct Outer { var inner: Counted }
        let probe = Probe()
        let store = Store(state: Outer(inner: Counted(probe: probe))) { state, action in
            if let set = action as? SetValue { state.inner.value = set.value }
        }
        let long = Observer<Int>()
        let short = Observer<Int>()
        store.subscribe(long) { $0.select(\.inner.read) }
        store.subscribe(short) { $0.select(\.inner).select(\.read) }
        probe.count = 0
        store.dispatch(SetValue(value: 1))
        #expect(probe.count == 1)
        #expect(long.received == [0, 1])
        #expect(short.received == [0, 1])
    }

    @Test func `a selection is no longer evaluated when its last subscriber has left`() {
        let probe = Probe()
        let store = makeStore(probe)
        let first = Observer<Int>()
        let second = Observer<Int>()
        let other = Observer<Int>()
        store.subscribe(first) { $0.select(\.read) }
        store.subscribe(other) { $0.select(\.value) }
        store.subscribe(second) { $0.select(\.read) }
        store.unsubscribe(first)
        probe.count = 0
        store.dispatch(SetValue(value: 1))
        #expect(probe.count == 1)
        store.unsubscribe(second)
        store.dispatch(SetValue(value: 2))
        #expect(probe.count == 1)
        #expect(other.received == [0, 1, 2])
        store.subscribe(first) { $0.select(\.read) }
        #expect(first.received == [0, 2])
    }

    @Test func `a closure runs once per change`() {
        let probe = Probe()
        let store = makeStore(probe)
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select { $0.read }.skip { $0 > $1 } }
        probe.count = 0
        store.dispatch(SetValue(value: 1))
        #expect(probe.count == 1)
    }
}
