import CoreMetrics
import Foundation
import Glibc
import StorecastClient
import Synchronization
import TestSupport
import Testing

@testable import StorecastRoom
@testable import StorecastServer
@testable import StorecastWebSocket

/// What a server tells those who run it: its metrics and its health.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct MetricsTests {
    @Test func `the limit of descriptors is the one that is in force`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            getrlimit(descriptors, &limit)
            limit.rlim_cur = 200
            #expect(limit.rlim_max > 200 && setrlimit(descriptors, &limit) == 0)
            #expect(ProcessDescriptors.limit == 200)
        }
    }

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

    @Test func `numbers that are none, names that are empty and endings that are there`() {
        let metrics = OpenMetrics()
        metrics.makeMeter(label: "a", dimensions: []).set(Double.nan)
        metrics.makeMeter(label: "b", dimensions: []).set(-Double.infinity)
        metrics.makeMeter(label: "", dimensions: [("0 é", "")]).set(0.25)
        let timer = metrics.makeTimer(label: "c_seconds", dimensions: [])
        timer.recordNanoseconds(2_500_000_000)
        timer.recordNanoseconds(500_000_000)
        let counter = metrics.makeCounter(label: "d_total", dimensions: [])
        counter.increment(by: 7)
        counter.reset()
        let recorder = metrics.makeRecorder(label: "e", dimensions: [], aggregate: true)
        recorder.record(Int64(-3))
        let text = metrics.text()
        for line in [
            #"_{_0___=""} 0.25"#, "a NaN", "b -Inf", "# TYPE c_seconds histogram",
            #"c_seconds_bucket{le="0.25"} 0"#, #"c_seconds_bucket{le="0.5"} 1"#,
            #"c_seconds_bucket{le="2.5"} 2"#, "c_seconds_count 2", "c_seconds_sum 3",
            "# TYPE d counter", "d_total 0", "# TYPE e summary", "e_count 1", "e_sum -3",
        ] { #expect(("\n" + text).contains("\n\(line)\n"), "\(line)") }
        #expect(!text.contains("e_bucket"))
    }

    @Test func `whatever is destroyed is gone, and nothing else of its name`() {
        let metrics = OpenMetrics()
        func make(_ label: String) -> [() -> Void] {
            let counter = metrics.makeCounter(label: "a", dimensions: [("k", label)])
            let floating = metrics.makeFloatingPointCounter(
                label: "b", dimensions: [("k", label)])
            let meter = metrics.makeMeter(label: "c", dimensions: [("k", label)])
            let recorder = metrics.makeRecorder(
                label: "d", dimensions: [("k", label)], aggregate: false)
            let timer = metrics.makeTimer(label: "e", dimensions: [("k", label)])
            return [
                { metrics.destroyCounter(counter) },
                { metrics.destroyFloatingPointCounter(floating) },
                { metrics.destroyMeter(meter) }, { metrics.destroyRecorder(recorder) },
                { metrics.destroyTimer(timer) },
            ]
        }
        let (first, second) = (make("1"), make("2"))
        for (place, name) in ["a_total", "b_total", "c", "d", "e_seconds_count"].enumerated() {
            let line = #"\#(name){k="1"} 0"#
            #expect(metrics.text().contains("\(line)\n"))
            first[place]()
            #expect(!metrics.text().contains("\(line)\n"))
            #expect(metrics.text().contains(#"\#(name){k="2"} 0"#))
            // What has gone already can't take away what came since.
            _ = make("1")
            first[place]()
            #expect(metrics.text().contains("\(line)\n"))
            second[place]()
        }
        #expect(!metrics.text().contains(#"k="2""#))
    }

    @Test func `the metrics of a part are told apart by a label, and are gone with it`() {
        let all = OpenMetrics()
        let part = PartMetrics(all, "owner")
        let handlers = (
            part.makeCounter(label: "a", dimensions: []),
            part.makeFloatingPointCounter(label: "b", dimensions: [("k", "v")]),
            part.makeMeter(label: "c", dimensions: []),
            part.makeRecorder(label: "d", dimensions: [], aggregate: true),
            part.makeTimer(label: "e", dimensions: [])
        )
        handlers.3.record(2.0)
        let text = all.text()
        for line in [
            #"a_total{part="owner"} 0"#, #"b_total{k="v",part="owner"} 0"#,
            #"c{part="owner"} 0"#, #"d_count{part="owner"} 1"#, #"e_seconds_count{part="owner"} 0"#,
        ] { #expect(text.contains("\(line)\n"), "\(line)") }
        part.destroyCounter(handlers.0)
        part.destroyFloatingPointCounter(handlers.1)
        part.destroyMeter(handlers.2)
        part.destroyRecorder(handlers.3)
        part.destroyTimer(handlers.4)
        #expect(all.text() == "# EOF\n")
    }

    // MARK: What loops report

    @Test func `what loops count adds up, each time what is new`() {
        let all = OpenMetrics()
        let metrics = ServerMetrics(all, loops: 2)
        var report = LoopReport()
        report.counts[MetricKey(metric: .messagesIn)] = 5
        report.counts[MetricKey(metric: .ended, labels: ["normal"])] = 1
        metrics.take(report, of: 0)
        metrics.take(report, of: 1)
        report.counts[MetricKey(metric: .messagesIn)] = 7
        report.counts[MetricKey(metric: .ended, labels: ["lost"])] = 2
        metrics.take(report, of: 0)
        metrics.take(report, of: 0)
        let text = all.text()
        #expect(text.contains("storecast_messages_received_total 12\n"))
        #expect(text.contains("storecast_connections_ended_total{code=\"normal\"} 2\n"))
        #expect(text.contains("storecast_connections_ended_total{code=\"lost\"} 2\n"))
        withExtendedLifetime(metrics) {}
    }

    @Test func `what loops have is summed up, or is that of the worst of them`() {
        let all = OpenMetrics()
        let metrics = ServerMetrics(all, loops: 2)
        var reports = [LoopReport(), LoopReport()]
        for place in 0...1 {
            var gauges = LoopGauges()
            gauges.connections = 1 + place
            gauges.rooms = (3 + place, 5 + place, 7 + place)
            gauges.groups = 11 + place
            gauges.waitingActions = 13 + place
            gauges.waitingMessages = 17 + place
            gauges.outgoing.connections = 19 + place
            gauges.outgoing.bytes = 23 + place
            gauges.upstream = (29 + place, 31 + place)
            gauges.snapshotAge = .milliseconds(1500 + 2000 * place)
            gauges.upstreamSilence = .milliseconds(2500 - 1000 * place)
            reports[place].gauges = gauges
            reports[place].freeBytes = 100 - place
        }
        metrics.take(reports[1], of: 1)
        // Only the first loop has them told.
        #expect(!all.text().contains("storecast_connections"))
        metrics.take(reports[0], of: 0)
        let text = all.text()
        for line in [
            "connections 3", "connections_behind 39", #"rooms{phase="ready"} 7"#,
            #"rooms{phase="loading"} 11"#, #"rooms{phase="failed"} 15"#, "groups 23",
            #"waiting_bytes{for="journal"} 27"#, #"waiting_bytes{for="reading"} 35"#,
            #"waiting_bytes{for="sending"} 47"#, #"upstream_rooms{state="live"} 59"#,
            #"upstream_rooms{state="waiting"} 63"#, "snapshot_age_seconds 3",
            "upstream_silence_seconds 2.5", "journal_free_bytes 99", "ready 1",
            "info{version=\"\(Software.version)\"} 1",
        ] { #expect(text.contains("storecast_\(line)\n"), "\(line)") }
        reports[0].gauges.isRefused = true
        metrics.take(reports[0], of: 0)
        #expect(all.text().contains("storecast_ready 0\n"))
        withExtendedLifetime(metrics) {}
    }

    @Test func `each time that something took is in the histogram that is for it`() {
        let all = OpenMetrics()
        let metrics = ServerMetrics(all, loops: 1)
        for (measure, name, seconds) in [
            (.turn, "turn", 2), (.append, "journal_append", 3), (.takeover, "takeover", 4),
            (.roundTrip, "upstream_round_trip", 5),
        ] as [(LoopMeasure, String, Int)] {
            #expect(all.text().contains("storecast_\(name)_seconds_count 0\n"))
            metrics.took(.seconds(seconds) + .milliseconds(500), measure)
            let text = all.text()
            #expect(text.contains("storecast_\(name)_seconds_count 1\n"))
            #expect(text.contains("storecast_\(name)_seconds_sum \(seconds).5\n"))
        }
        withExtendedLifetime(metrics) {}
    }

    @Test func `a server's metrics are gone with it`() {
        let all = OpenMetrics()
        var metrics: ServerMetrics? = ServerMetrics(all, loops: 1)
        var report = LoopReport()
        report.counts[MetricKey(metric: .entries)] = 1
        metrics?.take(report, of: 0)
        metrics?.noteDescriptors()
        #expect(all.text().contains("storecast_journal_entries_total 1\n"))
        metrics = nil
        #expect(all.text() == "# EOF\n")
    }

    @Test func `what goes through connections and to the journal is counted, message by message`()
        async throws
    {
        let server = SyncServer(port: 0, journal: FickleJournal().provider(), room: Tallies.room)
        let connection = RemoteConnection(try await server.start())
        for _ in 1...3 { _ = try await connection.dispatch(Add(number: 1)).outcome }
        connection.close()
        let home = try #require(server.home(of: "/"))
        #expect(await eventually { await home.counts[.ended] == 1 })
        let counts = await home.counts
        // hello, which may have the first action with it; welcome and the outcomes.
        #expect((3...5).contains(counts[.messagesIn] ?? 0))
        #expect((3...5).contains(counts[.messagesOut] ?? 0))
        #expect((200..<2000).contains(counts[.bytesIn] ?? 0))
        #expect((200..<2000).contains(counts[.bytesOut] ?? 0))
        #expect(counts[.entries] == 3 && counts[.actions] == 3)
        #expect(counts[.appendFailures] == 0 && counts[.replaced] == 0 && counts[.left] == 0)
        await server.stop()
    }

    /// Those that another loop holds count at the room's.
    @Test(arguments: [1, 3])
    func `each connection counts for itself and for the metrics, whichever loop holds it`(
        loops: Int
    ) async throws {
        let server = SyncServer(port: 0, loops: loops, rooms: { _ in Tallies.room })
        let url = try await server.start()
        var connections: [RemoteConnection] = []
        for _ in 0..<12 {
            let connection = RemoteConnection(url)
            _ = try await connection.dispatch(Add(number: 1)).outcome
            connections.append(connection)
        }
        let home = try #require(server.home(of: "/"))
        let (each, sum) = await home.traffic
        #expect(each.count == connections.count)
        for (metric, least) in [
            (.messagesIn, 1), (.bytesIn, 100), (.messagesOut, 1), (.bytesOut, 100),
        ] as [(ServerMetric, Int)] {
            let own = each.map { $0[metric] ?? 0 }
            #expect(own.allSatisfy { $0 >= least }, "\(metric): \(own)")
            #expect(sum[metric] == own.reduce(0, +), "\(metric)")
        }
        for connection in connections { connection.close() }
        await server.stop()
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

    @Test func `metrics are of their own type, not to be kept, and with the process's files`()
        async throws
    {
        let server = SyncServer(
            port: 0, operations: OperationsAddress(port: 0), rooms: { _ in Tallies.room })
        _ = try await server.start()
        let answer = try await scrape(server, "/metrics")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("\r\nCache-Control: no-store\r\n"))
        #expect(answer.contains("\r\nContent-Type: \(OpenMetrics.contentType)\r\n"))
        let open = answer.firstMatch(of: /\nstorecast_open_descriptors (\d+)\n/)?.1
        let most = answer.firstMatch(of: /\nstorecast_open_descriptors_limit (\d+)\n/)?.1
        #expect((Int(open ?? "") ?? 0) > 3 && (Int(most ?? "") ?? 0) > 3)
        #expect(answer.hasSuffix("\n# EOF\n"))
        await server.stop()
    }

    private func request(_ path: String) -> UpgradeRequest {
        UpgradeRequest(
            path: path, query: "", headers: [:], subprotocols: [], peerAddress: "",
            isEncrypted: false, method: "GET")
    }

    @Test func `a problem is told with the status 503, and nobody keeps the answer`() throws {
        let metrics = ServerMetrics(NOOPMetricsHandler.instance, loops: 1)
        func answer(_ path: String) throws -> String {
            let answer = try #require(metrics.answer(to: request(path)))
            #expect(answer.headers.map { "\($0.name): \($0.value)" } == ["Cache-Control: no-store"])
            return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        }
        #expect(try answer("/readyz") == "503 The server starts.\n")
        #expect(try answer("/healthz") == "200 ok\n")
        metrics.take(report(), of: 0)
        #expect(try answer("/readyz") == "200 ok\n")
        metrics.take(report(), of: 0, at: .now - .seconds(40))
        #expect(try answer("/healthz").hasPrefix("503 Loop 0 has done nothing for 40 s."))
        for path in ["/", "/healthz/", "/metrics", "/readyz/x"] {
            #expect(metrics.answer(to: request(path)) == nil)
        }
    }

    @Test func `health is told on the server's own port too, by whatever name it is asked`()
        async throws
    {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room })
        let url = try await server.start()
        for path in ["/healthz", "/readyz"] {
            let answer = try await PlainRequest.answer(
                to: "GET \(path) HTTP/1.1\r\nHost: balancer.example\r\n\r\n", at: url)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\nok\n"))
        }
        await server.stop()
    }

    // MARK: Health

    @Test func `a server that hears of a problem of others' isn't ready, and is well`() {
        let metrics = ServerMetrics(NOOPMetricsHandler.instance, loops: 1)
        metrics.take(report(ready: 1), of: 0)
        metrics.setUnreadiness { "Elsewhere." }
        #expect(metrics.unreadiness == "Elsewhere." && metrics.illness == nil)
        // What it knows itself goes before that.
        metrics.take(report(ready: 1, isRefused: true), of: 0)
        #expect(metrics.unreadiness == "The journal isn't accepting writes.")
    }

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
        #expect(metrics.unreadiness == "The rooms are still reading their history.")
        metrics.take(report(failed: 1), of: 1)
        #expect(metrics.unreadiness == "The rooms can't be read.")
        // One room of many is no reason to send everybody away.
        metrics.take(report(ready: 1), of: 0)
        #expect(metrics.unreadiness == nil)
        metrics.take(report(ready: 1, isRefused: true), of: 0)
        #expect(metrics.unreadiness == "The journal isn't accepting writes.")
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
        #expect(front.unreadiness == "The part with the rooms: The journal isn't accepting writes.")
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

    @Test func `the memory of the process and its files are those that the system tells`() {
        #expect(ProcessMemory.used > 1 << 20 && ProcessMemory.used < 1 << 36)
        #expect(ProcessMemory.mark > 1 << 26 && ProcessMemory.mark % 3 == 0)
        let before = ProcessDescriptors.open
        #expect(before > 0 && before <= ProcessDescriptors.limit)
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

extension ServerLoop {
    /// What the loop has counted, whatever the labels.
    fileprivate var counts: [ServerMetric: Int] {
        var counts: [ServerMetric: Int] = [:]
        for (key, count) in core?.report().counts ?? [:] { counts[key.metric, default: 0] += count }
        return counts
    }

    /// What went through each connection to its rooms, and what it has counted of all.
    fileprivate var traffic: (each: [[ServerMetric: Int]], sum: [ServerMetric: Int]) {
        let each = (core?.links ?? [:]).values.map { link -> [ServerMetric: Int] in
            let record = link.record
            return [
                .messagesIn: record.messagesIn, .bytesIn: record.bytesIn,
                .messagesOut: record.messagesOut, .bytesOut: record.bytesOut,
            ]
        }
        return (each, counts)
    }
}
