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

extension Timestamp: CustomStringConvertible {
    /// Date and time to the millisecond in UTC, as `2026-11-26T14:53:10.250Z`.
    public var description: String { text(inUTC: true) }
}

extension Timestamp {
    /// Date and time to the millisecond (ISO 8601), in UTC or the system's time zone; the number of
    /// seconds if it is outside the years 1 to 9999.
    package func text(inUTC: Bool) -> String {
        guard (-62_135_596_800..<253_402_300_800).contains(secondsSince1970) else {
            return "\(secondsSince1970)"
        }
        let whole = secondsSince1970.rounded(.down)
        // A thousandth more, as a `Double` has little more than the digits of a microsecond.
        let milliseconds = min(999, Int((secondsSince1970 - whole) * 1000 + 0.001))
        var seconds = time_t(whole)
        var parts = tm()
        if inUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
        let date = [
            (Int(parts.tm_year) + 1900).padded(to: 4), (Int(parts.tm_mon) + 1).padded(to: 2),
            Int(parts.tm_mday).padded(to: 2),
        ]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0).padded(to: 2) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":")
            + ".\(milliseconds.padded(to: 3))" + (inUTC ? "Z" : Self.zone(Int(parts.tm_gmtoff)))
    }

    /// A time zone's distance from UTC as ISO 8601 writes it.
    package static func zone(_ seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        return (seconds < 0 ? "-" : "+") + (minutes / 60).padded(to: 2) + ":"
            + (minutes % 60).padded(to: 2)
    }
}

extension Int {
    fileprivate func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
