/// A part of the root state without repeats: the comparison is shared like the evaluation.
final class DistinctDerivation<Value: Equatable>: Derivation<Value> {
    private let selection: RootSelection<Value>

    init(_ selection: RootSelection<Value>) {
        self.selection = selection
    }

    override var withOwnFilters: Derivation<Value> {
        FilterDerivation(selection, isRepeat: ==)
    }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        connector.connectSkippingRepeats(selection, stage: stage)
    }

    override func selecting<Selected>(
        _ selector: @escaping (Value) -> Selected
    ) -> Derivation<Selected> {
        MapDerivation(withOwnFilters, selector)
    }
}
