import Storecast
import Testing

@Suite(.timeLimit(.minutes(30)))
struct StoreStatesTests {
    @Test func `the current value comes first, then every change that is waited for`() async {
        let store = makePairStore(Pair(a: 7))
        var values = store.states(of: \.a).makeAsyncIterator()
        #expect(await values.next() == 7)
        store.dispatch(PairAction.setB(1))
        store.dispatch(PairAction.setA(8))
        #expect(await values.next() == 8)
    }

    @Test func `a slow reader gets the newest value`() async {
        let store = makePairStore()
        var values = store.states(of: { $0.a * 10 }).makeAsyncIterator()
        for value in 1...5 { store.dispatch(PairAction.setA(value)) }
        #expect(await values.next() == 50)
    }

    @Test func `all values wait if that is wanted`() async {
        let store = makePairStore()
        var values = store.states(of: \.a, buffering: .unbounded).makeAsyncIterator()
        for value in 1...3 { store.dispatch(PairAction.setA(value)) }
        for expected in 0...3 { #expect(await values.next() == expected) }
    }

    @Test func `it ends with the store, after the last value`() async {
        var store: Store<Pair>? = makePairStore()
        let stream = store?.states(of: \.a)
        store?.dispatch(PairAction.setA(1))
        store = nil
        var received: [Int] = []
        if let stream { for await value in stream { received.append(value) } }
        #expect(received == [1])
    }

    @Test func `it does not keep the store alive, the scope's stream neither`() {
        var store: Store<Pair>? = makePairStore()
        weak let reference = store
        let stream = store?.states(of: \.a)
        let scoped = store?.scope(\.name).states(of: \.count)
        store = nil
        #expect(reference == nil)
        withExtendedLifetime((stream, scoped)) {}
    }

    @Test func `the subscription ends when nobody reads any more`() {
        let store = makePairStore()
        do {
            let stream = store.states(of: \.a)
            #expect(store.subscriptions.count == 1)
            withExtendedLifetime(stream) {}
        }
        store.dispatch(PairAction.setA(1))
        #expect(store.subscriptions.isEmpty)
    }

    @Test func `streams that were dropped do not pile up, though nothing changes`() {
        let store = makePairStore()
        for _ in 0..<1_000 { _ = store.states(of: \.a) }
        #expect(store.subscriptions.count < 130)
    }

    @Test func `a cancelled reader stops`() async {
        let store = makePairStore()
        let stream = store.states(of: \.a)
        let reading = Task.detached {
            var last: Int?
            for await value in stream { last = value }
            return last
        }
        reading.cancel()
        _ = await reading.value
        store.dispatch(PairAction.setA(1))
        #expect(store.subscriptions.isEmpty)
    }

    @Test @MainActor func `an actor's store can be read on another`() async {
        let store = makePairStore()
        let stream = store.states(of: \.a, buffering: .unbounded)
        async let received = Self.collect(stream)
        for value in 1...3 { store.dispatch(PairAction.setA(value)) }
        #expect(await received == [0, 1, 2, 3])
    }

    @concurrent private static func collect(_ stream: AsyncStream<Int>) async -> [Int] {
        var received: [Int] = []
        for await value in stream {
            received.append(value)
            if value == 3 { break }
        }
        return received
    }
}
