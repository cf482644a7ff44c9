/// A small random number generator whose numbers are the same on every machine and in every
/// version of Swift: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
///
/// Not for secrets. The standard library's `shuffled(using:)` and `random(in:using:)` may change
/// what they make of a generator's numbers from one Swift version to the next; a reducer that has
/// to replay alike uses ``below(_:)`` and ``shuffle(_:)``.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator whose numbers are a function of `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.scramble(state)
    }

    /// A number in `0..<bound`, without bias (Lemire 2019). `bound` must be positive.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "The bound of a random number must be positive; it is \(bound).")
        let range = UInt64(bound)
        var product = next().multipliedFullWidth(by: range)
        if product.low < range {
            let threshold = (0 &- range) % range
            while product.low < threshold { product = next().multipliedFullWidth(by: range) }
        }
        return Int(product.high)
    }

    /// Puts `values` into a random order (Fisher–Yates). O(n).
    public mutating func shuffle<Values: MutableCollection & RandomAccessCollection>(
        _ values: inout Values
    ) where Values.Index == Int {
        guard values.count > 1 else { return }
        for last in stride(from: values.count - 1, to: 0, by: -1) {
            values.swapAt(values.startIndex + last, values.startIndex + below(last + 1))
        }
    }

    /// The last step of SplitMix64: a number of which each bit depends on all bits of `value`.
    package static func scramble(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// 128 random bits as 32 hexadecimal digits: a client's id or a history's epoch.
package func randomID(using random: inout some RandomNumberGenerator) -> String {
    let halves = [random.next() as UInt64, random.next()]
    return halves.map { half in
        let digits = String(half, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
}
