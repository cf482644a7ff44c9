/// Connects what lies between two operators of the user's own, where the values come from an
/// inlet and nobody can tell which of them are delivered.
struct LooseConnector: Connector {
    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        preconditionFailure("a subscription with taps begins at the root, this one has none")
    }

    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        connect(selection, stage: stage)
    }

    func whenDelivered(_ commit: @escaping () -> Void) -> Bool { false }
}
