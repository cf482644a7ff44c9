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

    @Test func `the gone ones of a selection that never changes do not pile up`() async {
        await #expect(processExitsWith: .success) {
            let store = makePairStore()
            // All at once, so that none gets the address, and with it the place, of one before.
            var observers = (0..<1_000).map { _ in Observer<Int>() }
            for observer in observers { store.subscribe(observer) { $0.select(\.a) } }
            #expect(store.subscriptions.count == 1_000)
            observers = (0..<1_500).map { _ in Observer<Int>() }
            for observer in observers { store.subscribe(observer) { $0.select(\.a) } }
            #expect(store.subscriptions.count == 1_500)
        }
    }

    /// Subscribers of one selection, who write down that they were notified.
    private final class Crowd {
        private let store = makePairStore()
        private var members: [(number: Int, observer: Observer<Int>)] = []
        private var log: [Int] = []
        private var changes = 0
        private var arrivals = 0

        func come(_ count: Int) {
            for _ in 0..<count {
                let number = arrivals
                arrivals += 1
                let observer = Observer<Int> { [unowned self] _ in log.append(number) }
                store.subscribe(observer) { $0.select(\.a) }
                members.append((number, observer))
            }
        }

        func leave(_ isLeaving: (_ place: Int) -> Bool) {
            for (place, member) in members.enumerated() where isLeaving(place) {
                store.unsubscribe(member.observer)
            }
            members = members.enumerated().filter { !isLeaving($0.offset) }.map(\.element)
        }

        /// Whether those who are there are notified of a change, once, in the order of their
        /// coming, and nobody else.
        func isWhole() -> Bool {
            log = []
            changes += 1
            store.dispatch(PairAction.setA(changes))
            return log == members.map(\.number) && store.subscriptions.count == members.count
        }
    }

    /// The places of those who have left are closed when more than 16, and more than half, are
    /// empty. As many come as left, so that every old place is somebody's.
    @Test(arguments: [2, 16, 32, 33, 34, 35, 36, 64, 100])
    func `when many have left and others come, each who leaves is silent, and only he`(
        count: Int
    ) {
        for round in 0..<4 {
            let crowd = Crowd()
            crowd.come(count)
            let half = count / 2 + 1
            crowd.leave { place in
                switch round {
                case 0: place < half
                case 1: place >= count - half
                case 2: place % 2 == 0 || place == 1 && count.isMultiple(of: 2)
                // 13 has no divisor in common with any of the counts.
                default: place * 13 % count < half
                }
            }
            #expect(crowd.isWhole())
            crowd.come(2 * count)
            #expect(crowd.isWhole())
            crowd.leave { $0 % 4 == 1 && $0 < count / 2 }
            #expect(crowd.isWhole(), "round \(round)")
            crowd.leave { $0 == 0 }
            #expect(crowd.isWhole(), "round \(round)")
        }
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

    @Test func `many come and go in any order and the rest is notified in order`() async {
        await #expect(processExitsWith: .success) {
            let store = makePairStore()
            var log: [Int] = []
            var observers = (0..<200).map { number in Observer<Int> { _ in log.append(number) } }
            for observer in observers { store.subscribe(observer) { $0.select(\.a) } }
            for number in stride(from: 198, through: 0, by: -2) {
                store.unsubscribe(observers[number])
            }
            for number in stride(from: 1, to: 200, by: 4) { store.unsubscribe(observers[number]) }
            let late = Observer<Int> { _ in log.append(200) }
            store.subscribe(late) { $0.select(\.a) }
            observers.append(late)
            log = []
            store.dispatch(PairAction.setA(1))
            #expect(log == Array(stride(from: 3, to: 200, by: 4)) + [200])
        }
    }
}
