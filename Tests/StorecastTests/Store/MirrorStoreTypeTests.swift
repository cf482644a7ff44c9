import Storecast
import Testing

/// A store of which the state comes from elsewhere, as a user would write one.
private final class Mirror<State>: MirrorStoreType {
    private(set) var state: State?
    private let list = SubscriptionList<State>()
    private(set) var sent: [any Action] = []

    var mirroredState: State? { state }
    var dispatchFunction: DispatchFunction! { { [weak self] in self?.dispatch($0) } }

    func dispatch(_ action: any Action) { sent.append(action) }

    func subscribe<Subscriber: StoreSubscriber>(_ subscriber: Subscriber)
    where Subscriber.StoreSubscriberStateType == State {
        subscribe(subscriber, transform: nil)
    }

    func subscribe<Selected, Subscriber: StoreSubscriber>(
        _ subscriber: Subscriber,
        transform: ((Subscription<State>) -> Subscription<Selected>)?
    ) where Subscriber.StoreSubscriberStateType == Selected {
        list.subscribe(subscriber, transform: transform, skipsRepeats: true, current: state)
    }

    func unsubscribe(_ subscriber: any AnyStoreSubscriber) { list.unsubscribe(subscriber) }

    func arrive(_ state: State) {
        self.state = state
        list.notify(state)
    }
}

struct MirrorStoreTypeTests {
    @Test func `users of the class meet an optional state`() {
        let mirror = Mirror<Pair>()
        #expect(mirror.state?.a == nil)
        mirror.arrive(Pair(a: 1))
        let a: Int? = mirror.state?.a
        #expect(a == 1)
    }

    @Test func `it is a StoreType to generic code`() {
        func state<S: StoreType>(of store: S) -> S.State? { store.state }
        func a<S: StoreType>(of store: S) -> Int where S.State == Pair { store.state.a }
        let mirror = Mirror<Pair>()
        #expect(state(of: mirror) == nil)
        mirror.arrive(Pair(a: 2))
        #expect(a(of: mirror) == 2)
    }

    @Test func `subscribers hear when the state comes and when their part of it changes`() {
        let mirror = Mirror<Pair>()
        let observer = Observer<Int>()
        mirror.subscribe(observer) { $0.select(\.a) }
        #expect(observer.received.isEmpty)
        mirror.arrive(Pair(a: 1))
        mirror.arrive(Pair(a: 1, b: 5))
        mirror.arrive(Pair(a: 2, b: 5))
        #expect(observer.received == [1, 2])
        mirror.unsubscribe(observer)
        mirror.arrive(Pair(a: 3))
        #expect(observer.received == [1, 2])
    }

    @Test func `action creators work on it`() {
        let mirror = Mirror<Pair>()
        mirror.arrive(Pair(a: 3))
        mirror.dispatch { pair, _ in pair.a > 2 ? PairAction.setA(0) : nil }
        #expect(mirror.sent.count == 1)
    }
}
