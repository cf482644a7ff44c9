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
            shown.map(\.step.rate), from: SVG.left, to: SVG.width - SVG.right)
        let histograms = shown.flatMap { [$0.tally.acks, $0.mirrors ?? $0.tally.acks] }
        let limit = bound.map { Double($0.limit.nanoseconds) }
        latencies = Axis(
            histograms.flatMap { [$0.quantile(0.5), $0.quantile(0.999)] }.map(Double.init)
                + (limit.map { [$0] } ?? []), from: Self.plotHeight, to: 0)
    }

    /// The whole file.
    package var svg: String {
        let height = Self.head + Self.panelHeight * Double(panels.count)
        var lines = SVG.head(title, about: "latency over load", height: height)
        for panel in panels { lines += self.lines(of: panel) }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func lines(of panel: Panel) -> [String] {
        var lines = [
            #"<g transform="translate(0 \#(SVG.text(panel.top)))">"#,
            SVG.label("name", panel.name, 16, -12),
        ]
        lines += grid
        if let bound, bound.isOfMirrors == panel.isOfMirrors {
            let y = latencies.place(of: Double(bound.limit.nanoseconds))
            lines += [
                SVG.line("bound", SVG.left, y, SVG.width - SVG.right, y),
                SVG.label("boundText", bound.text, SVG.left + 6, y - 5),
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
            let x = SVG.width - SVG.right + 16
            lines += [
                SVG.dot(x, label.y, series: label.series) + "/>",
                SVG.label("label", label.text, x + 9, label.y + 4),
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
        [SVG.curve(points.map { ($0.x, $0.y) }, series: series)]
            + points.map { x, y, title in
                SVG.dot(x, y, series: series) + "><title>\(title)</title></circle>"
            }
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
        let (left, right, bottom) = (SVG.left, SVG.width - SVG.right, Self.plotHeight)
        var lines: [String] = []
        for mark in latencies.marks {
            let y = latencies.place(of: mark)
            lines += [
                SVG.line("grid", left, y, right, y),
                SVG.label("mark", Int64(mark).markText, left - 8, y + 4, anchor: "end"),
            ]
        }
        for mark in rates.marks {
            let x = rates.place(of: mark)
            lines += [
                SVG.line("grid", x, 0, x, bottom),
                SVG.label("mark", Int(mark).grouped, x, bottom + 18, anchor: "middle"),
            ]
        }
        let middle = (left + right) / 2
        return lines + [
            SVG.label("mark", "actions per second", middle, bottom + 38, anchor: "middle")
        ]
    }
}
