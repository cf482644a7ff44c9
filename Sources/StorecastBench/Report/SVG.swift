import Foundation

/// What the pictures of a bench are drawn with: parts of SVG files. They follow the reader's light
/// or dark scheme, and their text is text.
enum SVG {
    static let width = 760.0
    static let left = 68.0
    static let right = 88.0

    /// The beginning of a file, up to its first panel.
    static func head(_ title: String, about: String, height: Double) -> [String] {
        let size = "\(text(width)) \(text(height))"
        return [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" role="img">"#,
            "<title>\(escaped(title)): \(about)</title>", style,
            #"<rect class="ground" width="100%" height="100%"/>"#,
            #"<text class="title" x="16" y="26">\#(escaped(title))</text>"#,
        ]
    }

    static func curve(_ points: [(x: Double, y: Double)], series: Int) -> String {
        let path = points.map { "\(text($0.x)),\(text($0.y))" }.joined(separator: " ")
        return #"<polyline class="line s\#(series)" points="\#(path)"/>"#
    }

    /// A circle that is still open.
    static func dot(_ x: Double, _ y: Double, series: Int) -> String {
        #"<circle class="dot s\#(series)" cx="\#(text(x))" cy="\#(text(y))" r="4""#
    }

    static func line(
        _ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double
    ) -> String {
        #"<line class="\#(style)" x1="\#(text(x1))" y1="\#(text(y1))" "#
            + #"x2="\#(text(x2))" y2="\#(text(y2))"/>"#
    }

    static func label(
        _ style: String, _ words: String, _ x: Double, _ y: Double, anchor: String = "start"
    ) -> String {
        #"<text class="\#(style)" x="\#(text(x))" y="\#(text(y))" text-anchor="\#(anchor)">"#
            + escaped(words) + "</text>"
    }

    /// A number with one decimal at most.
    static func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0
            ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    static func escaped(_ text: String) -> String {
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
    static let style = """
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
struct Axis {
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
