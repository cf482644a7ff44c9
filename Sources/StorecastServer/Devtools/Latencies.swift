/// How long things took: counts by powers of the square root of two, from a microsecond to minutes.
///
/// 64 numbers, whatever is counted; a percentile is right to within a fifth.
struct Latencies {
    /// Microseconds below which half and nearly all lie.
    struct Percentiles: Codable, Equatable, Sendable {
        var half: Double
        var most: Double
    }

    private var counts = [Int](repeating: 0, count: 64)
    private var total = 0

    mutating func note(_ duration: Duration) {
        let time = max(duration / .microseconds(1), 1)
        counts[min(Int(2 * log2(time)), counts.count - 1)] += 1
        total += 1
    }

    /// The percentiles 50 and 99 of what was noted since the last call; nil if that was nothing.
    mutating func take() -> Percentiles? {
        guard total > 0 else { return nil }
        defer { self = Latencies() }
        return Percentiles(half: percentile(0.5), most: percentile(0.99))
    }

    private func percentile(_ share: Double) -> Double {
        var rest = Int(Double(total) * share)
        for (place, count) in counts.enumerated() {
            rest -= count
            // The middle of what is counted there.
            if rest < 0 { return exp2(Double(place) / 2 + 0.25) }
        }
        return exp2(Double(counts.count) / 2)
    }
}

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#else
    private import Darwin
#endif
