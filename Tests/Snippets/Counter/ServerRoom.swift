public import StorecastSync

extension Counter {
    public static let serverRoom = room.validate(Increase.self) { _, increase, _ in
        guard (1...10).contains(increase.by) else { throw Rejection(.invalid, "Only 1 to 10.") }
    }
}
