import Storecast
import StorecastTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30)))
struct RoutingErrorTests {
    private let clock = ManualClock()
    private let screens = Screens(of: MainActor.shared)

    /// Completes what it is asked for only when told to, as ReSwift-Router's routables do.
    final class Lazy: Routable {
        var completions: [RoutingCompletion] = []
        var asked: [String] = []
        private(set) var child: Lazy?

        func push(
            _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
        ) -> any Routable {
            asked.append(element)
            completions.append(completion)
            let child = Lazy()
            self.child = child
            return child
        }

        func pop(
            _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
        ) {
            asked.append(element)
            completions.append(completion)
        }
    }

    struct Refusal: Error {}

    /// Has nothing but what the protocol gives it.
    final class Incapable: Routable {}

    private func makeRouter(
        _ store: Store<TravelState>, _ root: any Routable,
        onError: @escaping (RoutingError) -> RoutingRecovery
    ) -> Router<TravelState> {
        Router(
            store: store, rootRoutable: root, timeout: .seconds(2), clock: clock, onError: onError)
    }

    @Test func `a completion handler ends its step, and calling it again does nothing`() async {
        let root = Lazy()
        let store = makeTravelStore(["a", "b", "c"])
        let router = makeRouter(store, root) { _ in .stop }
        while root.completions.isEmpty { await Task.yield() }
        #expect(root.child?.asked == [])
        root.completions[0]()
        root.completions[0]()
        while root.child?.completions.isEmpty != false { await Task.yield() }
        root.completions[0]()
        for _ in 0..<20 { await Task.yield() }
        #expect(router.shownRoute == ["a"], "the second step isn't over yet")
        router.stop()
    }

    @Test func `what is not completed in time is an error that names the step`() async throws {
        let store = makeTravelStore(["a", "b"])
        var errors: [RoutingError] = []
        let router = makeRouter(store, Lazy()) {
            errors.append($0)
            return .stop
        }
        await clock.waitForSleeper()
        clock.advance(by: .milliseconds(1999))
        for _ in 0..<20 { await Task.yield() }
        #expect(errors.isEmpty)
        clock.advance(by: .milliseconds(1))
        await router.settle()
        let error = try #require(errors.first)
        #expect(errors.count == 1)
        #expect(error.kind == .timedOut)
        #expect(error.step == .push("a", depth: 0))
        #expect(error.shownRoute == [])
        #expect(error.targetRoute == ["a", "b"])
        #expect(error.underlying == nil)
        #expect(router.shownRoute == [])
        #expect(router.lastError?.kind == .timedOut)
    }

    @Test func `proceed takes a step that was not completed for done`() async {
        let root = Lazy()
        let store = makeTravelStore(["a", "b"])
        let router = makeRouter(store, root) { _ in .proceed }
        await clock.waitForSleeper()
        clock.advance(by: .seconds(2))
        while root.child?.completions.isEmpty != false { await Task.yield() }
        root.child?.completions[0]()
        await router.settle()
        #expect(router.shownRoute == ["a", "b"])
    }

    @Test func `that is what happens without an error handler; after other errors it stops`() async
    {
        let root = Lazy()
        let store = makeTravelStore(["a"])
        let router = Router(store: store, rootRoutable: root, clock: clock)
        await clock.waitForSleeper()
        clock.advance(by: .seconds(3))
        await router.settle()
        #expect(router.shownRoute == ["a"])
        #expect(router.lastError?.kind == .timedOut)
        store.dispatch(SetRouteAction(["b", "c"]))
        await router.settle()
        #expect(router.shownRoute == ["a"])
        #expect(router.lastError?.kind == .unsupported)
    }

    @Test func `an asynchronous push that never returns leaves nobody to go on with`() async {
        let store = makeTravelStore(["a", "b"])
        let never = NeverReturning()
        var kinds: [RoutingError.Kind] = []
        let router = makeRouter(store, never) {
            kinds.append($0.kind)
            return $0.kind == .timedOut ? .proceed : .stop
        }
        await clock.waitForSleeper()
        clock.advance(by: .seconds(2))
        await never.cancelled()
        await clock.waitForSleeper()
        clock.advance(by: .seconds(2))
        await router.settle()
        #expect(kinds == [.timedOut, .unsupported])
        #expect(router.shownRoute == ["a"])
        never.release()
    }

