/// Gathers what is to be done with each new root state for a subscription that goes through
/// operators of the user's own.
final class RootConnector<Root>: Connector {
    private let entry: Entry
    private var pushes: [(Reading<Root>) -> Void] = []

    init(for entry: Entry) {
        self.entry = entry
    }

    /// Passes a root state on to everything connected.
    var push: (Reading<Root>) -> Void {
        { [pushes] root in
            for push in pushes {
                push(root)
            }
        }
    }

    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        let evaluate = selection.evaluator(from: Root.self)
        pushes.append { root in stage(Reading(evaluate(root.value), version: root.version)) }
    }

    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        FilterDerivation(selection, isRepeat: ==).connect(to: self, stage: stage)
    }

    func whenDelivered(_ commit: @escaping () -> Void) -> Bool {
        entry.commits.append(commit)
        return true
    }
}
