import Storecast
package import StorecastSync
package import StorecastWire

extension Room {
    package var inspection: RoomInspection {
        var subscriptions: [ExactString: Int] = [:]
        for group in views.live {
            subscriptions[group.key.name, default: 0] += group.viewerCount
        }
        return RoomInspection(
            position: position, phase: phase.word, subscriptions: subscriptions,
            lag: sessions.values.lazy.map(\.lag).max() ?? 0,
            waiting: queue.batch.count + queue.postponed.count, waitingBytes: queue.bytes,
            actions: definition.actions.names)
    }

    package var selectionCosts: [SelectionCost] { views.costs }

    package var sessionsInOrder: [ServerSession] {
        sessions.values.sorted { $0.number < $1.number }
    }

    package func tree() throws -> JSON {
        try store.state.map { try JSONCoding.encodeTree($0) } ?? .null
    }

    package func dispatch(
        _ type: String, _ payload: JSON, as sender: Identity, _ outcome: DispatchOutcome
    ) {
        do {
            let document = try JSONDocument(payload.bytes, limits: .trusted)
            dispatch(
                try intake.action(type, document.root, from: sender), as: sender, outcome)
        } catch {
            outcome.settle(.failure(rejection(for: error).bounded))
        }
    }

    /// The selections that somebody is subscribed to.
    package var selectionsInUse: [GroupKey] { views.live.map(\.key) }
}

extension RoomPhase {
    fileprivate var word: String {
        switch self {
        case .loading: "loading"
        case .ready: "ready"
        case .failed: "failed"
        }
    }
}
