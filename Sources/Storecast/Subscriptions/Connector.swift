/// Brings values to the beginnings of a subscription's derivation.
protocol Connector {
    /// Has `stage` called with the selection's value after every change.
    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void)

    /// Has `stage` called with the selection's value when it isn't the one last delivered.
    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void)

    /// Has `commit` called just before a value is delivered; false if the connector can't tell.
    func whenDelivered(_ commit: @escaping () -> Void) -> Bool
}
