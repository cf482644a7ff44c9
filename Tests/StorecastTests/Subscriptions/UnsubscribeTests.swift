import Storecast
import Testing

struct UnsubscribeTests {
    @Test func `an unsubscribed subscriber hears nothing more`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        store.unsubscribe(observer)
        store.unsubscribe(observer)
        store.dispatch(PairAction.setA(1))
        #expect(observer.received == [0])
        #expect(store.subscriptions.isEmpty)
    }

    @Test func `not even in the round in which another subscriber unsubscribes it`() {
        let store = makePairStore()
        let first = Observer<Int>()
        let second = Observer<Int>()
        let third = Observer<Int>()
        for observer in [first, second, third] {
            store.subscribe(observer) { $0.select(\.a) }
        }
        first.reaction = { _ in store.unsubscribe(second) }
        store.dispatch(PairAction.setA(1))
        #expect(second.received == [0])
        #expect(third.received == [0, 1])
    }

    @Test func `a subscriber may unsubscribe itself while it is notified`() {
        let store = makePairStore()
        let first = Observer<Int>()
        let second = Observer<Int>()
        store.subscribe(first) { $0.select(\.a) }
        store.subscribe(second) { $0.select(\.a) }
        first.reaction = { _ in store.unsubscribe(first) }
        store.dispatch(PairAction.setA(1))
        store.dispatch(PairAction.setA(2))
        #expect(first.received == [0, 1])
        #expect(second.received == [0, 1, 2])
    }

    @Test func `subscribers are held weakly and forgotten when they are gone`() {
        let store = makePairStore()
        var observer: Observer<Int>? = Observer()
        weak let reference = observer
        if let observer { store.subscribe(observer) { $0.select(\.a) } }
        observer = nil
        #expect(reference == nil)
        store.dispatch(PairAction.setA(1))
        #expect(store.subscriptions.isEmpty)
    }

    @Test func `the gone ones of a selection that never changes do not pile up`() {
        let store = makePairStore()
        // All at once, so that none gets the address, and with it the place, of one before.
        var observers = (0..<1_000).map { _ in Observer<Int>() }
        for observer in observers { store.subscribe(observer) { $0.select(\.a) } }
        #expect(store.subscriptions.count == 1_000)
        observers = (0..<1_500).map { _ in Observer<Int>() }
        for observer in observers { store.subscribe(observer) { $0.select(\.a) } }
        #expect(store.subscriptions.count == 1_500)
    }

    @Test func `a second subscription by the same object replaces the first`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        store.subscribe(observer) { $0.select(\.b) }
        store.dispatch(PairAction.setA(1))
        #expect(observer.received == [0, 0])
        store.dispatch(PairAction.setB(2))
        #expect(observer.received == [0, 0, 2])
    }

    @Test func `a store with subscribers is freed`() {
        var store: Store<Pair>? = makePairStore()
        weak let list = store?.subscriptions
        let observer = Observer<Int>()
        let custom = Observer<Int>()
        store?.subscribe(observer) { $0.select(\.a).skip { $0 > $1 } }
        store?.subscribe(custom) { root in
            Subscription<Int> { sink in root.observer = { _, new in sink(nil, new.a) } }
        }
        store?.dispatch(PairAction.setA(1))
        #expect(custom.received == [0, 1])
        store = nil
        #expect(list == nil)
    }

    @Test func `many come and go in any order and the rest is notified in order`() {
        let store = makePairStore()
        var log: [Int] = []
        var observers = (0..<200).map { number in Observer<Int> { _ in log.append(number) } }
        for observer in observers { store.subscribe(observer) { $0.select(\.a) } }
        for number in stride(from: 198, through: 0, by: -2) { store.unsubscribe(observers[number]) }
        for number in stride(from: 1, to: 200, by: 4) { store.unsubscribe(observers[number]) }
        let late = Observer<Int> { _ in log.append(200) }
        store.subscribe(late) { $0.select(\.a) }
        observers.append(late)
        log = []
        store.dispatch(PairAction.setA(1))
        #expect(log == Array(stride(from: 3, to: 200, by: 4)) + [200])
    }
}
