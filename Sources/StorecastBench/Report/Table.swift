/// What was measured as lines for people.
package enum BenchTable {
    /// The columns' names.
    package static let head =
        "rate/s".right(9) + "acked/s".right(11) + "  latency".left(25)
        + StepResult.quantiles.map { $0.name.right(9) }.joined()

    /// The lines of one step.
    ///
    /// - Parameter isHeld: whether the bound that is looked for holds; nil if none is.
    package static func lines(_ result: StepResult, isHeld: Bool? = nil) -> [String] {
        let rates = result.step.rate.rateText.right(9) + result.achieved.rateText.right(11)
        var lines = [rates + row("dispatch to ack", result.tally.acks)]
        if let mirrors = result.mirrors {
            let space = String(repeating: " ", count: rates.count)
            lines.append(space + row("dispatch to last mirror", mirrors))
        }
        if let isHeld { lines[0] += isHeld ? "  holds" : "  doesn't hold" }
        return lines + notes(result).map { "           " + $0 }
    }

    /// What a person must know beside the figures.
    private static func notes(_ result: StepResult) -> [String] {
        let tally = result.tally
        var notes = [
            "\(tally.bytesSent.bytesText) sent, \(tally.bytesReceived.bytesText) received"
        ]
        for (code, refusals) in tally.refusals.sorted(by: { $0.key < $1.key }) {
            notes.append("\(refusals.count.grouped) refused (\(code)): \(refusals.first)")
        }
        if tally.unsent > 0 {
            notes.append("\(tally.unsent.grouped) not sent in time: the server's window was full")
        }
        if tally.unanswered > 0 {
            notes.append("\(tally.unanswered.grouped) without an answer 5 s after the end")
        }
        if result.unseen > 0 {
            notes.append("\(result.unseen.grouped) changed nothing that every mirror follows")
        }
        if tally.lost > 0 {
            notes.append("\(tally.lost.grouped) connections lost: \(tally.loss ?? "")")
        }
        if result.isToolLate {
            notes.append(
                "the tool itself was \(tally.lateness.quantile(0.99).latencyText) late (p99): "
                    + "give it more --threads, or a machine of its own")
        }
        return notes
    }

    private static func row(_ name: String, _ histogram: Histogram) -> String {
        "  " + name.left(23)
            + StepResult.quantiles.map { _, fraction in
                (histogram.count == 0 ? "-" : histogram.quantile(fraction).latencyText).right(9)
            }.joined()
    }
}

extension String {
    func right(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    fileprivate func left(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Int64 {
    /// A number of nanoseconds with three digits: `214 µs`, `1.23 ms`, `12.3 s`.
    package var latencyText: String {
        let value = Double(self)
        return switch value {
        case ..<999_500: "\((value / 1e3).digits(3)) µs"
        case ..<999_500_000: "\((value / 1e6).digits(3)) ms"
        default: "\((value / 1e9).digits(3)) s"
        }
    }

    /// A round number of nanoseconds: `200 µs`, `5 ms`, `1 s`.
    var markText: String {
        switch self {
        case ..<1_000: "\(self) ns"
        case ..<1_000_000: "\(self / 1_000) µs"
        case ..<1_000_000_000: "\(self / 1_000_000) ms"
        default: "\(self / 1_000_000_000) s"
        }
    }
}

extension Double {
    /// A rate: without a fraction from 100 on, with thousands apart.
    package var rateText: String {
        self >= 99.95 ? Int(rounded()).grouped : digits(3)
    }

    /// So many significant digits, but all before the point.
    func digits(_ count: Int) -> String {
        guard self > 0 else { return "0" }
        var decimals = count - 1
        var limit = 9.995
        while decimals > 0, self >= limit {
            decimals -= 1
            limit *= 10
        }
        decimals = Swift.min(decimals, count - 1)
        let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
        let whole = Int((self * Double(scale)).rounded())
        guard decimals > 0 else { return "\(whole)" }
        let fraction = "\(whole % scale)"
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        return "\(whole / scale).\(zeros)\(fraction)"
    }
}

extension Int {
    /// `1,234,567`
    package var grouped: String {
        var text = ""
        for (index, digit) in String(self).reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// `512 B`, `1.23 MB`: powers of 1,000.
    var bytesText: String {
        let value = Double(self)
        return switch value {
        case ..<999.5: "\(self) B"
        case ..<999_500: "\((value / 1e3).digits(3)) kB"
        case ..<999_500_000: "\((value / 1e6).digits(3)) MB"
        default: "\((value / 1e9).digits(3)) GB"
        }
    }
}
