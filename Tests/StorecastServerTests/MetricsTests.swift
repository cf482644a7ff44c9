import CoreMetrics
import Foundation
import StorecastClient
import Synchronization
import TestSupport
import Testing

@testable import StorecastRoom
@testable import StorecastServer

/// What a server tells those who run it: its metrics and its health.
@Suite(.timeLimit(.minutes(10)), .fewAtATime)
struct MetricsTests {
    // MARK: The text

    /// Written by hand after the OpenMetrics specification, version 1.0.0.
    @Test func `each kind of metric has its text`() {
        let metrics = OpenMetrics(help: ["a": "Has a \\ and\na new line."])
        metrics.makeCounter(label: "a", dimensions: []).increment(by: 2)
        metrics.makeCounter(label: "a", dimensions: [("room", "x\"\\\n")]).increment(by: 3)
        metrics.makeFloatingPointCounter(label: "b_total", dimensions: []).increment(by: 0.5)
        let meter = metrics.makeMeter(label: "c.d-e", dimensions: [])
        meter.set(Int64(7))
        meter.increment(by: 1.5)
        meter.decrement(by: 1)
        let recorder = metrics.makeRecorder(label: "f", dimensions: [], aggregate: true)
        recorder.record(Int64(2))
        recorder.record(0.5)
        metrics.makeRecorder(label: "1g", dimensions: [], aggregate: false).record(Double.infinity)
        #expect(
            metrics.text() == """
                # TYPE _1g gauge
                _1g +Inf
                # TYPE a counter
                # HELP a Has a \\\\ and\\na new line.
                a_total 2
                a_total{room="x\\"\\\\\\n"} 3
                # TYPE b counter
                b_total 0.5
                # TYPE c_d_e gauge
                c_d_e 7.5
                # TYPE f summary
                f_count 2
                f_sum 2.5
                # EOF

                """)
    }

    @Test func `a timer counts what took no longer than each bound, in seconds`() {
        let metrics = OpenMetrics()
        let timer = metrics.makeTimer(label: "t", dimensions: [("k", "v")])
        for nanoseconds: Int64 in [100_000, 100_001, 30_000_000, 11_000_000_000] {
            timer.recordNanoseconds(nanoseconds)
        }
        let text = metrics.text()
        for line in [
            "# TYPE t_seconds histogram", #"t_seconds_bucket{k="v",le="0.0001"} 1"#,
            #"t_seconds_bucket{k="v",le="0.00025"} 2"#, #"t_seconds_bucket{k="v",le="0.025"} 2"#,
            #"t_seconds_bucket{k="v",le="0.05"} 3"#, #"t_seconds_bucket{k="v",le="10"} 3"#,
            #"t_seconds_bucket{k="v",le="+Inf"} 4"#, #"t_seconds_count{k="v"} 4"#,
        ] { #expect(text.contains(line + "\n"), "\(line)") }
    }

    @Test func `the same name and labels are one series, until it is destroyed`() {
        let metrics = OpenMetrics()
        let first = metrics.makeCounter(label: "a", dimensions: [])
        let second = metrics.makeCounter(label: "a", dimensions: [])
        first.increment(by: 1)
        second.increment(by: 1)
        // Of another kind: it isn't shown, and does no harm.
        metrics.makeMeter(label: "a", dimensions: []).set(Int64(9))
        #expect(metrics.text() == "# TYPE a counter\na_total 2\n# EOF\n")
        metrics.destroyCounter(second)
        #expect(metrics.text() == "# EOF\n")
    }

    // MARK: A server's

    private func scrape(_ server: SyncServer, _ path: String) async throws -> String {
        let url = try #require(server.operationsURL)
        return try await PlainRequest.answer(
            to: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", at: url)
    }

    /// The lines of a server's metrics once one of them is there.
    private func metrics(_ server: SyncServer, with line: String) async throws -> [Substring] {
        while true {
            let lines = try await scrape(server, "/metrics").split(separator: "\n")
            if lines.contains(where: { $0 == line }) { return lines }
            await Task.yield()
        }
    }

    @Test func `what clients do is counted by type and outcome, and what they make up is one`()
        async throws
    {
        let server = SyncServer(
            port: 0, loops: 2, operations: OperationsAddress(port: 0),
            rooms: { $0 == "/" ? Tallies.room : nil })
        let url = try await server.start()
        let connection = RemoteConnection(url)
        _ = try await connection.dispatch(Add(number: 1)).outcome
        for type in ["Made up", "Made up as well"] {
            _ = try? await connection.dispatch(type: type).outcome
        }
        let lines = try await metrics(
            server,
            with: #"storecast_actions_total{type="unknown",outcome="unknown-action"} 2"#)
        #expect(lines.contains("storecast_connections 1"))
        #expect(lines.contains("storecast_ready 1"))
        #expect(lines.contains(#"storecast_rooms{phase="ready"} 1"#))
        #expect(lines.contains(#"storecast_actions_total{type="Add",outcome="taken"} 1"#))
        connection.close()
        _ = try await metrics(
            server, with: #"storecast_connections_ended_total{code="normal"} 1"#)
        await server.stop()
        #expect(server.operationsURL == nil)
    }

    @Test func `the server's metrics are those of the table, with their labels`() async throws {
        let server = SyncServer(
            port: 0, operations: OperationsAddress(port: 0), rooms: { _ in Tallies.room })
        _ = try await server.start()
        _ = try await server.room("/", of: Tallies.self)
        let lines = try await metrics(server, with: #"storecast_rooms{phase="ready"} 1"#)
        let kinds = Dictionary(
            uniqueKeysWithValues: ServerMetric.allCases.map { ($0.rawValue, $0.kind) })
        for line in lines where line.hasPrefix("# TYPE storecast") {
            let words = line.split(separator: " ")
            let kind = try #require(kinds[String(words[2])], "\(line)")
            #expect("\(kind)" == words[3], "\(line)")
        }
        for metric in ServerMetric.allCases where !metric.help.isEmpty {
            let isThere = lines.contains { $0 == "# HELP \(metric.rawValue) \(metric.help)" }
            let isRare: [ServerMetric] = [
                .ended, .actions, .deferred, .limits, .freeBytes, .natsConnected, .natsReconnects,
                .clusterServers, .pulseAge,
            ]
            #expect(isThere || isRare.contains(metric), "\(metric)")
        }
        await server.stop()
    }

    @Test func `how a cluster is comes from the journal, if that knows of one`() {
        let all = OpenMetrics()
        let metrics = ServerMetrics(all, loops: 1)
        var report = self.report(ready: 1)
        metrics.take(report, of: 0)
        #expect(!all.text().contains("storecast_nats") && !all.text().contains("storecast_cluster"))
        report.link = JournalLink(
            isConnected: true, reconnects: 0,
            cluster: JournalLink.Cluster(servers: 3, pulseAge: .milliseconds(3500)))
        metrics.take(report, of: 0)
        for line in [
            "storecast_nats_connected 1", "storecast_cluster_servers 3",
            "storecast_cluster_pulse_age_seconds 3.5",
        ] { #expect(all.text().contains("\(line)\n"), "\(line)") }
        report.link?.isConnected = false
        metrics.take(report, of: 0)
        #expect(all.text().contains("storecast_nats_connected 0\n"))
        // What it has measured goes with it.
        withExtendedLifetime(metrics) {}
    }

    @Test func `only this machine's names are answered, and only what there is`() async throws {
        let server = SyncServer(
            port: 0, operations: OperationsAddress(port: 0), rooms: { _ in Tallies.room })
        _ = try await server.start()
        let url = try #require(server.operationsURL)
        let foreign = try await PlainRequest.answer(
            to: "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", at: url)
        #expect(foreign.hasPrefix("HTTP/1.1 421 "))
        #expect(try await scrape(server, "/").hasPrefix("HTTP/1.1 404 "))
        #expect(
            try await PlainRequest.answer(to: PlainRequest.upgrade(), at: url)
                .hasPrefix("HTTP/1.1 404 "))
        #expect(try await scrape(server, "/healthz").hasSuffix("\r\n\r\nok\n"))
        await server.stop()
    }

    // MARK: Health

    private func report(
        ready: Int = 0, loading: Int = 0, failed: Int = 0, isRefused: Bool = false
    ) -> LoopReport {
        var report = LoopReport()
        report.gauges.rooms = (ready, loading, failed)
        report.gauges.isRefused = isRefused
        return report
    }

    @Test func `clients are sent to a server that has read a room and whose journal takes actions`()
    {
        let metrics = ServerMetrics(NOOPMetricsHandler.instance, loops: 2)
        #expect(metrics.unreadiness == "The server starts.")
        metrics.take(report(), of: 0)
        #expect(metrics.unreadiness == "The server starts.")
        metrics.take(report(), of: 1)
        #expect(metrics.unreadiness == nil)
        metrics.take(report(loading: 1), of: 1)
        #expect(metrics.unreadiness == "The rooms read their history.")
        metrics.take(report(failed: 1), of: 1)
        #expect(metrics.unreadiness == "The rooms can't be read.")
        // One room of many is no reason to send everybody away.
        metrics.take(report(ready: 1), of: 0)
        #expect(metrics.unreadiness == nil)
        metrics.take(report(ready: 1, isRefused: true), of: 0)
        #expect(metrics.unreadiness == "The journal takes nothing.")
        metrics.take(report(ready: 1), of: 0)
        metrics.stops()
        #expect(metrics.unreadiness == "The server stops.")
        #expect(metrics.illness == nil)
    }

    @Test func `a loop that does nothing is noticed, first by clients`() {
        let metrics = ServerMetrics(NOOPMetricsHandler.instance, loops: 1)
        metrics.take(report(ready: 1), of: 0, at: .now - .seconds(6))
        #expect(metrics.unreadiness == "Loop 0 has done nothing for 6 s.")
        #expect(metrics.illness == nil)
        metrics.take(report(ready: 1), of: 0, at: .now - .seconds(31))
        #expect(metrics.illness == "Loop 0 has done nothing for 31 s.")
    }

    @Test func `a server of a cluster is as well as both of its parts`() {
        let front = ServerMetrics(NOOPMetricsHandler.instance, loops: 1)
        let owner = ServerMetrics(NOOPMetricsHandler.instance, loops: 1)
        front.speaks(for: owner)
        front.take(report(), of: 0)
        #expect(front.unreadiness == "The part with the rooms: The server starts.")
        owner.take(report(isRefused: true), of: 0)
        #expect(front.unreadiness == "The part with the rooms: The journal takes nothing.")
        // Clients would hear the same of the room at any other server.
        owner.take(report(failed: 1), of: 0)
        #expect(front.unreadiness == nil)
        owner.setUnreadiness { "Nothing was heard of NATS for 5 s." }
        #expect(
            front.unreadiness == "The part with the rooms: Nothing was heard of NATS for 5 s.")
        owner.setUnreadiness { nil }
        owner.take(report(), of: 0, at: .now - .seconds(6))
        #expect(
            front.unreadiness == "The part with the rooms: Loop 0 has done nothing for 6 s.")
        #expect(front.illness == nil)
        owner.take(report(), of: 0, at: .now - .seconds(31))
        #expect(front.illness == "The part with the rooms: Loop 0 has done nothing for 31 s.")
        // Its own comes first.
        front.take(report(), of: 0, at: .now - .seconds(32))
        #expect(front.illness == "Loop 0 has done nothing for 32 s.")
        front.stops()
        #expect(front.illness == nil)
    }

    // MARK: The reference

    @Test func `the reference, the dashboard and the alerts know all metrics and no others`() throws
    {
        let docs = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")
        func text(_ name: String) throws -> String {
            try String(contentsOf: docs.appending(path: name), encoding: .utf8)
        }
        let page = try text("Reference.md")
        for metric in ServerMetric.allCases {
            let name = metric.rawValue + (metric.kind == .counter ? "_total" : "")
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            #expect(page.contains("| `\(name)` | \(metric.kind) | \(labels) |"), "\(name)")
        }
        var known: Set<String> = []
        for metric in ServerMetric.allCases {
            switch metric.kind {
            case .counter: known.insert(metric.rawValue + "_total")
            case .gauge: known.insert(metric.rawValue)
            case .histogram: known.formUnion(["_bucket", "_count"].map { metric.rawValue + $0 })
            }
        }
        for file in ["Monitoring/dashboard.json", "Monitoring/alerts.yml"] {
            let names = try text(file).matches(of: /\bstorecast_\w+/).map { String($0.output) }
            #expect(Set(names).subtracting(known) == [], "\(file)")
            #expect(names.count > 5)
        }
        let dashboard = try text("Monitoring/dashboard.json")
        for metric: ServerMetric in [
            .upstreamRooms, .upstreamSilence, .roundTrip, .natsConnected, .natsReconnects,
            .clusterServers, .pulseAge, .takeover, .left, .replaced,
        ] { #expect(dashboard.contains(metric.rawValue), "\(metric)") }
        let rows = page.matches(of: /\| `(storecast_\w+)` \|/).map { String($0.output.1) }
        #expect(rows.count == ServerMetric.allCases.count)
    }
}
