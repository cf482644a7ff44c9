/// Stands in a recording where a state was put in the place of another, which no reducer does.
package struct StateReplacement<State>: Action {
    let state: State

    package init(_ state: State) {
        self.state = state
    }
}
