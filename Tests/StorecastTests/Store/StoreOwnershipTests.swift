import Storecast
import StorecastTesting
import Testing

/// What is made of a store is let go with it.
@Suite(.timeLimit(.minutes(30)))
struct StoreOwnershipTests {
    private let store = Store(state: Held(), reducer: reduceHeld)

    @Test func `a stream of states that nobody reads holds nothing after the next change`() {
        func dropped() -> Remains {
            let captured = Probe()
            _ = store.states { $0.number + captured.count }
            return Remains(captured: captured, state: store.state.object)
        }
        let remains = dropped()
        store.dispatch(HeldAction.count)
        store.dispatch(HeldAction.replace)
        #expect(remains.names == [])
        #expect(store.subscriptions.isEmpty)
    }

    @Test func `a store's end frees what its streams select, and the readers' way to it`() {
        func streamed() -> (AsyncStream<Int>, Remains, AsyncStream<Int>) {
            let (store, captured) = (Store(state: Held(), reducer: reduceHeld), Probe())
            let stream = store.states { $0.number + captured.count }
            let scoped = store.scope(\.object).states(of: \.count)
            return (stream, Remains(captured: captured, state: store.state.object), scoped)
        }
        let (stream, remains, scoped) = streamed()
        #expect(remains.names == [])
        withExtendedLifetime((stream, scoped)) {}
    }

    #if os(Linux)
        @Test func `20,000 subscribers of every kind come and go, and memory stays flat`() async {
            await #expect(processExitsWith: .success) {
                let store = Store(state: Held(), reducer: reduceHeld)
                let operators = HeldOperator.sequences(upTo: 2)
                await requireFlatMemory(rounds: 20_000) { round in
                    let (observer, captured) = (Observer<Held>(), Probe())
                    store.subscribe(observer) { state in
                        operators[round % operators.count].reduce(state) { $1.apply($0, captured) }
                    }
                    if round % 10 == 0 { store.dispatch(HeldAction.replace) }
                    store.unsubscribe(observer)
                }
            }
        }

        @Test func `20,000 scopes, streams and their readers come and go, and memory stays flat`()
            async
        {
            await #expect(processExitsWith: .success) {
                let store = Store(state: Holder()) { reduceHeld(&$0.middle.held, $1) }
                await requireFlatMemory(rounds: 20_000) { round in
                    let scope = store.scope(\.middle).scope(\.held)
                    let observer = Observer<Int>()
                    scope.subscribe(observer) { $0.select(\.number).skip { $0 == $1 } }
                    _ = store.states { $0.middle.held.number }
                    _ = scope.states(of: \.number)
                    store.dispatch(HeldAction.count)
                    scope.unsubscribe(observer)
                }
            }
        }
    #endif
}
