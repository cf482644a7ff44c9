public import CoreMetrics
import Synchronization

/// Metrics of a process as OpenMetrics text, which Prometheus reads.
///
/// ```swift
/// let metrics = OpenMetrics()
/// MetricsSystem.bootstrap(metrics)
/// print(metrics.text())
/// ```
/// Timers are histograms in seconds, recorders that aggregate are summaries, others and meters are
/// gauges. What isn't allowed in a name is `_` in its place.
public final class OpenMetrics: MetricsFactory {
    private let families = Mutex<[String: Family]>([:])
    private let help: [String: String]

    /// - Parameter help: a sentence for each name that has one.
    public init(help: [String: String] = [:]) { self.help = help }

    /// All that was measured until now, with `# EOF` at its end. O(series).
    public func text() -> String {
        let families = families.withLock { $0 }
        var text = ""
        for name in families.keys.sorted() {
            guard let family = families[name] else { continue }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            if let help = help[name] { text += "# HELP \(name) \(Self.escaped(help))\n" }
            for labels in family.series.keys.sorted() {
                family.series[labels]?.write(name, labels, family.kind, to: &text)
            }
        }
        return text + "# EOF\n"
    }

    /// The content type of ``text()``.
    public static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private struct Family {
        let kind: MetricSeries.Kind
        /// By their labels, as they are written.
        var series: [String: MetricSeries] = [:]
    }

    /// The same series for the same name and labels; one of another kind isn't shown.
    private func series(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricSeries.Kind
    ) -> MetricSeries {
        var name = Self.name(label)
        if kind == .counter, name.hasSuffix("_total") { name.removeLast(6) }
        if kind == .histogram, !name.hasSuffix("_seconds") { name += "_seconds" }
        let labels = dimensions.map { "\(Self.name($0))=\"\(Self.escaped($1))\"" }
            .joined(separator: ",")
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            guard family.kind == kind else { return MetricSeries(name, labels, kind) }
            if let known = family.series[labels] { return known }
            let made = MetricSeries(name, labels, kind)
            family.series[labels] = made
            families[name] = family
            return made
        }
    }

    private func remove(_ handler: AnyObject) {
        guard let series = handler as? MetricSeries else { return }
        families.withLock { families in
            guard families[series.name]?.series[series.labels] === series else { return }
            families[series.name]?.series[series.labels] = nil
            if families[series.name]?.series.isEmpty == true { families[series.name] = nil }
        }
    }

    private static func name(_ text: String) -> String {
        var name = ""
        for byte in text.utf8 {
            let isLetter = 0x61...0x7A ~= byte | 0x20 || byte == UInt8(ascii: "_")
            let isDigit = 0x30...0x39 ~= byte
            if isDigit, name.isEmpty { name += "_" }
            name += isLetter || isDigit ? String(UnicodeScalar(byte)) : "_"
        }
        return name.isEmpty ? "_" : name
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

extension OpenMetrics {
    /// A counter, in the text `name_total`.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    /// A counter, in the text `name_total`.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter)
    }

    /// A gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    /// A summary with count and sum if it aggregates, otherwise a gauge.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        series(label, dimensions, aggregate ? .summary : .gauge)
    }

    /// A histogram in seconds, with buckets from 0.1 ms to 10 s.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram)
    }

    /// Leaves it out of the text from now on, as the next four do.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// As ``destroyCounter(_:)``.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        remove(handler)
    }

    /// As ``destroyCounter(_:)``.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// As ``destroyCounter(_:)``.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// As ``destroyCounter(_:)``.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}

/// One name with its labels.
private final class MetricSeries: Sendable {
    enum Kind: String { case counter, gauge, histogram, summary }

    /// The upper ends of a histogram's buckets, in seconds.
    static let bounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10,
    ]

    private struct Value {
        /// The number itself, or the sum of a histogram or summary.
        var number = 0.0
        var count = 0
        /// How many fell into each bucket, those beyond the last left out.
        var buckets: [Int]
    }

    let name: String
    let labels: String
    private let kind: Kind
    private let value: Mutex<Value>

    init(_ name: String, _ labels: String, _ kind: Kind) {
        self.name = name
        self.labels = labels
        self.kind = kind
        let buckets = kind == .histogram ? [Int](repeating: 0, count: Self.bounds.count) : []
        value = Mutex(Value(buckets: buckets))
    }

    private func add(_ number: Double) { value.withLock { $0.number += number } }

    private func note(_ number: Double) {
        let bucket =
            kind == .histogram ? Self.bounds.firstIndex { number <= $0 } : nil
        value.withLock { value in
            switch kind {
            case .gauge: value.number = number
            case .counter: value.number += number
            case .histogram, .summary:
                value.number += number
                value.count += 1
                if let bucket { value.buckets[bucket] += 1 }
            }
        }
    }

    func write(_ name: String, _ labels: String, _ kind: Kind, to text: inout String) {
        let value = value.withLock { $0 }
        let own = labels.isEmpty ? "" : "{\(labels)}"
        switch kind {
        case .gauge: text += "\(name)\(own) \(Self.text(value.number))\n"
        case .counter: text += "\(name)_total\(own) \(Self.text(value.number))\n"
        case .histogram, .summary:
            var below = 0
            for (bound, count) in zip(Self.bounds, value.buckets) {
                below += count
                text += bucket(name, labels, Self.text(bound), below)
            }
            if kind == .histogram { text += bucket(name, labels, "+Inf", value.count) }
            text += "\(name)_count\(own) \(value.count)\n"
            text += "\(name)_sum\(own) \(Self.text(value.number))\n"
        }
    }

    private func bucket(_ name: String, _ labels: String, _ end: String, _ count: Int) -> String {
        "\(name)_bucket{\(labels.isEmpty ? "" : labels + ",")le=\"\(end)\"} \(count)\n"
    }

    private static func text(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}

extension MetricSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
    TimerHandler
{
    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Int64) { note(Double(value)) }
    func set(_ value: Double) { note(value) }
    func record(_ value: Int64) { note(Double(value)) }
    func record(_ value: Double) { note(value) }
    func recordNanoseconds(_ duration: Int64) { note(Double(duration) / 1e9) }
    func reset() { value.withLock { $0.number = 0 } }
}
