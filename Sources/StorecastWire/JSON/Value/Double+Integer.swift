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
