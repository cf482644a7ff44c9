import Storecast
import Testing

/// A subscription holds nothing once it has ended, whatever it is made of.
struct SubscriptionOwnershipTests {
    private static let sequences = HeldOperator.sequences(upTo: 3)

    /// Subscribes by all these operators to a store that has changed since, and lets the subscriber
    /// go; `end` ends the subscription, or doesn't.
    private func remains<S: StoreType>(
        of operators: [HeldOperator], on store: S, end: (S, any AnyStoreSubscriber) -> Void
    ) -> Remains where S.State == Held {
        let (observer, captured) = (Observer<Held>(), Probe())
        let remains = Remains(
            subscriber: observer, captured: captured, state: store.state.object)
        store.subscribe(observer) { state in
            operators.reduce(state) { $1.apply($0, captured) }
        }
        store.dispatch(HeldAction.count)
        store.dispatch(HeldAction.replace)
        end(store, observer)
        return remains
    }

    private func check<S: StoreType>(_ makeStore: () -> S) where S.State == Held {
        for operators in Self.sequences {
            let names = operators.map(\.name).joined(separator: ", ")
            let kept = makeStore()
            let unsubscribed = remains(of: operators, on: kept) { $0.unsubscribe($1) }
            #expect(unsubscribed.names == [], "unsubscribed: \(names)")
            let ended = remains(of: operators, on: makeStore()) { _, _ in }
            #expect(ended.names == [], "the store has ended: \(names)")
        }
    }

    @Test(arguments: [true, false])
    func `of every three operators nothing is left, in a store`(skips: Bool) {
        check { Store(state: Held(), automaticallySkipsRepeats: skips, reducer: reduceHeld) }
    }

    @Test(arguments: [true, false])
    func `of every three operators nothing is left, in a scope of a scope`(skips: Bool) {
        check {
            let store = Store(state: Holder(), automaticallySkipsRepeats: skips) {
                reduceHeld(&$0.middle.held, $1)
            }
            return store.scope(\.middle).scope(\.held)
        }
    }

    @Test func `nothing is left of a selection that nobody can compare, nor of a part of it`() {
        let store = Store(state: Held(), reducer: reduceHeld)
        func subscribed<Value>(
            _ transform: @escaping (Subscription<Held>, Probe) -> Subscription<Value>
        ) -> Remains {
            let (observer, captured) = (Observer<Value>(), Probe())
            let remains = Remains(
                subscriber: observer, captured: captured, state: store.state.object)
            store.subscribe(observer) { transform($0, captured) }
            store.dispatch(HeldAction.replace)
            store.unsubscribe(observer)
            return remains
        }
        let left = [
            subscribed { held, probe in held.select { ($0.object, probe) } },
            subscribed { held, probe in held.select { $0.number > 1 ? probe : nil } },
            subscribed { held, _ in held.select(\.object) },
            subscribed { held, probe in held.select(\.number).skip { $0 < $1 + probe.count } },
            subscribed { held, probe in
                held.select(\.object).select(\.count).skipRepeats().select { $0 + probe.count }
                    .select { "\($0)" }
            },
        ]
        #expect(left.map(\.names) == [[], [], [], [], []])
    }

    @Test func `an action subscriber, its values and its actions are let go`() {
        final class Listener: ActionSubscriber {
            func newState(state: Held, action: (any Action)?) {}
        }
        struct Carry: Action { let object: Probe }
        let store = Store(state: Held(), reducer: reduceHeld)
        func subscribed() -> (Remains, () -> Bool) {
            let (listener, carried) = (Listener(), Probe())
            let remains = Remains(subscriber: listener, state: store.state.object)
            store.subscribe(listener) { $0.skipRepeats { _, _ in false } }
            store.dispatch(Carry(object: carried))
            store.batch {
                store.dispatch(HeldAction.replace)
                store.dispatch(Carry(object: carried))
            }
            store.unsubscribe(listener)
            return (remains, { [weak carried] in carried == nil })
        }
        let (remains, isGone) = subscribed()
        #expect(remains.names == [])
        #expect(isGone())
    }

    @Test func `an operator's observer may be set again, or too late`() {
        let store = Store(state: Held(), reducer: reduceHeld)
        var received: [String] = []
        func subscribed() -> Remains {
            let (observer, captured) = (Observer<Int>(), Probe())
            var late: Subscription<Held>?
            store.subscribe(observer) { values in
                late = values
                return Subscription<Int> { sink in
                    values.observer = { _, _ in received.append("first") }
                    values.observer = { _, new in sink(nil, new.number + captured.count) }
                }
            }
            store.dispatch(HeldAction.count)
            late?.observer = { _, _ in received.append("late \(captured.count)") }
            store.dispatch(HeldAction.count)
            #expect(observer.received == [0, 1])
            store.unsubscribe(observer)
            return Remains(subscriber: observer, captured: captured)
        }
        #expect(subscribed().names == [])
        #expect(received == ["late 0"])
    }

    @Test func `who unsubscribes in a batch, last of all, leaves no state behind`() {
        let store = Store(state: Held(), reducer: reduceHeld)
        func subscribed() -> Remains {
            let (first, second) = (Observer<Held>(), Observer<Held>())
            store.subscribe(first)
            var remains = Remains()
            store.batch {
                store.dispatch(HeldAction.replace)
                store.subscribe(second)
                remains = Remains(subscriber: second, state: store.state.object)
                store.unsubscribe(first)
                store.unsubscribe(second)
                store.dispatch(HeldAction.replace)
            }
            return remains
        }
        #expect(subscribed().names == [])
    }

    @Test func `a scope that nobody holds leaves nothing of its path`() {
        struct Key: Hashable {
            let probe: Probe
            static func == (left: Key, right: Key) -> Bool { left.probe === right.probe }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(probe)) }
        }
        struct Shelf {
            var count = 0
            subscript(key: Key) -> Int { count + key.probe.count }
        }
        let store = Store(state: Shelf()) { state, _ in state.count += 1 }
        func scoped() -> Remains {
            let (observer, captured) = (Observer<Int>(), Probe())
            let scope = store.scope(\.[Key(probe: captured)])
            scope.subscribe(observer)
            store.dispatch(HeldAction.count)
            #expect(observer.received == [0, 1])
            scope.unsubscribe(observer)
            return Remains(subscriber: observer, captured: captured)
        }
        #expect(scoped().names == [])
    }
}
