import StorecastSync

/// A 64-bit hash of no standard, kept for what was made with it: the marks in logs that early
/// versions wrote, and the random numbers of simulations, so that a seed goes on meaning the same.
/// Everything else uses ``FNV1a``.
package struct MixingHash {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func mix(_ value: UInt64) {
        var word = value &* 0x87C3_7B91_1142_53D5
        word = (word << 31 | word >> 33) &* 0x4CF5_AD43_2745_937F
        state ^= word
        state = (state << 27 | state >> 37) &* 5 &+ 0x52DC_E729
    }

    package func finish() -> UInt64 {
        SeededGenerator.scramble(state)
    }
}
