/// One state that a thunk is expected to ask for.
struct ExpectedState<State> {
    let state: State
    let place: SourcePlace
}
