/// 128 random bits as 32 hexadecimal digits: a client's id or a history's epoch.
package func randomID(using random: inout some RandomNumberGenerator) -> String {
    let halves = [random.next() as UInt64, random.next()]
    return halves.map { half in
        let digits = String(half, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
}
