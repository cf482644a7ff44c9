/// The taps of one subscription in the making.
final class Taps {
    private var taps: [any Tap] = []

    func add(_ tap: any Tap) {
        taps.append(tap)
    }

    /// Hands them over. Keeping them would make a cycle: each knows this object.
    func take() -> [any Tap] {
        defer { taps = [] }
        return taps
    }
}
