import Storecast
import Testing

extension Subscription {
    /// Written as ReSwift's users write operators of their own.
    fileprivate func mapped<Value>(
        _ transform: @escaping (State) -> Value?
    ) -> Subscription<Value> {
        Subscription<Value> { sink in
            self.observer = { old, new in
                if let value = transform(new) { sink(old.flatMap(transform), value) }
            }
        }
    }

    fileprivate func holding(_ hold: @escaping (@escaping () -> Void) -> Void) -> Subscription {
        Subscription { sink in
            self.observer = { old, new in hold { sink(old, new) } }
        }
    }
}

struct CustomOperatorTests {
    @Test func `an operator made with a sink stands between the built-in ones`() {
        let store = makePairStore()
        let observer = Observer<String>()
        store.subscribe(observer) {
            $0.select(\.a).mapped { $0 >= 0 ? $0 * 2 : nil }.skip(when: { $0 == 4 })
                .mapped { "\($0)" }
        }
        for value in [1, 1, -5, 2, 3] { store.dispatch(PairAction.setA(value)) }
        #expect(observer.received == ["0", "2", "6"])
    }

    @Test func `an observer gets the value that it got before`() {
        let store = makePairStore(skips: false)
        var seen: [[Int?]] = []
        let observer = Observer<Int>()
        store.subscribe(observer) { root in
            let numbers = root.select(\.a)
            return Subscription<Int> { sink in
                numbers.observer = { old, new in
                    seen.append([old, new])
                    sink(old, new)
                }
            }
        }
        store.dispatch(PairAction.setA(1))
        store.dispatch(PairAction.setB(1))
        #expect(seen == [[nil, 0], [0, 1], [1, 1]])
        #expect(observer.received == [0, 1, 1])
    }

    @Test func `filters on both sides of it compare with what was delivered`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) {
            $0.select(\.a).skipRepeats().mapped { $0 }.skip(when: { $0 == 2 })
        }
        for value in [1, 2, 1, 3] { store.dispatch(PairAction.setA(value)) }
        #expect(observer.received == [0, 1, 3])
    }

    @Test func `a sink may be called later, outside a round of notifications`() {
        let store = makePairStore()
        var later: [() -> Void] = []
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a).holding { later.append($0) } }
        store.dispatch(PairAction.setA(1))
        #expect(observer.received.isEmpty)
        later.forEach { $0() }
        #expect(observer.received == [0, 1])
        store.unsubscribe(observer)
        later.forEach { $0() }
        #expect(observer.received == [0, 1])
    }
}
