public import Storecast

/// Checks, without a store, which actions a thunk dispatches and that it asks for the state.
///
/// ```swift
/// try ExpectThunk(loadFilms(from: service))
///     .getsState(Films(isLoading: false))
///     .dispatches(LoadingBegan())                 // compared if it is Equatable
///     .dispatches { action in #expect(action is FilmsLoaded) }
///     .run()                                      // or: try await … .wait()
/// ```
///
/// Failures are thrown, see ``ThunkExpectations``.
public final class ExpectThunk<State>: ThunkExpectations<State> {
    private let thunk: Thunk<State>

    /// Expects nothing of `thunk` yet.
    public init(_ thunk: Thunk<State>) {
        self.thunk = thunk
    }

    /// Runs a thunk that does everything before it returns.
    ///
    /// - Throws: ``ExpectThunkFailure``.
    @discardableResult
    public func run(fileID: StaticString = #fileID, line: Int = #line) throws -> Self {
        thunk(dispatch, getState)
        try finish(SourcePlace(fileID, line))
        return self
    }

    /// Runs a thunk that continues after it has returned, on the caller's actor; waits until the
    /// last expected action has come, for `timeout` at most.
    ///
    /// An action that comes later than the last one expected isn't noticed.
    ///
    /// - Throws: ``ExpectThunkFailure``.
    @discardableResult
    public nonisolated(nonsending) func wait(
        timeout: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock(),
        fileID: StaticString = #fileID, line: Int = #line
    ) async throws -> Self {
        // Whichever comes first ends the wait: the last action, the timer, or cancellation.
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        whenAllDispatched = { end.yield() }
        thunk(dispatch, getState)
        if awaitsActions {
            let timer = Task {
                try await clock.sleep(for: timeout)
                end.yield()
            }
            for await _ in ends { break }
            timer.cancel()
        }
        try finish(SourcePlace(fileID, line))
        return self
    }
}

/// Checks, without a store, which actions an `AsyncThunk` dispatches and that it asks for the
/// state.
///
/// ```swift
/// let count = try await ExpectAsyncThunk(loadFilms(from: service))
///     .dispatches(LoadingBegan())
///     .dispatches { action in #expect(action is FilmsLoaded) }
///     .run()
/// ```
public final class ExpectAsyncThunk<State, Output>: ThunkExpectations<State> {
    private let thunk: AsyncThunk<State, Output>

    /// Expects nothing of `thunk` yet.
    public init(_ thunk: AsyncThunk<State, Output>) {
        self.thunk = thunk
    }

    /// Runs the thunk to its end, on the caller's actor.
    ///
    /// - Returns: what the thunk returns.
    /// - Throws: ``ExpectThunkFailure`` if an expectation failed; otherwise what the thunk throws.
    @discardableResult
    public nonisolated(nonsending) func run(
        fileID: StaticString = #fileID, line: Int = #line
    ) async throws -> Output {
        let place = SourcePlace(fileID, line)
        let output: Output
        do {
            output = try await thunk(dispatch, getState)
        } catch {
            try finish(place, error: error)
            throw error
        }
        try finish(place)
        return output
    }
}

/// What a thunk is expected to dispatch, and the states that it receives: the common part of
/// ``ExpectThunk`` and ``ExpectAsyncThunk``.
///
/// Actions are compared with the expected ones in order. States are returned in the order of
/// ``getsState(_:fileID:line:)``; when there are none left, the thunk gets nil. How the two
/// interleave isn't checked. An unexpected action is a failure, and so is a missing one, or a state
/// that wasn't asked for.
///
/// It depends on no test library: failures are thrown as an ``ExpectThunkFailure``, which all of
/// them report.
public class ThunkExpectations<State> {
    /// What the thunk has dispatched so far, in order.
    public private(set) var dispatched: [any Action] = []

    private var expectedActions: ArraySlice<ExpectedAction> = []
    private var states: ArraySlice<ExpectedState<State>> = []
    private var problems: [ExpectThunkFailure.Problem] = []
    /// Called when the last expected action has come.
    var whenAllDispatched: () -> Void = {}

