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

/// A finite double as its shortest round-trip decimal: digits, and where the point is.
struct DoubleText {
    private let isNegative: Bool
    /// Significant digits in ASCII, without zeros at either end; one zero for zero.
    private var digits: [UInt8] = []
    /// The number is 0.DIGITS × 10^point.
    private var point = 0

    /// Takes apart the standard library's description, which has the shortest digits.
    init(_ value: Double) {
        isNegative = value < 0
        digits.reserveCapacity(24)
        var whole: Int?
        var exponent = 0
        var exponentIsNegative = false
        var isInExponent = false
        for byte in value.magnitude.description.utf8 {
            switch byte {
            case UInt8(ascii: "e"): isInExponent = true
            case UInt8(ascii: "-"): exponentIsNegative = true
            case UInt8(ascii: "+"): break
            case UInt8(ascii: "."): whole = digits.count
            case _ where isInExponent: exponent = exponent * 10 + Int(byte - UInt8(ascii: "0"))
            default: digits.append(byte)
            }
        }
        point = (whole ?? digits.count) + (exponentIsNegative ? -exponent : exponent)
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(min(zeros, digits.count - 1))
        point -= zeros
        while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits == [UInt8(ascii: "0")] { point = 1 }
    }

    /// Appends the text as ECMAScript's Number::toString has it, as RFC 8785 §3.2.2.3 asks.
    ///
    /// - Parameter wholeDigits: up to how many digits before the point need no exponent.
    func append(to bytes: inout [UInt8], wholeDigits: Int = 21) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        let zero = UInt8(ascii: "0")
        if digits.count <= point, point <= wholeDigits {
            bytes.append(contentsOf: digits)
            bytes.append(contentsOf: repeatElement(zero, count: point - digits.count))
        } else if 0 < point, point <= 21, point < digits.count {
            bytes.append(contentsOf: digits[..<point])
            bytes.append(UInt8(ascii: "."))
            bytes.append(contentsOf: digits[point...])
        } else if -6 < point, point <= 0 {
            bytes.append(contentsOf: [zero, UInt8(ascii: ".")])
            bytes.append(contentsOf: repeatElement(zero, count: -point))
            bytes.append(contentsOf: digits)
        } else {
            bytes.append(digits[0])
            if digits.count > 1 {
                bytes.append(UInt8(ascii: "."))
                bytes.append(contentsOf: digits[1...])
            }
            bytes.append(UInt8(ascii: "e"))
            bytes.append(UInt8(ascii: point > 0 ? "+" : "-"))
            bytes.append(contentsOf: String((point - 1).magnitude).utf8)
        }
    }
}
