import Foundation
import FoundationXML
import StorecastWire
import Testing

@testable import StorecastBench

struct ReportTests {
    static func result(
        _ rate: Double, acks: [Int64] = [200_000, 300_000, 1_234_567], mirrors: [Int64]? = nil
    ) -> StepResult {
        var tally = Tally()
        for latency in acks { tally.acks.record(latency) }
        tally.sent = acks.count
        tally.ackedInTime = acks.count
        tally.bytesSent = 1_234_567
        let histogram = mirrors.map { mirrors in
            var histogram = Histogram()
            for latency in mirrors { histogram.record(latency) }
            return histogram
        }
        return StepResult(
            step: .init(rate: rate, warmUp: .zero, duration: .seconds(1)), seconds: 1,
            tally: tally, mirrors: histogram, unseen: 0)
    }

    @Test(
        arguments: [
            (0, "0 µs"), (1, "0.00 µs"), (900, "0.90 µs"), (9_994, "9.99 µs"), (9_995, "10.0 µs"),
            (214_300, "214 µs"), (999_499, "999 µs"), (999_500, "1.00 ms"), (12_345_678, "12.3 ms"),
            (5_000_000_000, "5.00 s"), (4_398_046_511_103, "4398 s"),
        ] as [(Int64, String)])
    func `latencies have three digits`(nanoseconds: Int64, text: String) {
        #expect(nanoseconds.latencyText == text)
    }

    @Test(arguments: [(0.5, "0.50"), (99.9, "99.9"), (99.96, "100"), (1_234_567.4, "1,234,567")])
    func `rates are whole from a hundred on`(rate: Double, text: String) {
        #expect(rate.rateText == text)
    }

    @Test func `a row has what was asked, what came, and the quantiles`() {
        let lines = BenchTable.lines(Self.result(1_000, mirrors: [400_000]), isHeld: false)
        #expect(
            lines[0].split(separator: " ", omittingEmptySubsequences: true).map(String.init)
                == ["1,000", "3.00", "dispatch", "to", "ack", "300", "µs", "1.23", "ms", "1.23"]
                + ["ms", "1.23", "ms", "1.23", "ms", "doesn't", "hold"])
        #expect(lines[1].hasPrefix("                      dispatch to last mirror   400 µs"))
        #expect(lines[2] == "           1.23 MB sent, 0 B received")
        #expect(lines.count == 3)
        #expect(BenchTable.head.count == lines[1].count)
    }

    @Test func `what went wrong is said beside the figures, once and with its number`() {
        var result = Self.result(1_000, acks: [])
        result.tally.refuse("conflict", "It doesn't fit.", count: 1_200)
        result.tally.refuse("conflict", "Nor does this.")
        result.tally.lose("The server stops.")
        result.tally.unsent = 5
        result.tally.unanswered = 6
        result.unseen = 7
        let text = BenchTable.lines(result).joined(separator: "\n")
        #expect(text.contains("  -"))
        for part in [
            "1,201 refused (conflict): It doesn't fit.", "1 connections lost: The server stops.",
            "5 not sent in time", "6 without an answer", "7 changed nothing",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("Nor does this."))
    }

    @Test func `the tool says if it was too late itself`() {
        var result = Self.result(1)
        #expect(!result.isToolLate)
        result.tally.lateness.record(1_100_000)
        #expect(result.isToolLate)
        result.tally.acks.record(50_000_000)
        #expect(!result.isToolLate)
    }

    @Test func `programs get microseconds`() {
        let json = Self.result(1_000, mirrors: [400_000]).json
        #expect(json["rate"]?.double == 1_000)
        #expect(json["ack"]?["count"]?.int == 3)
        #expect(json["ack"]?["p50"]?.double.map { abs($0 - 300) < 0.3 } == true)
        #expect(json["ack"]?["max"]?.double == 1_234.567)
        #expect(json["mirror"]?["p50"]?.double == 400)
        #expect(json["bytesSent"]?.int == 1_234_567)
        #expect(Self.result(1).json["mirror"] == nil)
    }
}

/// The elements of a picture by their names, as an XML parser reads them.
final class SVGElements: NSObject, XMLParserDelegate {
    var all: [(name: String, attributes: [String: String])] = []
    var text = ""

    init(_ svg: String) throws {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        try #require(parser.parse(), "It isn't XML.")
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        all.append((name, attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { self.text += text + "|" }

    func named(_ name: String, _ style: String) -> [[String: String]] {
        all.filter { $0.name == name && $0.attributes["class"]?.hasPrefix(style) == true }
            .map(\.attributes)
    }
}

struct LatencyChartTests {
    private let results = [100.0, 1_000, 10_000].map { rate in
        ReportTests.result(rate, acks: (1...1_000).map { Int64(Double($0) * rate * 10) })
    }

    @Test func `it has a line for each quantile, with a point for each rate`() throws {
        let svg = LatencyChart(title: "increment", results: results).svg
        let elements = try SVGElements(svg)
        #expect(elements.named("polyline", "line").count == 4)
        #expect(elements.named("circle", "dot").count == 12 + 4, "four at the labels")
        #expect(elements.text.contains("p99.9 at 1,000/s: 9.99 ms"))
        for text in ["p50", "p99.9", "100", "10,000", "dispatch to ack", "actions per second"] {
            #expect(elements.text.contains("|\(text)|"), "\(text)")
        }
        #expect(!elements.text.contains("last mirror"))
        // On logarithmic axes these points are as far apart in both directions.
        let line = try #require(elements.named("polyline", "line s0").first?["points"])
        let points = line.split(separator: " ").map { point in
            point.split(separator: ",").compactMap { Double($0) }
        }
        try #require(points.count == 3)
        #expect(abs((points[2][0] - points[1][0]) - (points[1][0] - points[0][0])) <= 0.2)
        #expect(abs((points[2][1] - points[1][1]) - (points[1][1] - points[0][1])) <= 0.2)
        #expect(points[2][1] < points[0][1])
    }

    @Test func `mirrors have a panel of their own, and the bound a line in its panel`() throws {
        var results = results
        for index in results.indices { results[index].mirrors = results[index].tally.acks }
        let bound = try #require(LatencyBound("mirror-p99=20ms"))
        let elements = try SVGElements(LatencyChart(title: "", results: results, bound: bound).svg)
        #expect(elements.named("polyline", "line").count == 8)
        #expect(elements.named("line", "bound").count == 1)
        #expect(elements.text.contains("dispatch to last mirror|"))
        #expect(elements.text.contains("|mirror-p99=20ms|"))
    }

    @Test func `labels at the lines' ends don't lie on one another`() throws {
        let same = [100.0, 1_000].map { ReportTests.result($0, acks: [1_000_000]) }
        let elements = try SVGElements(LatencyChart(title: "", results: same).svg)
        let places = elements.named("text", "label").compactMap { $0["y"].flatMap(Double.init) }
        #expect(places.count == 4)
        for (upper, lower) in zip(places.dropFirst(), places) { #expect(lower - upper >= 15) }
    }

    @Test(arguments: [[], [100.0]])
    func `little or nothing measured is a picture too`(rates: [Double]) throws {
        let svg = LatencyChart(title: "<&>\u{7}", results: rates.map { ReportTests.result($0) }).svg
        #expect(try SVGElements(svg).text.contains("<|&|>"))
        #expect(!svg.contains("nan"))
        #expect(!svg.contains("inf"))
    }
}
