import Foundation

/// A picture (SVG) of latency over load: a line for each quantile, both axes logarithmic. It
/// follows the reader's light or dark scheme, and its text is text.
package struct LatencyChart {
    private let results: [StepResult]
    private let bound: LatencyBound?
    private let title: String
    private let panels: [Panel]
    private let rates: Axis
    private let latencies: Axis

    private struct Panel {
        var name: String
        var isOfMirrors: Bool
        var top: Double
    }

    private static let width = 760.0
    private static let left = 68.0
    private static let right = 88.0
    private static let head = 66.0
    private static let plotHeight = 250.0
    private static let panelHeight = 320.0

    /// - Parameters:
    ///   - title: what was loaded, and how.
    ///   - results: in any order; without any answered action they aren't shown.
    ///   - bound: is drawn as a line.
    package init(title: String, results: [StepResult], bound: LatencyBound? = nil) {
        self.title = title
        self.bound = bound
        let shown = results.filter { $0.tally.acks.count > 0 }
            .sorted { $0.step.rate < $1.step.rate }
        self.results = shown
        var panels = [Panel(name: "dispatch to ack", isOfMirrors: false, top: Self.head)]
        if shown.contains(where: { ($0.mirrors?.count ?? 0) > 0 }) {
            panels.append(
                Panel(
                    name: "dispatch to last mirror", isOfMirrors: true,
                    top: Self.head + Self.panelHeight))
        }
        self.panels = panels
        rates = Axis(
            shown.map(\.step.rate), from: Self.left, to: Self.width - Self.right)
        let histograms = shown.flatMap { [$0.tally.acks, $0.mirrors ?? $0.tally.acks] }
        let limit = bound.map { Double($0.limit.nanoseconds) }
        latencies = Axis(
            histograms.flatMap { [$0.quantile(0.5), $0.quantile(0.999)] }.map(Double.init)
                + (limit.map { [$0] } ?? []), from: Self.plotHeight, to: 0)
    }

    /// The whole file.
    package var svg: String {
        let height = Self.head + Self.panelHeight * Double(panels.count)
        let size = "\(Self.text(Self.width)) \(Self.text(height))"
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" role="img">"#,
            "<title>\(Self.escaped(title)): latency over load</title>", Self.style,
            #"<rect class="ground" width="100%" height="100%"/>"#,
            #"<text class="title" x="16" y="26">\#(Self.escaped(title))</text>"#,
        ]
        for panel in panels { lines += self.lines(of: panel) }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func lines(of panel: Panel) -> [String] {
        var lines = [
            #"<g transform="translate(0 \#(Self.text(panel.top)))">"#,
            Self.label("name", panel.name, 16, -12),
        ]
        lines += grid
        if let bound, bound.isOfMirrors == panel.isOfMirrors {
            let y = latencies.place(of: Double(bound.limit.nanoseconds))
            lines += [
                Self.line("bound", Self.left, y, Self.width - Self.right, y),
                Self.label("boundText", bound.text, Self.left + 6, y - 5),
            ]
        }
        var labels: [(y: Double, text: String, series: Int)] = []
        for (series, quantile) in StepResult.quantiles.dropLast().enumerated() {
            let points = points(of: quantile, in: panel)
            guard let last = points.last else { continue }
            lines += Self.lines(of: points, series: series)
            labels.append((last.y, quantile.name, series))
        }
        for label in Self.apart(labels) {
            let x = Self.width - Self.right + 16
            lines += [
                Self.dot(x, label.y, series: label.series) + "/>",
                Self.label("label", label.text, x + 9, label.y + 4),
            ]
        }
        return lines + ["</g>"]
    }

    private typealias Point = (x: Double, y: Double, text: String)

    private func points(
        of quantile: (name: String, fraction: Double), in panel: Panel
    ) -> [Point] {
        results.compactMap { result in
            let histogram = panel.isOfMirrors ? result.mirrors ?? Histogram() : result.tally.acks
            guard histogram.count > 0 else { return nil }
            let latency = histogram.quantile(quantile.fraction)
            return (
                rates.place(of: result.step.rate), latencies.place(of: Double(latency)),
                "\(quantile.name) at \(result.step.rate.rateText)/s: \(latency.latencyText)"
            )
        }
    }

    private static func lines(of points: [Point], series: Int) -> [String] {
        let path = points.map { "\(text($0.x)),\(text($0.y))" }.joined(separator: " ")
        return [#"<polyline class="line s\#(series)" points="\#(path)"/>"#]
            + points.map { x, y, title in
                dot(x, y, series: series) + "><title>\(title)</title></circle>"
            }
    }

    /// A circle that is still open.
    private static func dot(_ x: Double, _ y: Double, series: Int) -> String {
        #"<circle class="dot s\#(series)" cx="\#(text(x))" cy="\#(text(y))" r="4""#
    }

    private static func line(
        _ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double
    ) -> String {
        #"<line class="\#(style)" x1="\#(text(x1))" y1="\#(text(y1))" "#
            + #"x2="\#(text(x2))" y2="\#(text(y2))"/>"#
    }

    private static func label(
        _ style: String, _ words: String, _ x: Double, _ y: Double, anchor: String = "start"
    ) -> String {
        #"<text class="\#(style)" x="\#(text(x))" y="\#(text(y))" text-anchor="\#(anchor)">"#
            + escaped(words) + "</text>"
    }

    /// Moves labels until each has a line's height for itself: the others away from the lowest, and
    /// all of them back by half of what the highest has moved.
    private static func apart(
        _ labels: [(y: Double, text: String, series: Int)]
    ) -> [(y: Double, text: String, series: Int)] {
        var lowest = Double.infinity
        let stacked = labels.map { label in
            lowest = min(label.y, lowest - 15)
            return lowest
        }
        let back = ((labels.last?.y ?? 0) - (stacked.last ?? 0)) / 2
        return zip(labels, stacked).map { ($1 + back, $0.text, $0.series) }
    }

    private var grid: [String] {
        let (left, right, bottom) = (Self.left, Self.width - Self.right, Self.plotHeight)
        var lines: [String] = []
        for mark in latencies.marks {
            let y = latencies.place(of: mark)
            lines += [
                Self.line("grid", left, y, right, y),
                Self.label("mark", Int64(mark).markText, left - 8, y + 4, anchor: "end"),
            ]
        }
        for mark in rates.marks {
            let x = rates.place(of: mark)
            lines += [
                Self.line("grid", x, 0, x, bottom),
                Self.label("mark", Int(mark).grouped, x, bottom + 18, anchor: "middle"),
            ]
        }
        let middle = (left + right) / 2
        return lines + [
            Self.label("mark", "actions per second", middle, bottom + 38, anchor: "middle")
        ]
    }

    /// A number with one decimal at most.
    private static func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0
            ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // XML 1.0 has no way to write the others.
            case "\u{20}"...: escaped.unicodeScalars.append(scalar)
            default: escaped += " "
            }
        }
        return escaped
    }

    // One hue, as the quantiles have an order: the rarer, the stronger.
    private static let style = """
        <style>
        svg { font: 13px system-ui, sans-serif; color-scheme: light dark; }
        .ground { fill: #ffffff; }
        text { fill: #1f2933; }
        .title { font-weight: 600; font-size: 15px; }
        .name { font-weight: 600; }
        .mark { fill: #52606d; font-size: 12px; }
        .grid { stroke: #e4e7eb; }
        .bound { stroke: #b45309; stroke-width: 1.5; stroke-dasharray: 6 4; }
        .boundText { fill: #b45309; font-size: 12px; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .dot { stroke: #ffffff; stroke-width: 1; }
        .label { font-weight: 600; }
        .line.s0 { stroke: #7cb0e8; } .dot.s0 { fill: #7cb0e8; }
        .line.s1 { stroke: #4c8fd8; } .dot.s1 { fill: #4c8fd8; }
        .line.s2 { stroke: #1d63b0; } .dot.s2 { fill: #1d63b0; }
        .line.s3 { stroke: #0b3a70; } .dot.s3 { fill: #0b3a70; }
        @media (prefers-color-scheme: dark) {
        .ground { fill: #14181d; }
        text { fill: #e4e7eb; }
        .mark { fill: #9aa5b1; }
        .grid { stroke: #2b333c; }
        .bound { stroke: #f0a04b; }
        .boundText { fill: #f0a04b; }
        .dot { stroke: #14181d; }
        .line.s0 { stroke: #2f6299; } .dot.s0 { fill: #2f6299; }
        .line.s1 { stroke: #4c8fd8; } .dot.s1 { fill: #4c8fd8; }
        .line.s2 { stroke: #84b9f0; } .dot.s2 { fill: #84b9f0; }
        .line.s3 { stroke: #cfe4fb; } .dot.s3 { fill: #cfe4fb; }
        }
        </style>
        """
}

/// A logarithmic axis around some values.
private struct Axis {
    private let low: Double
    private let high: Double
    private let start: Double
    private let end: Double

    init(_ values: [Double], from start: Double, to end: Double) {
        let values = values.map { max($0, 1) }
        let least = values.min() ?? 1
        let most = values.max() ?? 10
        // Rounded to marks, and at least two of them.
        low = Self.marks.last { $0 <= least } ?? 1
        let high = Self.marks.first { $0 >= most } ?? 1e13
        self.high = high > low ? high : low * 2
        self.start = start
        self.end = end
    }

    func place(of value: Double) -> Double {
        start + (end - start) * log(value / low) / log(high / low)
    }

    /// Where lines are drawn: 1, 2, 5 and so on, or only powers of ten if those are enough.
    var marks: [Double] {
        let all = Self.marks.filter { $0 >= low && $0 <= high }
        return all.count <= 8 ? all : Self.powers.filter { $0 >= low && $0 <= high }
    }

    private static let powers = (0...13).map { power in
        (0..<power).reduce(1.0) { value, _ in value * 10 }
    }
    private static let marks = powers.flatMap { [$0, 2 * $0, 5 * $0] }
}
