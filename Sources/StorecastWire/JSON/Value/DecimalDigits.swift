/// A number as it is written in decimal digits, exactly: `digits` × 10^`exponent`.
struct DecimalDigits: Equatable {
    var isNegative = false
    /// Not divisible by 10, but for 0.
    var digits: UInt128 = 0
    var exponent = 0

    /// Reads a number as JSON writes them; nil if it is none, or has more digits than fit.
    init?(_ text: UnsafeRawBufferPointer) {
        var rest = text[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest.removeFirst()
        }
        // Zeros count only when another digit follows them.
        var zeros = 0
        guard read(&rest, &zeros) > 0 else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            let places = read(&rest, &zeros)
            guard places > 0 else { return nil }
            exponent -= places
        }
        exponent += zeros
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            let text = String(decoding: rest.dropFirst(), as: UTF8.self)
            guard let power = Int32(text) else { return nil }
            exponent += Int(power)
            rest = rest.suffix(0)
        }
        guard rest.isEmpty else { return nil }
        if digits == 0 { exponent = 0 }
    }

    init?(_ text: String) {
        guard let read = text.withTextBytes(Self.init) else { return nil }
        self = read
    }

    /// Takes the digits at the front; returns how many there are, or 0 if they are too many.
    private mutating func read(
        _ rest: inout Slice<UnsafeRawBufferPointer>, _ zeros: inout Int
    ) -> Int {
        var count = 0
        while let digit = rest.first.map({ $0 &- UInt8(ascii: "0") }), digit < 10 {
            rest.removeFirst()
            count += 1
            if digit == 0 {
                if digits > 0 { zeros += 1 }
                continue
            }
            guard let scaled = Self.scale(digits, by: zeros + 1) else { return 0 }
            let (sum, overflow) = scaled.addingReportingOverflow(UInt128(digit))
            guard !overflow else { return 0 }
            digits = sum
            zeros = 0
        }
        return count
    }

    /// `value` × 10^`power`; nil if that doesn't fit.
    static func scale(_ value: UInt128, by power: Int) -> UInt128? {
        guard value > 0, power > 0 else { return power < 0 ? nil : value }
        guard power < 39 else { return nil }
        var value = value
        for _ in 0..<power {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = tenfold
        }
        return value
    }

    /// The integer that this is; nil if it is none, or doesn't fit.
    func integer<I: FixedWidthInteger>(_ type: I.Type = I.self) -> I? {
        guard exponent >= 0, let magnitude = Self.scale(digits, by: exponent),
            let value = Int128(exactly: magnitude)
        else { return nil }
        return I(exactly: isNegative ? -value : value)
    }
}

/// `Int64(exactly:)` and its like call the C library's `trunc`, which a program that imports only
/// the standard library doesn't link. These convert and look whether anything was lost.
extension Double {
    /// The `Int64` that this is.
    var wholeInt64: Int64? {
        // 2^63 itself is the first double that doesn't fit.
        guard self >= -0x1p63, self < 0x1p63 else { return nil }
        let integer = Int64(self)
        return Double(integer) == self ? integer : nil
    }

    /// The `UInt64` that this is.
    var wholeUInt64: UInt64? {
        guard self > -1, self < 0x1p64 else { return nil }
        let integer = UInt64(self)
        return Double(integer) == self ? integer : nil
    }

    /// The integer that this is, as long as every integer of its size has a double of its own.
    var exactInteger: Int64? { magnitude <= 0x1p53 ? wholeInt64 : nil }
}
