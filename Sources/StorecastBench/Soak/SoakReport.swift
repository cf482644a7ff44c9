package import StorecastWire

extension SoakSample {
    /// The names of the columns of ``row``.
    package static let head = [
        "time", "restarts", "clients", "acked", "memory", "descriptors", "files", "processor",
        "ack p50", "ack p99",
    ].map { $0.right(width) }.joined()
    private static let width = 12

    /// What a person sees of it, in columns.
    package var row: String {
        [
            SoakChart.time(seconds), "\(restarts)", "\(clients)", acked.grouped, memory?.bytesText,
            descriptors.map { "\($0)" }, files?.bytesText,
            processor.map { "\(($0 * 100).digits(3)) %" }, p50?.latencyText, p99?.latencyText,
        ].map { ($0 ?? "-").right(Self.width) }.joined()
    }

    /// The names of a table's columns, for programs.
    package static let csvHead =
        "seconds,restarts,clients,acked,memory_bytes,descriptors,file_bytes,processor_percent,"
        + "ack_p50_us,ack_p99_us"

    /// A row of the table; empty where nothing is known.
    package var csv: String {
        func text(_ number: Int?) -> String { number.map(String.init) ?? "" }
        func microseconds(_ time: Int64?) -> String { time.map { "\(Double($0) / 1000)" } ?? "" }
        let percent = processor.map { "\(($0 * 1000).rounded() / 10)" } ?? ""
        return [
            "\((seconds * 10).rounded() / 10)", "\(restarts)", "\(clients)", "\(acked)",
            text(memory), text(descriptors), text(files), percent, microseconds(p50),
            microseconds(p99),
        ].joined(separator: ",")
    }
}

extension SoakResult {
    /// The names of what grows.
    package var growing: [String] {
        trends.filter { $0.measure.isGrowing($0.trend) }.map(\.measure.name)
    }

    /// Whether nothing grows, and nothing happened that must not.
    package var isGood: Bool { growing.isEmpty && troubles.isEmpty }

    /// What is said to a person at the end.
    package var lines: [String] {
        var lines = [
            "\(acked.grouped) actions acked, \(clients.grouped) clients on "
                + "\(connections.grouped) connections, \(restarts.grouped) restarts"
        ]
        let trends = trends
        for (measure, trend) in trends {
            let change = measure.text(abs(trend.increase))
            let way = trend.increase < 0 ? "-" : "+"
            let verdict = measure.isGrowing(trend) ? "grows" : "doesn't grow"
            lines.append(
                "\(measure.name): \(verdict): \(measure.text(trend.median)), \(way)\(change) in "
                    + "\(SoakChart.time(trend.span)); \(measure.text(measure.bound(trend))) is the bound"
            )
        }
        if trends.isEmpty { lines.append("It was too short to say whether something grows.") }
        lines += troubles
        if !trends.isEmpty, growing.isEmpty {
            lines.append("Nothing grows" + (troubles.isEmpty ? ", and nothing was lost." : "."))
        }
        return lines
    }

    /// Everything but the samples, for programs.
    package var json: JSON {
        let judged: [JSON] = trends.map { measure, trend in
            [
                "measure": .string(measure.name), "median": .double(trend.median),
                "increase": .double(trend.increase), "bound": .double(measure.bound(trend)),
                "seconds": .double(trend.span), "grows": .bool(measure.isGrowing(trend)),
            ]
        }
        return [
            "acked": .int(Int64(acked)), "clients": .int(Int64(clients)),
            "connections": .int(Int64(connections)), "restarts": .int(Int64(restarts)),
            "trends": .array(judged), "troubles": .array(troubles.map { .string($0) }),
        ]
    }
}

/// A picture (SVG) of what a soak watched, over time: a panel for each measure, and a line for each
/// restart.
package struct SoakChart {
    private let title: String
    private let result: SoakResult

    private static let top = 66.0
    private static let plotHeight = 110.0
    private static let panelHeight = 168.0

    package init(title: String, result: SoakResult) {
        self.title = title
        self.result = result
    }

    private var width: Double { SVG.width - SVG.left - SVG.right }

    private var length: Double { max(result.samples.last?.seconds ?? 0, 1) }

    private func x(_ seconds: Double) -> Double { SVG.left + width * seconds / length }

    /// The whole file.
    package var svg: String {
        let measures = SoakMeasure.all.filter { measure in
            result.samples.contains { measure.value($0) != nil }
        }
        let height = Self.top + Self.panelHeight * Double(measures.count) + 8
        var lines = SVG.head(title, about: "what it took, over time", height: height)
        for (index, measure) in measures.enumerated() {
            let top = Self.top + Self.panelHeight * Double(index)
            lines.append(#"<g transform="translate(0 \#(SVG.text(top)))">"#)
            lines += panel(measure) + ["</g>"]
        }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func panel(_ measure: SoakMeasure) -> [String] {
        let points = result.samples.compactMap { sample in
            measure.value(sample).map { (seconds: sample.seconds, value: $0) }
        }
        let most = Self.round(points.map(\.value).max() ?? 1)
        let (left, right, bottom) = (SVG.left, SVG.width - SVG.right, Self.plotHeight)
        func y(_ value: Double) -> Double { bottom * (1 - value / most) }
        var name = measure.name
        if let trend = result.trends.first(where: { $0.measure.name == name })?.trend {
            name += measure.isGrowing(trend) ? ": grows" : ": doesn't grow"
        }
        var lines = [SVG.label("name", name, 16, -12)]
        for mark in [0, most / 2, most] {
            lines += [
                SVG.line("grid", left, y(mark), right, y(mark)),
                SVG.label("mark", measure.text(mark), left - 8, y(mark) + 4, anchor: "end"),
            ]
        }
        for fraction in [0, 0.25, 0.5, 0.75, 1] {
            let time = Self.time(length * fraction)
            lines.append(
                SVG.label("mark", time, x(length * fraction), bottom + 18, anchor: "middle"))
        }
        var restarts = 0
        for sample in result.samples where sample.restarts > restarts {
            restarts = sample.restarts
            lines.append(SVG.line("bound", x(sample.seconds), 0, x(sample.seconds), bottom))
        }
        lines.append(SVG.curve(points.map { (x($0.seconds), y($0.value)) }, series: 2))
        return lines
    }

    /// The next round number: 1, 2 or 5 times a power of ten.
    private static func round(_ value: Double) -> Double {
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value } ?? value
    }

    static func time(_ seconds: Double) -> String {
        seconds < 600
            ? "\(Int(seconds.rounded())) s"
            : "\(Int(seconds / 3600)):" + "0\(Int(seconds / 60) % 60)".suffix(2) + " h"
    }
}
