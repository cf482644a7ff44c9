/// What a closure makes of filtered values.
final class MapDerivation<Base, Value>: Derivation<Value> {
    private let base: Derivation<Base>
    private let selector: (Base) -> Value

    init(_ base: Derivation<Base>, _ selector: @escaping (Base) -> Value) {
        self.base = base
        self.selector = selector
    }

    override var isDetached: Bool { base.isDetached }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        let selector = selector
        base.connect(to: connector) { reading in
            stage(Reading(selector(reading.value), version: reading.version))
        }
    }
}
