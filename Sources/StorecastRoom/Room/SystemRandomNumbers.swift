#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The system's random numbers, good for secrets, as `SystemRandomNumberGenerator` has them; but
/// with one call of the kernel for 32 of them.
package struct SystemRandomNumbers: RandomNumberGenerator {
    private var numbers: [UInt64] = []

    package init() {}

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        if let number = numbers.popLast() { return number }
        numbers = [UInt64](repeating: 0, count: 32)
        numbers.withUnsafeMutableBytes { bytes in
            // 256 bytes are the most that it gives at once.
            guard let start = bytes.baseAddress, getentropy(start, bytes.count) == 0 else {
                fatalError("The system gives no random numbers: errno \(errno).")
            }
        }
        return numbers.removeLast()
    }
}
