import Storecast
import StorecastTesting
import Testing

private struct Request: Equatable { var isLoading = false }
private struct Begin: Action, Equatable {}
private struct Succeed: Action, Equatable { var text: String }
private struct Note: Action {}

@Suite(.timeLimit(.minutes(30)))
struct ExpectThunkTests {
    private static func loading() -> Thunk<Request> {
        Thunk { dispatch, getState in
            if getState()!.isLoading { return }
            dispatch(Begin())
            dispatch(Succeed(text: "tea"))
        }
    }

    @Test func `a thunk that does what is expected passes`() throws {
        let thunk = try ExpectThunk(Self.loading())
            .getsState(Request(isLoading: false))
            .dispatches(Begin())
            .dispatches { action in #expect((action as? Succeed)?.text == "tea") }
            .run()
        #expect(thunk.dispatched.count == 2)
        try ExpectThunk(Self.loading()).getsState(Request(isLoading: true)).run()
    }

    @Test func `what fails names the line of the expectation`() throws {
        // Built outside the macro, in which every line counts as the macro's own.
        let line = #line + 3
        let expectations = ExpectThunk(Self.loading())
            .getsState(Request())
            .dispatches(Succeed(text: "coffee"))
            .dispatches(Succeed(text: "tea"))
            .dispatches(Begin())
            .getsState(Request())
        let failure = try #require(throws: ExpectThunkFailure.self) { try expectations.run() }
        #expect(
            failure.description == """
                StorecastTestingTests/ExpectThunkTests.swift:\(line): \
                Begin() was dispatched instead of Succeed(text: "coffee")
                StorecastTestingTests/ExpectThunkTests.swift:\(line + 2): \
                unfulfilled: dispatches Begin()
                StorecastTestingTests/ExpectThunkTests.swift:\(line + 3): \
                unfulfilled: gets the state Request(isLoading: false)
                """)
    }

    @Test func `an action more than expected is a failure`() throws {
        let failure = try #require(throws: ExpectThunkFailure.self) {
            try ExpectThunk(Self.loading()).getsState(Request()).dispatches(Begin()).run()
        }
        #expect(
            failure.problems.map(\.message) == [
                "Succeed(text: \"tea\") was dispatched and not expected"
            ])
        #expect(failure.problems.map(\.place) == [nil])
    }

    @Test func `without a state to give, the thunk gets nil`() throws {
        let thunk = Thunk<Request> { dispatch, getState in
            if getState() == nil { dispatch(Note()) }
        }
        try ExpectThunk(thunk).dispatches { #expect($0 is Note) }.run()
    }

    @Test @MainActor func `wait goes on until the last expected action has come`() async throws {
        var answer: (() -> Void)?
        let asking = Thunk<Request> { dispatch, getState in
            dispatch(Begin())
            answer = { dispatch(Succeed(text: "loading: \(getState()!.isLoading)")) }
        }
        let clock = ManualClock()
        let waiting = Task {
            let thunk = try await ExpectThunk(asking)
                .dispatches(Begin())
                .getsState(Request(isLoading: true))
                .dispatches(Succeed(text: "loading: true"))
                .wait(clock: clock)
            #expect(thunk.dispatched.count == 2)
        }
        await clock.waitForSleeper()
        answer?()
        try await waiting.value
    }

    @Test @MainActor func `wait gives up when the time is over`() async throws {
        let clock = ManualClock()
        let waiting = Task {
            try await ExpectThunk(Self.loading())
                .getsState(Request(isLoading: true))
                .dispatches(Begin())
                .wait(timeout: .seconds(3), clock: clock)
            return
        }
        await clock.waitForSleeper()
        clock.advance(by: .seconds(3))
        let failure = try await #require(throws: ExpectThunkFailure.self) {
            try await waiting.value
        }
        #expect(failure.problems.map(\.message) == ["unfulfilled: dispatches Begin()"])
    }

    @Test func `wait doesn't wait for a thunk that is done`() async throws {
        try await ExpectThunk(Self.loading())
            .getsState(Request())
            .dispatches(Begin())
            .dispatches(Succeed(text: "tea"))
            .wait(clock: ManualClock())
    }
}
