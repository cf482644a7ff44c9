import Storecast

/// One action that a thunk is expected to dispatch.
struct ExpectedAction {
    let description: String
    let place: SourcePlace
    /// What is wrong with the action that came, if anything.
    let check: (any Action) -> ExpectThunkFailure.Problem?
}
