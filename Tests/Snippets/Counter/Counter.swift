public import StorecastSync

public struct Increase: SyncAction {
    public var by = 1
    public init(by: Int = 1) { self.by = by }
}

public struct Counter: Codable, Sendable {
    public var count = 0

    public static let total = Selection("total", part: \Counter.count)

    public static let room = RoomDefinition(
        state: Counter(), actions: [Increase.self], selections: [total]
    ) { counter, action in
        if let increase = action as? Increase { counter.count += increase.by }
    }
}
