import Storecast
import Testing

/// The store never holds a second copy of the state while a reducer changes it in place.
struct InPlaceReductionTests {
    /// A value with shared storage that counts how often it had to be copied for a change.
    struct Bag {
        final class Storage {
            var items: [Int] = []
        }

        let copies: Probe
        private var storage = Storage()

        init(copies: Probe) {
            self.copies = copies
        }

        var count: Int { storage.items.count }

        mutating func add(_ item: Int) {
            if !isKnownUniquelyReferenced(&storage) {
                copies.count += 1
                let copy = Storage()
                copy.items = storage.items
                storage = copy
            }
            storage.items.append(item)
        }
    }

    struct Add: Action { var item = 0 }

    private func makeStore(_ copies: Probe) -> Store<Bag> {
        Store(state: Bag(copies: copies)) { bag, action in
            if let add = action as? Add { bag.add(add.item) }
        }
    }

    @Test func `dispatch copies nothing with subscribers to parts of the state`() {
        let copies = Probe()
        let store = makeStore(copies)
        let byPath = Observer<Int>()
        let byClosure = Observer<Int>()
        let filtered = Observer<Int>()
        store.subscribe(byPath) { $0.select(\.count) }
        store.subscribe(byClosure) { $0.select { $0.count } }
        store.subscribe(filtered) { $0.select(\.count).only { $0 < $1 } }
        for item in 0..<10 { store.dispatch(Add(item: item)) }
        #expect(copies.count == 0)
        #expect(byPath.received.last == 10)
        #expect(filtered.received.last == 10)
    }

    @Test func `nor with a subscriber to the whole state that keeps nothing`() {
        final class Forgetful: StoreSubscriber {
            var sum = 0
            func newState(state: Bag) { sum += state.count }
        }
        let copies = Probe()
        let store = makeStore(copies)
        let subscriber = Forgetful()
        store.subscribe(subscriber)
        for item in 0..<10 { store.dispatch(Add(item: item)) }
        #expect(subscriber.sum == 55)
        #expect(copies.count == 0)
    }

    @Test func `nor when a subscriber dispatches, though others wait for the whole state`() {
        let copies = Probe()
        let store = makeStore(copies)
        let dispatching = Observer<Int>()
        let whole = WholeCounter()
        store.subscribe(dispatching) { $0.select(\.count) }
        store.subscribe(whole)
        dispatching.reaction = { if $0 < 5 { store.dispatch(Add()) } }
        store.dispatch(Add())
        #expect(whole.counts == [0, 5])
        #expect(copies.count == 0)
    }

    final class WholeCounter: StoreSubscriber {
        var counts: [Int] = []
        func newState(state: Bag) { counts.append(state.count) }
    }

    @Test func `reducing several actions copies nothing, and neither does reading the state`() {
        let copies = Probe()
        let store = makeStore(copies)
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.count) }
        for item in 0..<3 { store.reduce(Add(item: item)) }
        store.announce()
        let count = store.state.count
        store.dispatch(Add())
        #expect(count == 3)
        #expect(observer.received == [0, 3, 4])
        #expect(copies.count == 0)
    }

    @Test func `a nested dispatch copies nothing that waits for the subscribers of a scope`() {
        struct Whole {
            var bag: Bag
        }
        let copies = Probe()
        let store = Store(state: Whole(bag: Bag(copies: copies))) { whole, action in
            if let add = action as? Add { whole.bag.add(add.item) }
        }
        let dispatching = Observer<Int>()
        let whole = WholeCounter()
        store.subscribe(dispatching) { $0.select(\.bag.count) }
        store.scope(\.bag).subscribe(whole)
        dispatching.reaction = { if $0 < 5 { store.dispatch(Add()) } }
        store.dispatch(Add())
        #expect(whole.counts == [0, 5])
        #expect(copies.count == 0)
    }

    @Test func `a batch copies nothing that a newcomer's arrival had evaluated`() {
        let copies = Probe()
        let store = makeStore(copies)
        let early = WholeCounter()
        let late = Observer<Int>()
        store.subscribe(early)
        store.batch {
            store.dispatch(Add())
            store.subscribe(late) { $0.select(\.count) }
            store.dispatch(Add())
        }
        #expect(early.counts == [0, 2])
        #expect(late.received == [1, 2])
        #expect(copies.count == 0)
    }
}
