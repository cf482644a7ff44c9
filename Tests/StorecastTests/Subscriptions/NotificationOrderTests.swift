import Storecast
import Testing

/// The promises about dispatching while subscribers are being notified.
@Suite(.timeLimit(.minutes(30)))
struct NotificationOrderTests {
    @Test func `subscribers are notified in the order of subscription, whatever they select`() {
        let store = makePairStore()
        var log: [Int] = []
        var observers: [Observer<Int>] = []
        for number in 0..<9 {
            let observer = Observer<Int> { _ in log.append(number) }
            observers.append(observer)
            store.subscribe(observer) {
                switch number % 3 {
                case 0: $0.select(\.a)
                case 1: $0.select { $0.a + 1 }
                default: $0.select(\.a).skipRepeats { _, _ in false }
                }
            }
        }
        let whole = Observer<Pair> { _ in log.append(9) }
        store.subscribe(whole)
        log = []
        store.dispatch(PairAction.setA(1))
        #expect(log == Array(0...9))
    }

    @Test func `subscribing again moves a subscriber to the end`() {
        let store = makePairStore()
        var log: [String] = []
        let first = Observer<Int> { _ in log.append("first") }
        let second = Observer<Int> { _ in log.append("second") }
        store.subscribe(first) { $0.select(\.a) }
        store.subscribe(second) { $0.select(\.a) }
        store.subscribe(first) { $0.select(\.a) }
        log = []
        store.dispatch(PairAction.setA(1))
        #expect(log == ["second", "first"])
    }

    @Test func `when a subscriber dispatches, those behind it see the newest state only`() {
        let store = makeOpaqueStore()
        let before = Observer<Opaque>()
        let dispatching = Observer<Opaque>()
        let behind = Observer<Opaque>()
        for observer in [before, dispatching, behind] { store.subscribe(observer) }
        dispatching.reaction = { if $0.value == 1 { store.dispatch(SetOpaque(value: 2)) } }
        store.dispatch(SetOpaque(value: 1))
        #expect(before.received.map(\.value) == [0, 1, 2])
        #expect(dispatching.received.map(\.value) == [0, 1, 2])
        #expect(behind.received.map(\.value) == [0, 2])
    }

    @Test func `its own dispatch reaches a subscriber after it has returned, in order`() {
        let store = makePairStore()
        let observer = Observer<Int>()
        observer.reaction = { if $0 < 5 { store.dispatch(PairAction.setA($0 + 1)) } }
        store.subscribe(observer) { $0.select(\.a) }
        #expect(observer.received == [0, 1, 2, 3, 4, 5])
    }

    @Test func `an action dispatched by a subscriber is reduced before dispatch returns`() {
        let store = makePairStore()
        var seen: Int?
        let observer = Observer<Int>()
        store.subscribe(observer) { $0.select(\.a) }
        observer.reaction = { _ in
            store.dispatch(PairAction.setB(7))
            seen = store.state.b
        }
        store.dispatch(PairAction.setA(1))
        #expect(seen == 7)
    }

    @Test func `a selection that a nested dispatch set back is not shown again`() {
        let store = makePairStore()
        let dispatching = Observer<Int>()
        let behind = Observer<Int>()
        let filtered = Observer<Int>()
        let closure = Observer<Int>()
        store.subscribe(dispatching) { $0.select(\.a) }
        store.subscribe(behind) { $0.select(\.a) }
        store.subscribe(filtered) { $0.select(\.a).skipRepeats { $0 == $1 } }
        store.subscribe(closure) { $0.select { $0.a } }
        dispatching.reaction = { if $0 == 1 { store.dispatch(PairAction.setA(0)) } }
        store.dispatch(PairAction.setA(1))
        #expect(dispatching.received == [0, 1, 0])
        #expect(behind.received == [0])
        #expect(filtered.received == [0])
        #expect(closure.received == [0])
        dispatching.reaction = nil
        store.dispatch(PairAction.setA(1))
        #expect(behind.received == [0, 1])
        #expect(filtered.received == [0, 1])
    }

    @Test func `a filter that a nested dispatch overtook compares with what was delivered`() {
        let store = makePairStore()
        let dispatching = Observer<Int>()
        let behind = Observer<Int>()
        store.subscribe(dispatching) { $0.select(\.a) }
        store.subscribe(behind) { $0.select(\.a).skipRepeats { abs($0 - $1) < 5 } }
        dispatching.reaction = { if $0 == 10 { store.dispatch(PairAction.setA(12)) } }
        store.dispatch(PairAction.setA(10))
        #expect(behind.received == [0, 12])
    }

    @Test func `several nested dispatches in one call are one change for the others`() {
        let store = makePairStore()
        let dispatching = Observer<Int>()
        let behind = Observer<Int>()
        store.subscribe(dispatching) { $0.select(\.a) }
        store.subscribe(behind) { $0.select(\.b) }
        dispatching.reaction = { _ in
            for value in 1...3 { store.dispatch(PairAction.setB(value)) }
        }
        store.dispatch(PairAction.setA(1))
        #expect(behind.received == [0, 3])
    }

    @Test func `who subscribes during a round gets the current state once`() {
        let store = makeOpaqueStore()
        let first = Observer<Opaque>()
        let late = Observer<Opaque>()
        let lateSelected = Observer<Int>()
        store.subscribe(first)
        first.reaction = { state in
            if state.value == 1 {
                store.dispatch(SetOpaque(value: 2))
                store.subscribe(late)
                store.subscribe(lateSelected) { $0.select(\.value) }
            }
        }
        store.dispatch(SetOpaque(value: 1))
        #expect(late.received.map(\.value) == [2])
        #expect(lateSelected.received == [2])
    }

    @Test func `a change by a subscriber behind a selection evaluates it once per change`() {
        let probe = Probe()
        let store = makePairStore()
        let counted = Observer<Int>()
        let dispatching = Observer<Int>()
        store.subscribe(counted) {
            $0.select {
                probe.count += 1
                return $0.a
            }
        }
        store.subscribe(dispatching) { $0.select(\.a) }
        dispatching.reaction = { if $0 == 1 { store.dispatch(PairAction.setA(2)) } }
        probe.count = 0
        store.dispatch(PairAction.setA(1))
        #expect(probe.count == 2)
        #expect(counted.received == [0, 1, 2])
    }

    @Test func `a selector that dispatches is a programming error`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = makePairStore()
            let observer = Observer<Int>()
            store.subscribe(observer) {
                $0.select { pair in
                    if pair.a == 1 { store.dispatch(PairAction.setA(2)) }
                    return pair.a
                }
            }
            store.dispatch(PairAction.setA(1))
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("setA(2) was dispatched while a selection was evaluated"))
    }
}
