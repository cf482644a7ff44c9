import Dispatch
import Storecast
import Testing

/// What happens to those who get a store past Swift 6's checking into the hands of two threads.
@Suite(.timeLimit(.minutes(30)))
struct StoreThreadTests {
    /// Runs `work` on another thread, which nobody waits for but this one, and waits for it.
    private static func elsewhere(_ work: @escaping () -> Void) {
        // Exactly what the compiler forbids, and the reason for these tests.
        nonisolated(unsafe) let smuggled = work
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            smuggled()
            isDone.signal()
        }
        isDone.wait()
    }

    @Test func `a reducer that overlaps another on a second thread ends the program`() async throws
    {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var store: Store<Pair>?
            store = Store(state: Pair()) { _, action in
                if case .setA? = action as? PairAction {
                    Self.elsewhere { store?.dispatch(PairAction.setB(1)) }
                }
            }
            store?.dispatch(PairAction.setA(1))
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("setB(1) was dispatched while another"))
    }

    #if DEBUG
        @Test func `dispatch on a second thread during a notification ends the program`()
            async throws
        {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                let store = makePairStore()
                let observer = Observer<Int>()
                observer.reaction = { a in
                    if a == 1 { Self.elsewhere { store.dispatch(PairAction.setB(7)) } }
                }
                store.subscribe(observer) { $0.select(\.a) }
                store.dispatch(PairAction.setA(1))
            }
            let message = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(message.contains("setB(7) was dispatched while another thread was dispatching"))
        }

        @Test func `so do coming and going there, to a scope as well`() async throws {
            let going = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                let store = makePairStore()
                let observer = Observer<Int>()
                observer.reaction = { a in
                    if a == 1 { Self.elsewhere { store.unsubscribe(observer) } }
                }
                store.subscribe(observer) { $0.select(\.a) }
                store.dispatch(PairAction.setA(1))
            }
            let coming = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                let store = makePairStore()
                let observer = Observer<Int>()
                let other = Observer<Int>()
                observer.reaction = { a in
                    if a == 1 { Self.elsewhere { store.scope(\.b).subscribe(other) } }
                }
                store.subscribe(observer) { $0.select(\.a) }
                store.dispatch(PairAction.setA(1))
            }
            for result in [going, coming] {
                let message = String(decoding: result.standardErrorContent, as: UTF8.self)
                #expect(message.contains("while another thread was dispatching"))
            }
        }
    #endif

    @Test func `nested dispatch through another store is fine, in a task and outside`() {
        func run() -> [Int] {
            let (first, second) = (makePairStore(), makePairStore())
            let (forth, back) = (Observer<Int>(), Observer<Int>())
            forth.reaction = { second.dispatch(PairAction.setA($0)) }
            back.reaction = { if $0 < 3 { first.dispatch(PairAction.setA($0 + 1)) } }
            second.subscribe(back) { $0.select(\.a) }
            first.subscribe(forth) { $0.select(\.a) }
            return back.received
        }
        #expect(run() == [0, 1, 2, 3])
        var outside: [Int] = []
        Self.elsewhere { outside = run() }
        #expect(outside == [0, 1, 2, 3])
    }

    @Test func `threads may take turns`() {
        let store = makePairStore()
        store.dispatch(PairAction.setA(1))
        Self.elsewhere { store.dispatch(PairAction.setB(2)) }
        store.dispatch(PairAction.setName("x"))
        #expect(store.state == Pair(a: 1, b: 2, name: "x"))
    }
}