    init() {}

    /// Expects an action that equals `expected`.
    public func dispatches<A: Action & Equatable>(
        _ expected: A, fileID: StaticString = #fileID, line: Int = #line
    ) -> Self {
        let place = SourcePlace(fileID, line)
        return expect("dispatches \(expected)", at: place) { received in
            received as? A == expected
                ? nil : .init("\(received) was dispatched instead of \(expected)", at: place)
        }
    }

    /// Expects an action and passes it to `check`, which can use any test library.
    public func dispatches(
        fileID: StaticString = #fileID, line: Int = #line,
        dispatch check: @escaping DispatchFunction
    ) -> Self {
        expect("dispatches an action", at: SourcePlace(fileID, line)) { received in
            check(received)
            return nil
        }
    }

    /// Expects the thunk to ask for the state, and returns `state` to it.
    public func getsState(
        _ state: State, fileID: StaticString = #fileID, line: Int = #line
    ) -> Self {
        states.append(ExpectedState(state: state, place: SourcePlace(fileID, line)))
        return self
    }

    private func expect(
        _ description: String, at place: SourcePlace,
        check: @escaping (any Action) -> ExpectThunkFailure.Problem?
    ) -> Self {
        expectedActions.append(
            ExpectedAction(description: description, place: place, check: check))
        return self
    }

    // MARK: For the subclasses

    /// The `dispatch` that the thunk receives.
    final var dispatch: DispatchFunction { { self.receive($0) } }

    /// The `getState` that the thunk receives.
    final var getState: () -> State? { { self.states.popFirst()?.state } }

    final var awaitsActions: Bool { !expectedActions.isEmpty }

    /// Throws all problems, or `error` if there are none.
    final func finish(_ place: SourcePlace, error: (any Error)? = nil) throws {
        problems += expectedActions.map { .init("unfulfilled: \($0.description)", at: $0.place) }
        problems += states.map { .init("unfulfilled: gets the state \($0.state)", at: $0.place) }
        if !problems.isEmpty, let error {
            problems.append(.init("the thunk threw \(error)", at: place))
        }
        expectedActions = []
        states = []
        defer { problems = [] }
        guard problems.isEmpty else { throw ExpectThunkFailure(problems: problems) }
        if let error { throw error }
    }

    private func receive(_ action: any Action) {
        dispatched.append(action)
        guard let expected = expectedActions.popFirst() else {
            problems.append(.init("\(action) was dispatched and not expected", at: nil))
            return
        }
        if let problem = expected.check(action) {
            problems.append(problem)
        }
        if expectedActions.isEmpty { whenAllDispatched() }
    }
}

/// One action that a thunk is expected to dispatch.
private struct ExpectedAction {
    let description: String
    let place: SourcePlace
    /// Returns what is wrong with the action that came, if anything.
    let check: (any Action) -> ExpectThunkFailure.Problem?
}

/// One state that a thunk is expected to ask for.
private struct ExpectedState<State> {
    let state: State
    let place: SourcePlace
}

/// How a thunk failed the expectations.
public struct ExpectThunkFailure: Error, Equatable, CustomStringConvertible {
    /// One thing that went wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// What it is, for people.
        public let message: String
        /// The expectation that it is about, if there is one.
        public let place: SourcePlace?

        init(_ message: String, at place: SourcePlace?) {
            self.message = message
            self.place = place
        }

        /// The place, if there is one, and the message.
        public var description: String {
            place.map { "\($0): \(message)" } ?? message
        }
    }

    /// What went wrong, in the order in which it was noticed. Never empty.
    public let problems: [Problem]

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// A line of a test.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
    /// The file, as `#fileID` names it.
    public let fileID: String
    /// The line, from 1.
    public let line: Int

    init(_ fileID: StaticString, _ line: Int) {
        self.fileID = fileID.description
        self.line = line
    }

    /// File and line as compilers write them.
    public var description: String { "\(fileID):\(line)" }
}
