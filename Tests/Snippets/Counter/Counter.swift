package import StorecastSync

package struct Increase: SyncAction {
    package var by = 1
    package init(by: Int = 1) { self.by = by }
}

package struct Counter: Codable, Sendable {
    package var count = 0

    package static let total = Selection("total") { (counter: Counter) in counter.count }

    package static let room = RoomDefinition(
        state: Counter(), actions: [Increase.self], selections: [total]
    ) { counter, action in
        if let increase = action as? Increase { counter.count += increase.by }
    }
}
