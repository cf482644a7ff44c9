@testable import StorecastMirror
@testable import StorecastRoom

/// What an optimistic store does with a client's mirror, without its actor: takes what moved and
/// what is pending at the moments at which a delivery would.
final class OptimisticMirror<Value: Decodable> {
    let mirror: Mirror
    /// Everything that was shown, oldest first, repeats left out.
    private(set) var history: [String] = []
    private var view: OptimisticValue<Value>
    private let client: TestClient

    init(
        _ selection: String, on client: TestClient,
        _ reduce: @escaping (inout Value, any Action) -> Void
    ) {
        self.client = client
        view = OptimisticValue(reduce)
        mirror = client.session.mirror(selection, nil)
        view.take(nil, client.session.outbox.withLock(\.pendingActions))
        mirror.observers[UInt64(client.optimistic.count + 1)] = { [weak self] in self?.moved($0) }
        client.optimistic.append { [weak self] pending in self?.take(pending) }
        moved(mirror)
    }

    var shown: Value? { view.value }

    /// Dispatches through this mirror.
    @discardableResult
    func dispatch(_ action: any SyncAction) -> DispatchOutcome {
        client.dispatch(action) { [self] pending in
            view.show(pending)
            note()
        }
    }

    private func take(_ pending: PendingActions) {
        view.take(nil, pending)
        note()
    }

    private func moved(_ mirror: Mirror) {
        guard let value = mirror.value else { return }
        do {
            view.take((try JSONCoding.decode(Value.self, from: value), mirror.included), nil)
        } catch {
            preconditionFailure("The test's own value can't be read: \(error)")
        }
        note()
    }

    private func note() {
        let text = shown.map { "\($0)" } ?? "nothing"
        if history.last != text { history.append(text) }
    }
}
