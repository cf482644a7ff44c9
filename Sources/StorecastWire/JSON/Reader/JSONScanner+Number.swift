extension JSONScanner {
    /// Scans a number: an integer of 64 bits exactly, any other as the nearest double.
    ///
    /// An integer beyond 64 bits is a double too: RFC 8259 §6 lets a reader choose, and writers in
    /// languages where every number is a double do write them. `-0` is the double that keeps its
    /// sign.
    mutating func scanNumber() -> Bool {
        let start = at
        let negative = text[at] == UInt8(ascii: "-")
        if negative { at += 1 }
        var mantissa: UInt64 = 0
        let first = at
        var fits = scanDigits(&mantissa)
        guard at > first, text[first] != UInt8(ascii: "0") || at == first + 1 else {
            return fail(.number, at: start)
        }
        var exponent = 0
        var integral = true
        if at < end, text[at] == UInt8(ascii: ".") {
            integral = false
            at += 1
            let point = at
            // Once the digits overflow their value is not used, so neither need be the rest.
            if !scanDigits(&mantissa) { fits = false }
            guard at > point else { return fail(.number, at: start) }
            exponent = point - at
        }
        if at < end, text[at] | 0x20 == UInt8(ascii: "e") {
            integral = false
            guard scanExponent(&exponent) else { return fail(.number, at: start) }
        }
        guard at - start <= limits.numberBytes else { return fail(.number, at: start) }
        if integral, fits {
            if !negative {
                let kind: TapeEntry.Kind = mantissa > UInt64(Int64.max) ? .uint : .int
                return append(TapeEntry(kind, from: start, length: at - start, payload: mantissa))
            }
            if mantissa != 0, mantissa <= UInt64(Int64.max) + 1 {
                let bits = 0 &- mantissa
                return append(TapeEntry(.int, from: start, length: at - start, payload: bits))
            }
        }
        return appendDouble(
            from: start, negative: negative, mantissa: fits ? mantissa : nil, exponent: exponent)
    }

    /// Appends the digits here to `value`; false if that overflowed.
    @inline(__always)
    private mutating func scanDigits(_ value: inout UInt64) -> Bool {
        var fits = true
        while at < end {
            let digit = text[at] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if value < 1_000_000_000_000_000_000 {
                value = value &* 10 &+ UInt64(digit)
            } else {
                let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit))
                if overflow || carry { fits = false }
                value = sum
            }
            at += 1
        }
        return fits
    }

    private mutating func scanExponent(_ exponent: inout Int) -> Bool {
        at += 1
        var negative = false
        if at < end, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
            negative = text[at] == UInt8(ascii: "-")
            at += 1
        }
        let first = at
        var value = 0
        while at < end, case let digit = text[at] &- UInt8(ascii: "0"), digit < 10 {
            // Far beyond any double's exponent the exact value doesn't matter.
            if value < 100_000 { value = value * 10 + Int(digit) }
            at += 1
        }
        exponent += negative ? -value : value
        return at > first
    }

    private mutating func appendDouble(
        from start: Int, negative: Bool, mantissa: UInt64?, exponent: Int
    ) -> Bool {
        var value: Double
        if let mantissa, mantissa <= 1 << 53, -22...22 ~= exponent {
            // Both operands are exact, so one rounding gives the nearest double (Clinger 1990).
            value = Double(mantissa)
            value = exponent < 0 ? value / Self.powers[-exponent] : value * Self.powers[exponent]
            if negative { value = -value }
        } else {
            let digits = UnsafeBufferPointer(start: text + start, count: at - start)
            guard let parsed = Double(String(decoding: digits, as: UTF8.self)) else {
                return fail(.number, at: start)
            }
            value = parsed
        }
        guard value.isFinite else { return fail(.number, at: start) }
        let bits = value.bitPattern
        return append(TapeEntry(.double, from: start, length: at - start, payload: bits))
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
