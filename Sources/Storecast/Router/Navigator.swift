/// Takes what is shown, step by step, to the route that was set last.
///
/// It knows routables and no store. Each step is worked out from what is shown when the step before
/// is done, so a route set in the meantime replaces the steps that haven't begun.
final class Navigator {
    /// One element that is shown.
    private struct Level {
        let element: RouteElement
        /// The routable for what is inside it; nil if that never became known.
        let routable: (any Routable)?
    }

    /// Where to go.
    private struct Target {
        let route: Route
        let animated: Bool
        /// Distinguishes two settings of the same route.
        let number: UInt64
    }

    private(set) var lastError: RoutingError?
    private(set) var isRunning = false
    private var isStopped = false
    private var levels: [Level] = []
    private var target: Target?
    private var targets: UInt64 = 0
    private var call: RoutingCall?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var job: NavigatorJob?
    private let root: any Routable
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let onError: (RoutingError) -> RoutingRecovery

    init(
        root: any Routable, timeout: Duration, clock: any Clock<Duration>,
        onError: @escaping (RoutingError) -> RoutingRecovery, owner: isolated any Actor
    ) {
        self.root = root
        self.timeout = timeout
        self.clock = clock
        self.onError = onError
        job = NavigatorJob(self, owner: owner)
    }

    /// The elements that are shown.
    var shownRoute: Route { levels.map(\.element) }

    /// Sets the route to go to. The first step is never taken inside this call.
    func go(to route: Route, animated: Bool) {
        if isStopped { return }
        targets += 1
        target = Target(route: route, animated: animated, number: targets)
        lastError = nil
        if isRunning { return }
        isRunning = true
        job?.start()
    }

    /// Gives up for good: cancels the step under way and begins no other.
    func stop() {
        isStopped = true
        target = nil
        call?.abandon()
    }

    /// Waits until there is nothing more to do.
    func settle() async {
        while isRunning {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Takes steps until the target is reached or given up.
    fileprivate func run(on owner: isolated any Actor) async {
        while let target,
            let step = RoutingStep.steps(from: shownRoute, to: target.route).first
        {
            await take(step, to: target, owner)
        }
        isRunning = false
        let settled = waiting
        waiting = []
        for continuation in settled { continuation.resume() }
    }

    private func take(
        _ step: RoutingStep, to target: Target, _ owner: isolated any Actor
    ) async {
        let routable = step.depth == 0 ? root : levels[step.depth - 1].routable
        let call = RoutingCall(step, of: routable, animated: target.animated)
        self.call = call
        defer { self.call = nil }
        call.start(on: owner)
        await call.wait(for: timeout, on: clock)
        if isStopped { return }
        if case .success(let child) = call.result {
            finish(step, child)
        } else {
            call.cancel()
            await recover(from: call, step, target)
        }
    }

    /// Asks the error handler what to do about a step that wasn't done, and does it.
    private func recover(
        from call: RoutingCall, _ step: RoutingStep, _ target: Target
    ) async {
        let error = RoutingError(
            step: step, shownRoute: shownRoute, targetRoute: target.route, result: call.result)
        lastError = error
        switch onError(error) {
        case .retry: break
        case .stop:
            // A route that was set in the meantime stays.
            if self.target?.number == target.number { self.target = nil }
        case .proceed:
            if step.hasChild { await call.wait(for: timeout, on: clock) }
            if isStopped { return }
            finish(step, (try? call.result?.get()) ?? nil)
        }
    }

    private func finish(_ step: RoutingStep, _ child: (any Routable)?) {
        switch step {
        case .push(let element, _):
            levels.append(Level(element: element, routable: child))
        case .pop:
            levels.removeLast()
        case .change(_, let element, let depth):
            levels[depth] = Level(element: element, routable: child)
        }
    }
}

/// Runs a navigator on the actor that owns it.
///
/// Unchecked: the navigator is used only in ``run(on:)``, which is isolated to the owner, and the
/// two references never change. Both are weak, because a router belongs to its owner.
private final class NavigatorJob: @unchecked Sendable {
    private weak let navigator: Navigator?
    private weak let owner: (any Actor)?

    init(_ navigator: Navigator, owner: isolated any Actor) {
        self.navigator = navigator
        self.owner = owner
    }

    /// Has the navigator take its steps, in a task on the owner.
    func start() {
        guard let owner else { return }
        Task { await run(on: owner) }
    }

    private func run(on owner: isolated any Actor) async {
        await navigator?.run(on: owner)
    }
}
