import StorecastClient
import StorecastTools

/// Prints the states of a store on standard output.
@MainActor
final class StatePrinter: StoreSubscriber {
    private let store: RemoteStore<JSON>
    private let asLines: Bool

    init(of store: RemoteStore<JSON>, asLines: Bool) {
        self.store = store
        self.asLines = asLines
    }

    func newState(state: JSON) {
        if asLines {
            let version = JSON.uint(store.position?.version ?? 0)
            StandardOutput.write("\(["v": version, "value": state] as JSON)")
        } else if StandardOutput.isTerminal {
            StandardOutput.write(state.prettyText)
        } else {
            StandardOutput.write("\(state)")
        }
    }
}
