import StorecastTesting
import Testing

@Suite(.timeLimit(.minutes(30)))
struct TestStoreTests {
    private struct Pair: Equatable {
        var name = "tea"
        var counts = [1, 2]
    }
    private struct Count: Action { var number: Int }
    private struct Rename: Action {}
    private struct Repeat: Action {}

    private static func reduce(_ pair: inout Pair, _ action: any Action) {
        if let count = action as? Count { pair.counts.append(count.number) }
        if action is Rename { pair.name = "coffee" }
    }

    private let store = TestStore(state: Pair(), reducer: reduce)

    @Test func `what the closure says is what happened`() {
        store.dispatch(Count(number: 3)) { $0.counts = [1, 2, 3] }
        store.dispatch(Count(number: 4)) { $0.counts.append(4) }
        #expect(store.state == Pair(counts: [1, 2, 3, 4]))
    }

    @Test func `an action without effect needs no closure`() {
        store.dispatch(Repeat())
    }

    @Test func `a reducer of ReSwift's form makes the first state`() {
        let store = TestStore(
            reducer: { action, state in (state ?? 10) + ((action as? Count)?.number ?? 0) },
            state: nil)
        #expect(store.state == 10)
        store.dispatch(Count(number: 5)) { $0 = 15 }
        store.dispatch(Repeat())
    }

    @Test func `another state than expected fails at the line, with the difference`() {
        expectIssue(
            """
            Count left another state than expected: …

                  TestStoreTests.Pair(
                    name: "tea",
                    counts: [
                      … (2 unchanged),
                -     [2]: 4
                +     [2]: 3
                    ]
                  )

            (Expected: -, Actual: +)
            """
        ) {
            store.dispatch(Count(number: 3)) { $0.counts.append(4) }
            return #line - 1
        }
        // One failure is one failure: the test goes on from the state as it is.
        store.dispatch(Count(number: 4)) { $0.counts = [1, 2, 3, 4] }
    }

    @Test func `a change without a closure fails`() {
        expectIssue(
            """
            Rename changed the state; a closure has to say how: …

                  TestStoreTests.Pair(
                -   name: "tea",
                +   name: "coffee",
                    counts: […]
                  )

            (Before: -, After: +)
            """
        ) {
            store.dispatch(Rename())
            return #line - 1
        }
    }

    @Test func `a closure that changes nothing fails`() {
        expectIssue(
            "Repeat changed nothing, nor does the closure: leave it out."
        ) {
            store.dispatch(Repeat()) { _ in }
            return #line - 1
        }
    }

    @Test func `a closure that throws fails`() {
        struct Missing: Error {}
        expectIssue("The expected changes threw an error: Missing()") {
            store.dispatch(Repeat()) { _ in throw Missing() }
            return #line - 1
        }
    }

    // MARK: Middleware and what comes later

    private let doubling: Middleware<Pair> = { dispatch, _ in
        { next in
            { action in
                next(action)
                if action is Repeat { dispatch(Count(number: 8)) }
            }
        }
    }

    @Test func `what middleware dispatches at once belongs to the action`() {
        let store = TestStore(
            state: Pair(), middleware: [doubling, createThunkMiddleware()],
            reducer: Self.reduce)
        store.dispatch(Repeat()) { $0.counts = [1, 2, 8] }
        let twice = Thunk<Pair> { dispatch, _ in
            dispatch(Count(number: 3))
            dispatch(Rename())
        }
        store.dispatch(twice) {
            $0.counts = [1, 2, 8, 3]
            $0.name = "coffee"
        }
    }

    @Test func `what a thunk dispatches later is expected by itself`() async throws {
        let counting = AsyncThunk<Pair, Void> { dispatch, _ in
            dispatch(Count(number: 3))
            await Task.yield()
            dispatch(Count(number: 4))
        }
        try await store.store.dispatch(counting)
        store.expectChange { $0.counts = [1, 2, 3, 4] }
    }

    @Test func `what came between two expectations fails at the second`() {
        store.store.dispatch(Rename())
        expectIssue(
            """
            The state has changed since the last expectation; expectChange has to say how: …

                  TestStoreTests.Pair(
                -   name: "tea",
                +   name: "coffee",
                    counts: […]
                  )

            (Before: -, After: +)
            """
        ) {
            store.dispatch(Count(number: 3)) { $0.counts = [1, 2, 3] }
            return #line - 1
        }
    }

    @Test func `what nobody expected by the end fails where the store was made`() {
        expectIssue(
            """
            The state has changed since the last expectation; expectChange has to say how: …

                - 1
                + 2

            (Before: -, After: +)
            """
        ) {
            let store = TestStore(state: 1) { state, _ in state += 1 }
            store.store.dispatch(Rename())
            return #line - 2
        }
    }
}
