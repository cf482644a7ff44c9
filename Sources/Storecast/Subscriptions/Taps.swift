/// Where operators of the user's own take values from one subscription in the making.
final class Taps {
    private var taps: [(any Connector) -> Void] = []

    /// Adds what brings values to an operator once there is a connector.
    func add(_ tap: @escaping (any Connector) -> Void) {
        taps.append(tap)
    }

    /// Hands them over; they serve one subscription.
    func take() -> [(any Connector) -> Void] {
        defer { taps = [] }
        return taps
    }
}
