import StorecastTables

// Operators that users of the library write themselves: `Subscription.init(sink:)` makes an
// operator's output, and `observer` of the subscription before it takes its input. The library
// doesn't know what an operator does with a value, nor when. So a subscription that ends with such
// an output can't be evaluated together with others: its inputs are called with every new state,
// and what comes out is delivered whenever it comes.

/// The input of an operator: passes values on to its observer.
///
/// The stage before it holds it, and it holds what follows, like every stage of a subscription. The
/// ``Subscription`` that the user sees isn't a stage, as it holds what precedes it.
final class OperatorInput<Value> {
    var observer: ((Value?, Value) -> Void)?
    private var last: Value?

    func receive(_ new: Value) {
        let old = last
        // Assigned before the call: the observer may cause a dispatch, which leads back here.
        last = new
        observer?(old, new)
    }
}

/// Collects the inputs of the operators in one subscription, until it is known where their values
/// come from.
final class OperatorInputs {
    private var connections: [(any Connector) -> Void] = []

    /// Adds a function that connects an input.
    func add(_ connect: @escaping (any Connector) -> Void) {
        connections.append(connect)
    }

    /// Returns the functions and forgets them: they hold the inputs, and serve one subscription.
    func take() -> [(any Connector) -> Void] {
        defer { connections = [] }
        return connections
    }
}

/// The output of an operator: the values that it passes to its sink.
final class OperatorOutput<Value>: Derivation<Value> {
    private var stage: ((Reading<Value>) -> Void)?

    override var isDetached: Bool { true }

    override func connect(to connector: any Connector, stage: @escaping (Reading<Value>) -> Void) {
        self.stage = stage
    }

    func receive(_ value: Value) {
        // The version isn't used: no shared selection looks at these values.
        stage?(Reading(value, version: 0))
    }
}

extension SubscriptionList {
    /// Connects a subscription that ends with the output of an operator. The operators' inputs are
    /// called with every new state; what comes out may come later, outside any round.
    func connectDetached<Subscriber: StoreSubscriber>(
        _ subscription: Subscription<Subscriber.StoreSubscriberStateType>,
        inputs: [(any Connector) -> Void], entry: TypedEntry<Subscriber>,
        connector: ListConnector<State>
    ) {
        let inputConnector = InputConnector<State>(for: entry)
        for connect in inputs {
            connect(inputConnector)
        }
        connector.connect(whole, stage: inputConnector.push)
        subscription.derivation.connect(to: connector) { [weak self, weak entry] reading in
            guard let self, let entry, entry.isActive else { return }
            entry.mailbox.reading = reading
            if !isEvaluating { deliver(alone: entry) }
        }
    }
}

/// Supplies the inputs of a subscription's operators with values of each new root state.
private final class InputConnector<Root>: Connector {
    private let entry: Entry
    private var stages: [(Reading<Root>) -> Void] = []

    init(for entry: Entry) {
        self.entry = entry
    }

    /// Passes a root state to all inputs that are connected by now.
    var push: (Reading<Root>) -> Void {
        { [stages] root in
            for stage in stages {
                stage(root)
            }
        }
    }

    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        let evaluate = selection.evaluator(from: Root.self)
        stages.append { root in stage(Reading(evaluate(root.value), version: root.version)) }
    }

    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        FilterDerivation(selection, isRepeat: ==).connect(to: self, stage: stage)
    }

    func connect<Rows: RowsByID>(
        _ id: Rows.Row.ID, of rows: RootSelection<Rows>,
        stage: @escaping (Reading<Rows.Row?>) -> Void
    ) {
        let evaluate = rows.evaluator(from: Root.self)
        stages.append { root in
            stage(Reading(evaluate(root.value)[id: id], version: root.version))
        }
    }

    func whenDelivered(_ commit: @escaping () -> Void) -> Bool {
        entry.commits.append(commit)
        return true
    }
}

/// Connects what lies between the output of one operator and the input of the next. The values come
/// from that output, and it isn't known which of them are delivered.
struct OutputConnector: Connector {
    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        preconditionFailure("A selection from the root doesn't follow an operator's output.")
    }

    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        connect(selection, stage: stage)
    }

    func connect<Rows: RowsByID>(
        _ id: Rows.Row.ID, of rows: RootSelection<Rows>,
        stage: @escaping (Reading<Rows.Row?>) -> Void
    ) {
        preconditionFailure("A row of the root doesn't follow an operator's output.")
    }

    func whenDelivered(_ commit: @escaping () -> Void) -> Bool { false }
}
