extension JSONWriter {
    /// Writes an integer.
    public mutating func write(_ value: Int) { write(Int64(value)) }

    /// Writes an integer.
    public mutating func write(_ value: Int64) {
        separate()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDigits(value.magnitude)
    }

    /// Writes an integer.
    public mutating func write(_ value: UInt64) {
        separate()
        appendDigits(value)
    }

    /// Writes a number with the fewest digits that read back as the same double.
    ///
    /// Whole numbers below 2^53 are written as integers; `-0.0` keeps its sign. What JSON has no
    /// text for, infinities and not-a-number, becomes `null`.
    public mutating func write(_ value: Double) {
        separate()
        guard value.isFinite else { return raw("null") }
        if let integer = value.exactInteger {
            if integer == 0, value.sign == .minus { return raw("-0.0") }
            if integer < 0 { bytes.append(UInt8(ascii: "-")) }
            return appendDigits(integer.magnitude)
        }
        // Larger whole numbers get an exponent, so that they read back as doubles, not as integers.
        DoubleText(value).append(to: &bytes, wholeDigits: 15)
    }

    private mutating func appendDigits(_ value: UInt64) {
        if value < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(value)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var at = 20
            var rest = value
            while rest != 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                at -= 1
                digits[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[at...]))
        }
    }
}
