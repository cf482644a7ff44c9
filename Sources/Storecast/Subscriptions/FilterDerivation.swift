/// Values without those that a predicate takes for repeats of the one last delivered.
final class FilterDerivation<Value>: Derivation<Value> {
    private let base: Derivation<Value>
    private let isRepeat: (Value, Value) -> Bool

    init(_ base: Derivation<Value>, isRepeat: @escaping (Value, Value) -> Bool) {
        self.base = base.withOwnFilters
        self.isRepeat = isRepeat
    }

    override var isDetached: Bool { base.isDetached }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        let memory = FilterMemory<Value>()
        let isRepeat = isRepeat
        let isToldOfDelivery = connector.whenDelivered { memory.commit() }
        base.connect(to: connector) { new in
            if let last = memory.delivered, isRepeat(last.value, new.value) { return }
            memory.candidate = new
            if !isToldOfDelivery { memory.commit() }
            stage(new)
        }
    }
}
