/// Numbers with three significant digits, and commas between the thousands.
package enum Figure {
    package static func text(_ value: Double) -> String {
        let size = abs(value)
        if size >= 100 { return grouped(Int(value.rounded())) }
        let digits = size >= 10 ? 1 : size >= 1 ? 2 : 3
        return fixed(value, digits)
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { power, _ in power * 10 }
        let whole = Int((abs(value) * Double(scale)).rounded())
        let fraction = String(whole % scale)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(value < 0 && whole > 0 ? "-" : "")\(whole / scale).\(zeros)\(fraction)"
    }

    private static func grouped(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(abs(value)).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }
}
