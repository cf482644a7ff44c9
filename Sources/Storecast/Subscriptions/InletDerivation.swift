/// The values that an operator of the user's own gives to its sink.
final class InletDerivation<Value>: Derivation<Value> {
    private var stage: ((Reading<Value>) -> Void)?

    override var isDetached: Bool { true }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        self.stage = stage
    }

    func receive(_ value: Value) {
        // Nobody looks for this version: what comes from an inlet is compared by its receiver.
        stage?(Reading(value, version: 0))
    }
}
