/// The reducer of a ``NavigationState``, to be called from the reducer of the state it is part of.
public enum NavigationReducer {
    /// The navigation state after `action`; a missing state is taken for the empty route.
    public static func handleAction(
        _ action: any Action, state: NavigationState?
    ) -> NavigationState {
        var state = state ?? NavigationState()
        reduce(&state, action)
        return state
    }

    /// Changes a navigation state in place, as ``InPlaceReducer`` does.
    public static func reduce(_ state: inout NavigationState, _ action: any Action) {
        switch action {
        case let action as SetRouteAction:
            state.route = action.route
            state.changeRouteAnimated = action.animated
        case let action as SetRouteSpecificData:
            state.routeSpecificState[RouteHash(route: action.route)] = action.data
        default: break
        }
    }

    /// Changes the navigation state of any state that has one.
    public static func reduce(_ state: inout some HasNavigationState, _ action: any Action) {
        // Tested first: an action that isn't for this reducer must not even touch the state.
        guard action is SetRouteAction || action is SetRouteSpecificData else { return }
        reduce(&state.navigationState, action)
    }
}
