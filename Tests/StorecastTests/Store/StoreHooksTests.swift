import Storecast
import Testing

/// What rooms and mirrors build on: see the package functions of Store.
@Suite(.timeLimit(.minutes(30)))
struct StoreHooksTests {
    @Test func `an interceptor takes what comes through the middleware in the reducer's place`() {
        let doubling: Middleware<Pair> = { _, _ in
            { next in
                { action in
                    guard case .setA(let value)? = action as? PairAction else {
                        return next(action)
                    }
                    next(PairAction.setA(value * 2))
                }
            }
        }
        let store = makePairStore(middleware: [doubling])
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        var journal: [any Action] = []
        store.interceptDispatch { journal.append($0) }
        store.dispatch(PairAction.setA(4))
        #expect(store.state.a == 0)
        #expect(journal.count == 1)
        store.reduce(journal[0])
        store.announce(after: journal[0])
        #expect(store.state.a == 8)
        store.interceptDispatch(nil)
        store.dispatch(PairAction.setA(5))
        #expect(observer.received == [0, 8, 10])
        #expect(journal.count == 1)
    }

    @Test func `interception works without middleware`() {
        let store = makePairStore()
        var count = 0
        store.interceptDispatch { _ in count += 1 }
        store.dispatch(PairAction.setA(1))
        store.dispatchFunction(PairAction.setA(1))
        #expect(count == 2)
        #expect(store.state.a == 0)
    }

    @Test func `several reduced actions are announced once, past the middleware`() {
        let stopping: Middleware<Pair> = { _, _ in { _ in { _ in } } }
        let store = makePairStore(middleware: [stopping], skips: false)
        let observer = Observer<Pair>()
        store.subscribe(observer)
        for action in [PairAction.setA(1), .setA(2), .setB(3)] { store.reduce(action) }
        store.announce()
        #expect(observer.received == [Pair(), Pair(a: 2, b: 3)])
    }

    @Test func `announcing a known state notifies nobody`() {
        let store = makePairStore(skips: false)
        let observer = Observer<Pair>()
        store.subscribe(observer)
        store.announce()
        #expect(observer.received.count == 1)
    }

    @Test func `between reduce and announce a newcomer sees the newest state, everyone once`() {
        let store = makePairStore(skips: false)
        let early = Observer<Int>()
        let late = Observer<Int>()
        store.subscribe(early) { $0.select(\.a) }
        store.reduce(PairAction.setA(1))
        #expect(store.state.a == 1)
        #expect(early.received == [0])
        store.subscribe(late) { $0.select(\.a) }
        #expect(late.received == [1])
        store.announce()
        #expect(early.received == [0, 1])
        #expect(late.received == [1])
    }

    @Test func `replaceState notifies whose selection differs`() {
        let store = makePairStore()
        let a = Observer<Int>()
        let b = Observer<Int>()
        store.subscribe(a) { $0.select(\.a) }
        store.subscribe(b) { $0.select(\.b) }
        store.replaceState(Pair(a: 1))
        #expect(store.state == Pair(a: 1))
        #expect(a.received == [0, 1])
        #expect(b.received == [0])
    }

    @Test func `placeState leaves the subscribers to announce`() {
        let store = makePairStore()
        let a = Observer<Int>()
        store.subscribe(a) { $0.select(\.a) }
        store.placeState(Pair(a: 1))
        store.reduce(PairAction.setB(2))
        #expect(store.state == Pair(a: 1, b: 2))
        #expect(a.received == [0])
        store.announce()
        #expect(a.received == [0, 1])
    }

    @Test func `replaceState in a reducer ends the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var store: Store<Int>?
            store = Store<Int>(
                reducer: { _, _ in
                    store?.replaceState(1)
                    return 0
                }, state: 0)
            store?.dispatch(PairAction.nothing)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("while another action"))
    }
}
