import Storecast
import Testing

struct SubscriptionListTests {
    @Test func `without a state a subscriber waits for the first one`() {
        let list = SubscriptionList<Pair>()
        let selected = Observer<Int>()
        let filtered = Observer<Int>()
        let whole = Observer<Pair>()
        list.subscribe(
            selected, transform: { $0.select(\.a) }, skipsRepeats: true, current: nil)
        list.subscribe(
            filtered, transform: { $0.select(\.a).only { $0 < $1 } }, skipsRepeats: true,
            current: nil)
        list.subscribe(whole, transform: nil, skipsRepeats: true, current: nil)
        #expect(selected.received.isEmpty)
        list.notify(Pair(a: 3))
        #expect(selected.received == [3])
        #expect(filtered.received == [3])
        #expect(whole.received == [Pair(a: 3)])
        list.notify(Pair(a: 3, b: 1))
        list.notify(Pair(a: 2, b: 1))
        #expect(selected.received == [3, 2])
        #expect(filtered.received == [3])
        #expect(whole.received.count == 3)
    }

    @Test func `update tells nobody before deliver does`() {
        let list = SubscriptionList<Pair>()
        let observer = Observer<Int>()
        list.subscribe(
            observer, transform: { $0.select(\.a) }, skipsRepeats: true, current: Pair())
        list.update(Pair(a: 1))
        list.update(Pair(a: 2))
        #expect(observer.received == [0])
        list.deliver()
        #expect(observer.received == [0, 2])
    }

    @Test func `two updates that cancel each other out deliver nothing`() {
        let list = SubscriptionList<Pair>()
        let observer = Observer<Int>()
        list.subscribe(
            observer, transform: { $0.select(\.a) }, skipsRepeats: true, current: Pair())
        list.update(Pair(a: 1))
        list.update(Pair(a: 0))
        list.deliver()
        #expect(observer.received == [0])
        list.notify(Pair(a: 1))
        #expect(observer.received == [0, 1])
    }

    @Test func `what waits to be delivered is dropped when a newer value is filtered out`() {
        let list = SubscriptionList<Pair>()
        let changing = Observer<Int>()
        let filtered = Observer<Int>()
        list.subscribe(
            changing, transform: { $0.select(\.a) }, skipsRepeats: true, current: Pair())
        list.subscribe(
            filtered, transform: { $0.select(\.a).skip(when: { $0 == 2 }) }, skipsRepeats: true,
            current: Pair())
        changing.reaction = { if $0 == 1 { list.notify(Pair(a: 2)) } }
        list.notify(Pair(a: 1))
        #expect(changing.received == [0, 1, 2])
        #expect(filtered.received == [0])
    }

    @Test func `after a round no value but the newest is kept`() {
        struct Item: Equatable {
            let object: Probe
            static func == (left: Item, right: Item) -> Bool { left.object === right.object }
        }
        final class Forgetful: StoreSubscriber {
            func newState(state: Item) {}
        }
        let list = SubscriptionList<Item>()
        let subscriber = Forgetful()
        var first: Probe? = Probe()
        weak let reference = first
        if let first {
            list.subscribe(
                subscriber, transform: nil, skipsRepeats: true, current: Item(object: first))
        }
        first = nil
        #expect(reference != nil)
        list.notify(Item(object: Probe()))
        #expect(reference == nil)
    }

    @Test(arguments: UInt64(1)...40)
    func `random coming, going, batches and nested changes keep every promise`(seed: UInt64) {
        var model = SubscriptionListModel(seed: seed)
        model.run(steps: 150)
        #expect(model.problems.isEmpty, "seed \(seed)")
    }
}
