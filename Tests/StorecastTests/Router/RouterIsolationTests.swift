import Storecast
import Testing

@Suite(.timeLimit(.minutes(30)))
struct RouterIsolationTests {
    /// An actor with a store, a router and routables, none of which is Sendable.
    actor Guide {
        private lazy var screens = Screens(of: self)
        private var router: Router<TravelState>?
        private let store = makeTravelStore(["a"])

        func begin() {
            router = Router(store: store, rootRoutable: Screen(in: screens))
        }

        func go(to route: Route) async -> [String] {
            store.dispatch(SetRouteAction(route))
            await router?.settle()
            return screens.begun
        }

        isolated deinit {
            router?.stop()
        }
    }

    @Test func `an actor of one's own has its routables called on itself`() async {
        let guide = Guide()
        await guide.begin()
        #expect(await guide.go(to: ["a", "b"]) == ["root+a", "a+b"])
        #expect(await guide.go(to: []) == ["root+a", "a+b", "a-b", "root-a"])
    }

    @Test(.timeLimit(.minutes(30))) func `a router does not keep its actor alive`() async {
        var guide: Guide? = Guide()
        weak let reference = guide
        await guide?.begin()
        _ = await guide?.go(to: ["b"])
        guide = nil
        while reference != nil { await Task.yield() }
    }

    /// As view controllers are: bound to the main actor.
    @MainActor
    final class ViewController: Routable {
        var presented: ViewController?

        func push(
            _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
        ) -> any Routable {
            MainActor.preconditionIsolated()
            let child = ViewController()
            presented = child
            Task { completion() }
            return child
        }

        func pop(
            _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
        ) {
            presented = nil
            completion()
        }
    }

    /// The same with an asynchronous method, which has to name its actor.
    @MainActor
    final class Tabs: Routable {
        var shown: [RouteElement] = []

        @MainActor
        func push(_ element: RouteElement, animated: Bool) async throws -> any Routable {
            MainActor.preconditionIsolated()
            await Task.yield()
            shown.append(element)
            return self
        }
    }

    @MainActor
    @Test func `a routable of the main actor may have asynchronous methods`() async {
        let tabs = Tabs()
        let router = Router(store: makeTravelStore(["a", "b"]), rootRoutable: tabs)
        await router.settle()
        #expect(tabs.shown == ["a", "b"])
    }

    @MainActor
    @Test func `routables of the main actor are called there`() async {
        let root = ViewController()
        let store = makeTravelStore(["a", "b"])
        let router = Router(store: store, rootRoutable: root)
        await router.settle()
        #expect(root.presented?.presented != nil)
        store.dispatch(SetRouteAction(["a"]))
        await router.settle()
        #expect(root.presented != nil)
        #expect(root.presented?.presented == nil)
    }
}
