import StorecastPlatform

/// The system's random numbers, good for secrets, as `SystemRandomNumberGenerator` has them; but
/// with one call of the kernel for 32 of them: every dispatch needs one, and a call for each would be
/// a twelfth of what a dispatch costs.
package struct SystemRandomNumbers: RandomNumberGenerator {
    private var numbers: [UInt64] = []

    package init() {}

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        if let number = numbers.popLast() { return number }
        numbers = [UInt64](repeating: 0, count: 32)
        numbers.withUnsafeMutableBytes { bytes in
            guard fillRandomly(bytes) else {
                // Nothing may stand in for them: whoever guessed it would know ids and seeds.
                fatalError("The system gives no random numbers: errno \(errno).")
            }
        }
        return numbers.removeLast()
    }
}
