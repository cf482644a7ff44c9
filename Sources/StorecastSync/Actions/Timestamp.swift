import StorecastPlatform

/// A point in time, as the server's clock told it.
public struct Timestamp: Hashable, Comparable, Codable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted; negative before.
    public var secondsSince1970: Double

    /// A point in time by its seconds since 1970.
    public init(secondsSince1970: Double) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Whether one is before the other.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    /// Reads a number of seconds.
    public init(from decoder: any Decoder) throws {
        secondsSince1970 = try decoder.singleValueContainer().decode(Double.self)
    }

    /// Writes a number of seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(secondsSince1970)
    }
}

extension Timestamp {
    /// The time of day by the system's clock.
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            secondsSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000)
    }
}
