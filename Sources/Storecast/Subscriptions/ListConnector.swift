/// Connects one subscriber to the selection that it shares with others.
final class ListConnector<Root>: Connector {
    private let list: SubscriptionList<Root>
    private let entry: Entry
    /// The selection that the subscriber has joined.
    private(set) var node: SelectionNode<Root>?

    init(list: SubscriptionList<Root>, entry: Entry) {
        self.list = list
        self.entry = entry
    }

    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        let node = list.node(for: selection.sharedPath, use: .always) {
            ValueNode<Root, Value>(selection.evaluator(from: Root.self))
        }
        node.join(entry, stage: stage)
        self.node = node
    }

    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        let node = list.node(for: selection.sharedPath, use: .withoutRepeats) {
            DistinctNode<Root, Value>(selection.evaluator(from: Root.self))
        }
        node.join(entry, stage: stage)
        self.node = node
    }

    func whenDelivered(_ commit: @escaping () -> Void) -> Bool {
        entry.commits.append(commit)
        return true
    }
}