    @Test func `an error that a routable throws is handed on`() async {
        let store = makeTravelStore(["a", "b"])
        screens.onStep = { if $0 == "a+b" { throw Refusal() } }
        var errors: [RoutingError] = []
        let router = makeRouter(store, Screen(in: screens)) {
            errors.append($0)
            return .stop
        }
        await router.settle()
        #expect(errors.map(\.kind) == [.failed])
        #expect(errors.first?.underlying is Refusal)
        #expect(errors.first?.shownRoute == ["a"])
        #expect(router.shownRoute == ["a"])
    }

    @Test func `a routable that lacks the method is an error, not a trap`() async {
        let store = makeTravelStore(["a"])
        var kinds: [RoutingError.Kind] = []
        let router = makeRouter(store, Incapable()) {
            kinds.append($0.kind)
            return .stop
        }
        await router.settle()
        #expect(kinds == [.unsupported])
    }

    @Test func `retry takes the same step again`() async {
        let store = makeTravelStore(["a", "b"])
        var refusals = 2
        screens.onStep = { _ in
            if refusals > 0 {
                refusals -= 1
                throw Refusal()
            }
        }
        let router = makeRouter(store, Screen(in: screens)) { _ in .retry }
        await router.settle()
        #expect(screens.begun == ["root+a", "root+a", "root+a", "a+b"])
        #expect(router.shownRoute == ["a", "b"])
    }

    @Test func `after stop other actions begin nothing, and setting the route again tries again`()
        async
    {
        let store = makeTravelStore(["a"])
        var refuses = true
        screens.onStep = { _ in if refuses { throw Refusal() } }
        let router = makeRouter(store, Screen(in: screens)) { _ in .stop }
        await router.settle()
        store.dispatch(Visit())
        #expect(!router.isRouting)
        refuses = false
        store.dispatch(SetRouteAction(["a"]))
        #expect(router.lastError == nil)
        await router.settle()
        #expect(screens.begun == ["root+a", "root+a"])
        #expect(router.shownRoute == ["a"])
    }

    @Test func `the handler may set the route, which then counts, whatever it answers`() async {
        let store = makeTravelStore(["a", "b"])
        screens.onStep = { if $0 == "a+b" { throw Refusal() } }
        let router = makeRouter(store, Screen(in: screens)) { error in
            store.dispatch(SetRouteAction(error.shownRoute + ["c"]))
            return .stop
        }
        await router.settle()
        #expect(router.shownRoute == ["a", "c"])
        #expect(store.state.navigationState.route == ["a", "c"])
    }

    @Test func `a result that comes too late is ignored`() async {
        let store = makeTravelStore(["a"])
        let never = NeverReturning()
        let router = makeRouter(store, never) { _ in .stop }
        await clock.waitForSleeper()
        clock.advance(by: .seconds(2))
        await router.settle()
        never.release()
        for _ in 0..<20 { await Task.yield() }
        #expect(router.shownRoute == [])
    }
}

/// Pushes for as long as it likes: cancellation is noticed but changes nothing.
private final class NeverReturning: Routable {
    private var pushing: CheckedContinuation<Void, Never>?
    private let (cancellation, wasCancelled) = AsyncStream.makeStream(of: Never.self)

    func push(_ element: RouteElement, animated: Bool) async throws -> any Routable {
        let wasCancelled = wasCancelled
        await withTaskCancellationHandler {
            await withCheckedContinuation { pushing = $0 }
        } onCancel: {
            wasCancelled.finish()
        }
        return self
    }

    func cancelled() async {
        for await _ in cancellation {}
    }

    func release() {
        pushing?.resume()
        pushing = nil
    }
}
