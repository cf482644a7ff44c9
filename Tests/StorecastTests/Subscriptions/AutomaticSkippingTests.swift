import Storecast
import Testing

struct AutomaticSkippingTests {
    @Test func `an Equatable selection skips repeats`() {
        let store = makeOpaqueStore()
        let byPath = Observer<Int>()
        let byClosure = Observer<Int>()
        store.subscribe(byPath) { $0.select(\.value) }
        store.subscribe(byClosure) { $0.select { $0.value } }
        store.dispatch(SetOther(other: 1))
        store.dispatch(SetOpaque(value: 0))
        store.dispatch(SetOpaque(value: 2))
        #expect(byPath.received == [0, 2])
        #expect(byClosure.received == [0, 2])
    }

    @Test func `the whole of an Equatable state skips repeats`() {
        let store = makePairStore()
        let plain = Observer<Pair>()
        let transformed = Observer<Pair>()
        store.subscribe(plain)
        store.subscribe(transformed) { $0 }
        store.dispatch(PairAction.nothing)
        store.dispatch(PairAction.setA(0))
        #expect(plain.received.count == 1)
        #expect(transformed.received.count == 1)
    }

    @Test func `what can't be compared is passed on every time`() {
        let store = makeOpaqueStore()
        let whole = Observer<Opaque>()
        let tuple = Observer<(Int, Int)>()
        store.subscribe(whole)
        store.subscribe(tuple) { $0.select { ($0.value, $0.other) } }
        store.dispatch(SetOpaque(value: 0))
        #expect(whole.received.count == 2)
        #expect(tuple.received.count == 2)
    }

    @Test func `it can be switched off`() {
        let store = makePairStore(skips: false)
        let whole = Observer<Pair>()
        let selected = Observer<Int>()
        let filtered = Observer<Int>()
        store.subscribe(whole)
        store.subscribe(selected) { $0.select(\.a) }
        store.subscribe(filtered) { $0.select(\.a).skipRepeats() }
        store.dispatch(PairAction.nothing)
        #expect(whole.received.count == 2)
        #expect(selected.received == [0, 0])
        #expect(filtered.received == [0])
    }

    @Test func `it works through a generic StoreType`() {
        func check<S: StoreType>(_ store: S) where S.State == Pair {
            let whole = Observer<Pair>()
            let selected = Observer<Int>()
            store.subscribe(whole)
            store.subscribe(selected) { $0.select(\.a) }
            store.dispatch(PairAction.nothing)
            store.dispatch(PairAction.setB(1))
            #expect(store.state.b == 1)
            #expect(whole.received.count == 2)
            #expect(selected.received == [0])
        }
        check(makePairStore())
    }

    @Test func `it works where nobody knows at compile time that the value is Equatable`() {
        func check<Value>(_ path: KeyPath<Pair, Value>) -> Int {
            let store = makePairStore()
            let observer = Observer<Value>()
            store.subscribe(observer) { $0.select(path) }
            store.dispatch(PairAction.setB(1))
            return observer.received.count
        }
        #expect(check(\.a) == 1)
        #expect(check(\.b) == 2)
    }
}
