import Storecast
import Testing

@Suite(.timeLimit(.minutes(30)))
struct SubscriptionTests {
    @Test func `a subscriber gets the state at once and after each change`() {
        let store = makePairStore(Pair(a: 1))
        let observer = Observer<Pair>()
        store.subscribe(observer)
        #expect(observer.received == [Pair(a: 1)])
        store.dispatch(PairAction.setA(2))
        #expect(observer.received == [Pair(a: 1), Pair(a: 2)])
    }

    @Test func `a selection is made by a closure`() {
        let store = makePairStore()
        let observer = Observer<String>()
        store.subscribe(observer) { $0.select { "\($0.a)/\($0.b)" } }
        store.dispatch(PairAction.setB(2))
        #expect(observer.received == ["0/0", "0/2"])
    }

    @Test func `a selection is made by a key path`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        store.dispatch(PairAction.setA(1))
        #expect(observer.received == [0, 1])
    }

    @Test func `selections follow one another`() {
        let store = makePairStore(Pair(name: "ab"))
        let paths = Observer<Int>()
        let closures = Observer<Int>()
        let mixed = Observer<String>()
        let filtered = Observer<Int>()
        store.subscribe(paths) { $0.select(\.name).select(\.count) }
        store.subscribe(closures) { $0.select { $0.name }.select { $0.count } }
        store.subscribe(mixed) { $0.select { $0.name }.select(\.description).select { $0 + "!" } }
        store.subscribe(filtered) { $0.select(\.name).skipRepeats().select { $0.count } }
        store.dispatch(PairAction.setName("abc"))
        store.dispatch(PairAction.setName("xyz"))
        #expect(paths.received == [2, 3])
        #expect(closures.received == [2, 3])
        #expect(mixed.received == ["ab!", "abc!", "xyz!"])
        #expect(filtered.received == [2, 3])
    }

    @Test func `a selection may be a tuple or an optional`() {
        let store = makePairStore()
        let tuples = Observer<(Int, String?)>()
        let optionals = Observer<String?>()
        store.subscribe(tuples) { $0.select { ($0.a, $0.name.isEmpty ? nil : $0.name) } }
        store.subscribe(optionals) { $0.select { $0.name.isEmpty ? nil : $0.name } }
        store.dispatch(PairAction.setName("x"))
        store.dispatch(PairAction.setName(""))
        #expect(tuples.received.map(\.1) == [nil, "x", nil])
        #expect(optionals.received == [nil, "x", nil])
    }

    @Test func `skipRepeats with a predicate skips what the predicate calls a repeat`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a).skipRepeats { $0 / 10 == $1 / 10 } }
        for value in [4, 9, 12, 19, 3] { store.dispatch(PairAction.setA(value)) }
        #expect(observer.received == [0, 12, 3])
    }

    @Test func `skipRepeats compares with what was last delivered, not with the last state`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a).skipRepeats { abs($0 - $1) < 5 } }
        for value in [3, 6, 9, 12] { store.dispatch(PairAction.setA(value)) }
        #expect(observer.received == [0, 6, 12])
    }

    @Test func `skip(when:) skips, only(when:) keeps`() {
        let store = makePairStore()
        let skipping = Observer<Int>()
        let keeping = Observer<Int>()
        store.subscribe(skipping) { $0.select(\.a).skip { old, new in new < old } }
        store.subscribe(keeping) { $0.select(\.a).only { old, new in new < old } }
        for value in [5, 3, 7, -1] { store.dispatch(PairAction.setA(value)) }
        #expect(skipping.received == [0, 5, 7])
        #expect(keeping.received == [0, -1])
    }

    @Test func `skip and only can look at the new value alone`() {
        let store = makePairStore()
        let skipping = Observer<String>()
        let keeping = Observer<Int>()
        store.subscribe(skipping) { $0.select(\.name).skip(when: { name in name.isEmpty }) }
        store.subscribe(keeping) { $0.select(\.a).only(when: { new in new > 2 }) }
        store.dispatch(PairAction.setName("x"))
        store.dispatch(PairAction.setName(""))
        store.dispatch(PairAction.setA(2))
        store.dispatch(PairAction.setA(3))
        #expect(skipping.received == ["", "x"])
        #expect(keeping.received == [0, 3])
    }

    @Test func `an operator can be passed as predicate on the whole state`() {
        let store = makePairStore(skips: false)
        let observer = Observer<Pair>()
        store.subscribe(observer) { $0.skip(when: ==) }
        store.dispatch(PairAction.nothing)
        #expect(observer.received.count == 1)
    }

    @Test func `the first state passes any filter`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) {
            $0.select(\.a).skip { _, _ in true }.only(when: { _ in false }).skipRepeats()
        }
        store.dispatch(PairAction.setA(1))
        #expect(observer.received == [0])
    }

    @Test func `a value that a later filter stopped does not count as delivered`() {
        let store = makePairStore(skips: false)
        let shared = Observer<Int>()
        let mapped = Observer<Int>()
        let own = Observer<Int>()
        store.subscribe(mapped) {
            $0.select(\.a).skipRepeats().select { $0 * 10 }.skip(when: { $0 == 20 })
        }
        store.subscribe(shared) { $0.select(\.a).skipRepeats().skip(when: { $0 == 2 }) }
        store.subscribe(own) { $0.select(\.a).skipRepeats { $0 == $1 }.skip(when: { $0 == 2 }) }
        for value in [1, 2, 1, 3] { store.dispatch(PairAction.setA(value)) }
        #expect(shared.received == [0, 1, 3])
        #expect(mapped.received == [0, 10, 30])
        #expect(own.received == [0, 1, 3])
    }

    @Test func `filters before a selection compare whole states`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.only { old, new in old.b != new.b }.select(\.a) }
        store.dispatch(PairAction.setA(1))
        store.dispatch(PairAction.setB(1))
        #expect(observer.received == [0, 1])
    }

    @Test func `without transform the subscriber must want the state itself`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let none: ((Subscription<Pair>) -> Subscription<Int>)? = nil
            makePairStore().subscribe(Observer<Int>(), transform: none)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("needs a transform: the state is"))
    }
}
