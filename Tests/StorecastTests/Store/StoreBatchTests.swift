import Storecast
import Testing

@Suite(.timeLimit(.minutes(30)))
struct StoreBatchTests {
    private struct Refusal: Error {}

    @Test func `a batch reduces at once and notifies once, at its end`() {
        let store = makePairStore(skips: false)
        let observer = Observer<Pair>()
        store.subscribe(observer)
        let sum = store.batch {
            store.dispatch(PairAction.setA(1))
            #expect(store.state.a == 1)
            store.dispatch(PairAction.setB(2))
            #expect(observer.received.count == 1)
            return store.state.a + store.state.b
        }
        #expect(sum == 3)
        #expect(observer.received == [Pair(), Pair(a: 1, b: 2)])
        store.dispatch(PairAction.setA(5))
        #expect(observer.received.count == 3)
    }

    @Test func `a batch in a batch belongs to it`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        store.batch {
            store.batch { store.dispatch(PairAction.setA(1)) }
            #expect(observer.received == [0])
            store.scope(\.a).batch { store.dispatch(PairAction.setA(2)) }
            #expect(observer.received == [0])
        }
        #expect(observer.received == [0, 2])
    }

    @Test func `an empty batch and one that changes nothing in the end notify nobody`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        store.batch {}
        store.batch {
            store.dispatch(PairAction.setA(1))
            store.dispatch(PairAction.setA(0))
        }
        #expect(observer.received == [0])
    }

    @Test func `what was dispatched before the body throws stays and is told`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        #expect(throws: Refusal.self) {
            try store.batch {
                store.dispatch(PairAction.setA(1))
                throw Refusal()
            }
        }
        #expect(observer.received == [0, 1])
        store.dispatch(PairAction.setA(2))
        #expect(observer.received == [0, 1, 2])
    }

    @Test func `who subscribes in a batch gets the state of that moment, the others wait`() {
        for skips in [true, false] {
            let store = makePairStore(skips: skips)
            let early = Observer<Int>()
            let late = Observer<Int>()
            let settled = Observer<Int>()
            store.subscribe(early) { $0.select(\.a) }
            store.batch {
                store.dispatch(PairAction.setA(1))
                store.subscribe(late) { $0.select(\.a) }
                #expect(late.received == [1])
                store.dispatch(PairAction.setA(2))
                store.subscribe(settled) { $0.select(\.a) }
                #expect(early.received == [0])
            }
            #expect(early.received == [0, 2])
            #expect(late.received == [1, 2])
            #expect(settled.received == [2])
        }
    }

    @Test func `who unsubscribes in a batch hears nothing of it`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        store.batch {
            store.dispatch(PairAction.setA(1))
            store.unsubscribe(observer)
        }
        #expect(observer.received == [0])
    }

    @Test func `a newcomer that dispatches in a batch is told again at its end`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        observer.reaction = { if $0 == 0 { store.dispatch(PairAction.setA(1)) } }
        store.batch {
            store.subscribe(observer) { $0.select(\.a) }
            #expect(observer.received == [0])
        }
        #expect(observer.received == [0, 1])
    }

    @Test func `a subscriber's batch is one change for those behind it`() {
        let store = makePairStore()
        let batching = Observer<Int>()
        let behind = Observer<Int>()
        store.subscribe(batching) { $0.select(\.a) }
        store.subscribe(behind) { $0.select(\.b) }
        batching.reaction = { a in
            if a == 1 {
                store.batch { for value in 1...3 { store.dispatch(PairAction.setB(value)) } }
            }
        }
        store.dispatch(PairAction.setA(1))
        #expect(behind.received == [0, 3])
    }

    @Test func `the subscribers of a batch's end may open another`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        observer.reaction = { a in
            if a == 1 { store.batch { store.dispatch(PairAction.setA(2)) } }
        }
        store.subscribe(observer) { $0.select(\.a) }
        store.batch { store.dispatch(PairAction.setA(1)) }
        #expect(observer.received == [0, 1, 2])
    }

    @Test func `a batch in a reducer ends the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var store: Store<Int>?
            store = Store(state: 0) { _, _ in store?.batch {} }
            store?.dispatch(PairAction.nothing)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("while another action"))
    }
}
