public import Storecast

/// What a thunk is expected to dispatch, and the states that it receives: the common part of
/// ``ExpectThunk`` and ``ExpectAsyncThunk``.
///
/// Actions are compared with the expected ones in order. States are returned in the order of
/// ``getsState(_:fileID:line:)``; when there are none left, the thunk gets nil. How the two
/// interleave isn't checked. An unexpected action is a failure, and so is a missing one, or a state
/// that wasn't asked for.
///
/// It depends on no test library: failures are thrown as an ``ExpectThunkFailure``, which every one
/// of them reports.
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
