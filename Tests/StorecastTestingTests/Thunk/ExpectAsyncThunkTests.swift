import Storecast
import StorecastTesting
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ExpectAsyncThunkTests {
    private struct Count: Action, Equatable { var value: Int }
    private struct Broken: Error, Equatable {}

    private static func doubling() -> AsyncThunk<Int, String> {
        AsyncThunk { dispatch, getState in
            guard let state = getState() else { throw Broken() }
            await Task.yield()
            dispatch(Count(value: 2 * state))
            return "done"
        }
    }

    @Test func `a thunk that does what is expected gives its result`() async throws {
        let result = try await ExpectAsyncThunk(Self.doubling())
            .getsState(4)
            .dispatches(Count(value: 8))
            .run()
        #expect(result == "done")
    }

    @Test func `what the thunk throws is thrown on`() async {
        await #expect(throws: Broken()) { try await ExpectAsyncThunk(Self.doubling()).run() }
    }

    @Test func `failed expectations come before the error, and name it`() async throws {
        // Built outside the macro, in which every line counts as the macro's own.
        let line = #line + 1
        let expectations = ExpectAsyncThunk(Self.doubling()).dispatches(Count(value: 8))
        let runLine = #line + 2
        let failure = try await #require(throws: ExpectThunkFailure.self) {
            try await expectations.run(line: runLine)
        }
        #expect(
            failure.problems.map(\.message)
                == ["unfulfilled: dispatches Count(value: 8)", "the thunk threw Broken()"])
        #expect(failure.problems.map(\.place?.line) == [line, runLine])
    }

    @Test func `an action more than expected is a failure`() async throws {
        let failure = try await #require(throws: ExpectThunkFailure.self) {
            try await ExpectAsyncThunk(Self.doubling()).getsState(1).run()
        }
        #expect(
            failure.problems.map(\.message) == ["Count(value: 2) was dispatched and not expected"])
    }
}
