/// A navigator as the jobs know it that take it to its owner.
///
/// Unchecked: the navigator is used only in ``run(on:)``, which is isolated to the owner; the two
/// references never change. Both are weak, because a router belongs to its owner.
final class OwnedNavigator: @unchecked Sendable {
    private weak let navigator: Navigator?
    private weak let owner: (any Actor)?

    init(_ navigator: Navigator, owner: isolated any Actor) {
        self.navigator = navigator
        self.owner = owner
    }

    /// Has the navigator go where it is to go, as a job of the owner's.
    func start() {
        guard let owner else { return }
        Task { await run(on: owner) }
    }

    private func run(on owner: isolated any Actor) async {
        await navigator?.run(on: owner)
    }
}
