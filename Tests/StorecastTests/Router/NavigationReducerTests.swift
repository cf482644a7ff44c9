import Storecast
import Testing

struct NavigationReducerTests {
    @Test func `without a state the route is empty`() {
        let state = NavigationReducer.handleAction(Visit(), state: nil)
        #expect(state.route == [])
        #expect(state.routeSpecificState.isEmpty)
    }

    @Test func `SetRouteAction sets the route and whether the change is animated`() {
        var state = NavigationReducer.handleAction(SetRouteAction(["tabs"]), state: nil)
        #expect(state.route == ["tabs"])
        #expect(state.changeRouteAnimated)
        state = NavigationReducer.handleAction(SetRouteAction([], animated: false), state: state)
        #expect(state.route == [])
        #expect(!state.changeRouteAnimated)
    }

    @Test func `data is kept for each route, whatever route is shown`() {
        let store = makeTravelStore(["users"])
        store.dispatch(SetRouteSpecificData(route: ["users", "detail"], data: "Ann"))
        store.dispatch(SetRouteSpecificData(route: ["films"], data: 7))
        store.dispatch(SetRouteAction(["films"]))
        let navigation = store.state.navigationState
        let name: String? = navigation.getRouteSpecificState(["users", "detail"])
        let number: Int? = navigation.getRouteSpecificState(["films"])
        let nothing: Int? = navigation.getRouteSpecificState(["users"])
        #expect(name == "Ann")
        #expect(number == 7)
        #expect(nothing == nil)
    }

    @Test func `newer data of a route replaces the older; of another type there is none`() {
        var state = NavigationState()
        NavigationReducer.reduce(&state, SetRouteSpecificData(route: ["a"], data: 1))
        NavigationReducer.reduce(&state, SetRouteSpecificData(route: ["a"], data: 2))
        #expect(state.getRouteSpecificState(["a"]) == 2)
        #expect(state.getRouteSpecificState(["a"]) as String? == nil)
    }

    @Test func `a slash in an element does not make two routes one`() {
        #expect(RouteHash(route: ["a", "b"]) == RouteHash(route: ["a", "b"]))
        #expect(RouteHash(route: ["a/b"]) != RouteHash(route: ["a", "b"]))
        var state = NavigationState()
        NavigationReducer.reduce(&state, SetRouteSpecificData(route: ["a/b"], data: 1))
        #expect(state.getRouteSpecificState(["a", "b"]) as Int? == nil)
    }

    @Test func `any other action leaves the navigation state alone`() {
        let store = makeTravelStore(["users"])
        store.dispatch(Visit())
        #expect(store.state.navigationState.route == ["users"])
        #expect(store.state.visits == 1)
    }
}
