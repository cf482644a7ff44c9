import Storecast
import StorecastTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30)))
struct RouterTests {
    private let screens = Screens(of: MainActor.shared)

    private func makeRouter(_ store: Store<TravelState>) -> Router<TravelState> {
        Router(store: store, rootRoutable: Screen(in: screens), timeout: .seconds(60))
    }

    @Test func `without a route the root is asked for nothing`() async {
        let router = makeRouter(makeTravelStore())
        await router.settle()
        #expect(screens.log == [])
        #expect(router.shownRoute == [])
    }

    @Test func `the route that is there at first is shown`() async {
        let router = makeRouter(makeTravelStore(["tabs", "users"]))
        #expect(screens.log == [], "no routable is called before the initialiser has returned")
        await router.settle()
        #expect(screens.begun == ["root+tabs", "tabs+users"])
        #expect(router.shownRoute == ["tabs", "users"])
    }

    @Test func `each step is taken by who shows the element around it`() async {
        let store = makeTravelStore(["tabs", "users", "ann"])
        let router = makeRouter(store)
        await router.settle()
        store.dispatch(SetRouteAction(["tabs", "films", "solaris"]))
        await router.settle()
        #expect(screens.begun.suffix(3) == ["users-ann", "tabs:users>films", "films+solaris"])
        store.dispatch(SetRouteAction([]))
        await router.settle()
        #expect(screens.begun.suffix(3) == ["films-solaris", "tabs-films", "root-tabs"])
    }

    @Test func `each step waits for the one before`() async {
        let store = makeTravelStore(["a", "b", "c"])
        screens.onStep = { _ in for _ in 0..<20 { await Task.yield() } }
        let router = makeRouter(store)
        await router.settle()
        #expect(
            screens.log == ["root+a", "root+a done", "a+b", "a+b done", "b+c", "b+c done"])
    }

    @Test func `the routables are told whether to animate`() async {
        let store = makeTravelStore(["a"])
        let router = makeRouter(store)
        await router.settle()
        store.dispatch(SetRouteAction(["a", "b"], animated: false))
        await router.settle()
        store.dispatch(SetRouteAction(["a"], animated: true))
        await router.settle()
        #expect(screens.begun == ["root+a", "a+b still", "a-b"])
    }

    @Test func `other actions and data for routes move nothing`() async {
        let store = makeTravelStore(["a"])
        let router = makeRouter(store)
        await router.settle()
        store.dispatch(Visit())
        store.dispatch(SetRouteSpecificData(route: ["a"], data: 1))
        #expect(!router.isRouting)
        #expect(screens.begun == ["root+a"])
    }

    @Test func `of routes set one after the other only the last is shown`() async {
        let store = makeTravelStore()
        let router = makeRouter(store)
        for route in [["a"], ["b", "c"], ["d"]] { store.dispatch(SetRouteAction(route)) }
        await router.settle()
        #expect(screens.begun == ["root+d"])
    }

    @Test func `a route set during a step takes the place of the steps not yet begun`() async {
        let store = makeTravelStore(["a", "b", "c"])
        screens.onStep = { name in
            if name == "root+a" {
                store.dispatch(SetRouteAction(["x"]))
                store.dispatch(SetRouteAction(["a", "d"]))
            }
        }
        let router = makeRouter(store)
        await router.settle()
        #expect(screens.log == ["root+a", "root+a done", "a+d", "a+d done"])
        #expect(router.shownRoute == ["a", "d"])
    }

    @Test func `a routable may set a route, and a route set back during a step costs its return`()
        async
    {
        let store = makeTravelStore(["a"])
        screens.onStep = { name in
            if name == "root:a>b" { store.dispatch(SetRouteAction(["a"])) }
        }
        let router = makeRouter(store)
        await router.settle()
        store.dispatch(SetRouteAction(["b", "c"]))
        await router.settle()
        #expect(screens.begun == ["root+a", "root:a>b", "root:b>a"])
    }

    @Test func `a guide's router selects the navigation state by closure`() async {
        let store = makeTravelStore(["a"])
        let router = Router(store: store, rootRoutable: Screen(in: screens)) { state in
            state.select { $0.navigationState }
        }
        await router.settle()
        #expect(router.shownRoute == ["a"])
    }

    @Test(.timeLimit(.minutes(30)))
    func `after stop no step begins, the one under way is cancelled, and settle returns`() async {
        let store = makeTravelStore(["a", "b"])
        let clock = ManualClock()
        let screen = Screen(in: screens)
        let router = Router(store: store, rootRoutable: screen, clock: clock)
        var wasCancelled = false
        screens.onStep = { [weak router] _ in
            router?.stop()
            await untilCancelled()
            wasCancelled = true
        }
        await router.settle()
        while !wasCancelled { await Task.yield() }
        store.dispatch(SetRouteAction(["x"]))
        #expect(!router.isRouting)
        #expect(screens.begun == ["root+a"])
        #expect(router.shownRoute == [])
    }

    @Test(.timeLimit(.minutes(30)))
    func `a router that is let go gives up the step under way`() async {
        let store = makeTravelStore(["a", "b"])
        let clock = ManualClock()
        let screen = Screen(in: screens)
        var router: Router? = Router(store: store, rootRoutable: screen, clock: clock)
        weak let reference = router
        var wasCancelled = false
        screens.onStep = { _ in
            router = nil
            await untilCancelled()
            wasCancelled = true
        }
        while !wasCancelled { await Task.yield() }
        #expect(reference == nil)
        #expect(screens.begun == ["root+a"])
    }

    @Test(.timeLimit(.minutes(30)))
    func `a step that is done leaves no timer behind`() async {
        let clock = ManualClock()
        let router = Router(
            store: makeTravelStore(["a", "b"]), rootRoutable: Screen(in: screens), clock: clock)
        await router.settle()
        #expect(router.shownRoute == ["a", "b"])
        while clock.sleeperCount > 0 { await Task.yield() }
    }

    private func untilCancelled() async {
        let (endless, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in endless {}
    }

    @Test func `neither the store nor a job of its own keeps a router alive`() async {
        let store = makeTravelStore(["a"])
        var router: Router<TravelState>? = makeRouter(store)
        weak let reference = router
        router = nil
        #expect(reference == nil)
        for _ in 0..<20 { await Task.yield() }
        #expect(screens.log == [])
    }

    @Test func `a router that stopped, and one with its store, are let go`() async {
        func route(isStopped: Bool) async -> [() -> Bool] {
            let root = Screen(in: screens)
            let store = makeTravelStore(["a"])
            let router = Router(store: store, rootRoutable: root)
            await router.settle()
            store.dispatch(SetRouteAction(["a", "b"]))
            await router.settle()
            if isStopped { router.stop() }
            return [
                { [weak router] in router == nil }, { [weak store] in store == nil },
                { [weak root] in root == nil },
            ]
        }
        for isStopped in [true, false] {
            for isGone in await route(isStopped: isStopped) {
                // The call of the last step ends in a task of its own.
                for _ in 0..<100 where !isGone() { await Task.yield() }
                #expect(isGone())
            }
        }
    }
}
