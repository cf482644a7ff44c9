/// Counts durations by size, to three significant digits, in bounded memory: an HDR histogram.
///
/// The buckets are linear within each power of two: one for every nanosecond below 2,048, and 1,024
/// for each doubling above, so that none is wider than a thousandth of what it counts.
package struct Histogram: Sendable, Equatable {
    /// How many durations were recorded.
    package private(set) var count = 0
    /// The longest, exactly; 0 without any.
    package private(set) var largest: Int64 = 0
    /// How many are in each bucket, up to the last that has any.
    private var counts: [Int] = []
    private var sum = 0.0

    /// Longer ones count as this: about 73 minutes, in nanoseconds.
    package static let longest: Int64 = 1 << 42 - 1

    private static let halfBits = 10
    private static let half = 1 << halfBits

    package init() {}

    /// Counts a duration in nanoseconds, several times if need be; a negative one as 0. O(1).
    package mutating func record(_ nanoseconds: Int64, times: Int = 1) {
        let value = min(max(nanoseconds, 0), Self.longest)
        let bucket = Self.bucket(of: value)
        if bucket >= counts.count {
            counts.append(contentsOf: repeatElement(0, count: bucket + 1 - counts.count))
        }
        counts[bucket] += times
        count += times
        sum += Double(value) * Double(times)
        largest = max(largest, value)
    }

    /// Adds all that another histogram counted. O(buckets), at most 33,792.
    package mutating func merge(_ other: Histogram) {
        if other.counts.count > counts.count {
            let missing = other.counts.count - counts.count
            counts.append(contentsOf: repeatElement(0, count: missing))
        }
        for bucket in other.counts.indices { counts[bucket] += other.counts[bucket] }
        count += other.count
        sum += other.sum
        largest = max(largest, other.largest)
    }

    /// The least duration, in nanoseconds, that this fraction of all don't exceed: never below the
    /// exact one, and above it by less than a thousandth. 0 without any. O(buckets).
    package func quantile(_ fraction: Double) -> Int64 {
        let rank = max(1, min(count, Int((fraction * Double(count)).rounded(.up))))
        var seen = 0
        for bucket in counts.indices {
            seen += counts[bucket]
            if seen >= rank, counts[bucket] > 0 { return min(Self.end(of: bucket), largest) }
        }
        return largest
    }

    /// The arithmetic mean in nanoseconds; 0 without any.
    package var mean: Double { count == 0 ? 0 : sum / Double(count) }

    private static func bucket(of value: Int64) -> Int {
        let shift = max(0, Int64.bitWidth - value.leadingZeroBitCount - halfBits - 1)
        return shift * half + Int(value >> shift)
    }

    /// The longest duration that a bucket counts.
    private static func end(of bucket: Int) -> Int64 {
        let shift = max(0, bucket >> halfBits - 1)
        return Int64(bucket - shift * half + 1) << shift - 1
    }
}
