#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The system's random numbers, fetched 32 at a time: every dispatch needs one, and a system call
/// for each is a twelfth of what a dispatch costs.
struct BufferedSystemGenerator: RandomNumberGenerator {
    /// `getentropy` gives 256 bytes at most.
    private static let capacity = 32
    private var words: [UInt64] = []

    mutating func next() -> UInt64 {
        if words.isEmpty { refill() }
        return words.removeLast()
    }

    private mutating func refill() {
        words.append(contentsOf: repeatElement(0, count: Self.capacity))
        #if canImport(Glibc) || canImport(Musl)
            let code = words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
            // Never zeros: the numbers may be guessed at, ids are made of them.
            precondition(code == 0, "The system gives no random numbers.")
        #else
            words.withUnsafeMutableBytes { arc4random_buf($0.baseAddress, $0.count) }
        #endif
    }
}
