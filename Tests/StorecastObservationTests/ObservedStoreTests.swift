import Observation
import Storecast
import StorecastObservation
import StorecastTesting
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ObservedStoreTests {
    struct Counter: Equatable {
        var count = 0
        var label = ""
    }

    enum Change: Action {
        case count(Int)
        case label(String)
    }

    private func makeStore() -> Store<Counter> {
        Store(state: Counter()) { counter, action in
            switch action as? Change {
            case .count(let count): counter.count = count
            case .label(let label): counter.label = label
            case nil: break
            }
        }
    }

    /// Whether something that `read` reads was changed by `work`.
    private func hasChanged(_ read: () -> Void, during work: () -> Void) -> Bool {
        // Observation calls back at once, on this thread, which the compiler can't know.
        nonisolated(unsafe) var isRaised = false
        withObservationTracking(read) { isRaised = true }
        work()
        return isRaised
    }

    @Test func `a change of the value is observed`() {
        let store = makeStore()
        let count = store.observed(\.count)
        #expect(count.value == 0)
        let changed = hasChanged {
            _ = count.value
        } during: {
            store.dispatch(Change.count(1))
        }
        #expect(changed)
        #expect(count.value == 1)
    }

    @Test func `a change of something else is not`() {
        let store = makeStore()
        let count = ObservedStore(store, select: \.count)
        let double = store.observed { $0.count * 2 }
        let changed = hasChanged {
            _ = count.value
            _ = double.value
        } during: {
            store.dispatch(Change.label("x"))
            store.dispatch(Change.count(0))
        }
        #expect(!changed)
        store.dispatch(Change.count(4))
        #expect(double.value == 8)
    }

    private struct Holder {
        var name: String?
        var nested: Int??
        /// Nobody can compare it.
        var opaque: (() -> Int)?
    }

    private struct Hold: Action { var change: (inout Holder) -> Void }

    private func makeHolder() -> Store<Holder> {
        Store(state: Holder()) { holder, action in (action as? Hold)?.change(&holder) }
    }

    @Test func `a value that comes and goes is shown, and observed, as long as it changes`() {
        let store = makeHolder()
        let name = store.observed(\.name)
        let length = store.observed { $0.name?.count }
        var last: String?
        for next in ["ada", nil, nil, "bob", "bob", "eve", nil, ""] as [String?] {
            let changed = hasChanged {
                _ = name.value
            } during: {
                store.dispatch(Hold { $0.name = next })
            }
            #expect(changed == (next != last))
            #expect(name.value == next)
            #expect(length.value == next?.count)
            last = next
        }
    }

    @Test func `so is an optional in an optional, and one that can't be compared`() {
        let store = makeHolder()
        let nested = store.observed(\.nested)
        for next in [.some(1), .some(nil), .none, .some(nil), .some(2), .none] as [Int??] {
            store.dispatch(Hold { $0.nested = next })
            #expect(nested.value == next)
        }
        let opaque = store.observed(\.opaque)
        for next in [1, nil, 2, 2, nil, nil] as [Int?] {
            store.dispatch(Hold { $0.opaque = next.map { number in { number } } })
            #expect(opaque.value?() == next)
        }
    }

    @Test func `tracking again after a change sees the next`() {
        let store = makeStore()
        let label = store.observed(\.label)
        for text in ["a", "b", "c"] {
            let changed = hasChanged {
                _ = label.value
            } during: {
                label.dispatch(Change.label(text))
            }
            #expect(changed)
            #expect(label.value == text)
        }
    }

    @Test func `it keeps its store alive and ends its subscription when it goes`() {
        var store: Store<Counter>? = makeStore()
        weak let reference = store
        var observed = store?.observed(\.count)
        store = nil
        observed?.dispatch(Change.count(2))
        #expect(observed?.value == 2)
        #expect(reference?.subscriptions.count == 1)
        let kept = reference
        observed = nil
        kept?.dispatch(Change.count(3))
        #expect(kept?.subscriptions.isEmpty == true)
    }

    @Test func `a scope can be observed`() {
        let store = makeStore()
        let length = store.scope(\.label).observed(\.count)
        store.dispatch(Change.label("four"))
        #expect(length.value == 4)
    }

    @Test func `a store without a state ends the program`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let stopping: Middleware<Int> = { _, _ in { _ in { _ in } } }
            let store = Store<Int>(
                reducer: { _, state in state ?? 0 }, state: nil, middleware: [stopping])
            _ = store.observed(\.self)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("A store without a state can't be observed."))
    }

    @Test func `what an observed store selects with is let go at the change after its end`() {
        final class Token {}
        let store = makeStore()
        func observe() -> [() -> Bool] {
            let token = Token()
            let observed = store.observed { counter in
                withExtendedLifetime(token) { counter.count }
            }
            store.dispatch(Change.count(1))
            #expect(observed.value == 1)
            return [{ [weak token] in token == nil }, { [weak observed] in observed == nil }]
        }
        let checks = observe()
        store.dispatch(Change.count(2))
        #expect(checks.map { $0() } == [true, true])
    }

    #if os(Linux)
        @Test func `20,000 observed stores come and go, and memory stays flat`() async {
            await #expect(processExitsWith: .success) {
                let store = Store(state: 0) { count, _ in count += 1 }
                await requireFlatMemory(rounds: 20_000) { _ in
                    let observed = store.observed(\.self)
                    let sign = store.observed { $0.signum() }
                    withExtendedLifetime((observed, sign)) { store.dispatch(Change.count(1)) }
                }
            }
        }
    #endif
}
