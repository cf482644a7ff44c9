import ArgumentParser
import Foundation
import StorecastBench
import StorecastClient
import StorecastTools
import StorecastWebSocket

/// `storecast bench`
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Put a load on a server, and measure how soon it answers.",
        discussion: """
            Dispatches an action at a fixed rate from several connections, and prints how long it \
            took until the ack, and until the last of the mirrors had the change. Times count from \
            the moment at which an action was due, so that those count that had to wait because \
            the server stalled.

              storecast bench localhost:9091 --action increment \\
                --payload '{"path":"/n"}'
              storecast bench localhost:9091 --action set \\
                --payload '{"path":"/rows/{c}","value":{n}}' --connections 100 \\
                --rate 1000 --rate 10000 --mirrors 50 \\
                --subscribe 'value={"path":"/rows"}' --svg latency.svg
              storecast bench localhost:9091 --action increment \\
                --payload '{"path":"/n"}' --find p99=20ms

            In a payload, a token and a name {n} stands for the action's number and {c} for the \
            connection's, both from 0. Every action is really dispatched, and a journal keeps it: \
            use a server of its own for this, and a machine of its own for the load.

            With --soak it starts a server of its own, and has clients come and go, others that \
            don't read, and the server killed and started again in the first third of the time. \
            It watches the server's memory, descriptors, files and latency, says which of them \
            grow in the second half, and whether everything that was acked is there:

              storecast bench --soak 2h --csv soak.csv --svg soak.svg

            Ctrl-C ends it with the results so far.

            Exit status: 0 if something was measured; 1 if the bound of --find holds at no rate, \
            every action was rejected, or in a soak something grows or was lost; 2 if the server \
            can't be reached, refuses a selection or ends a connection; 64 if the command makes no \
            sense.
            """)

    @Argument(
        help: ArgumentHelp(
            "Where the server is: ws://HOST:PORT/ROOM; ws:// may be left out. Only --soak does "
                + "without, with a server of its own."))
    var url: String?

    @Option(help: ArgumentHelp("The type of the actions to dispatch.", valueName: "type"))
    var action: String?

    @Option(
        help: ArgumentHelp("Their payload, a JSON object; without it, none.", valueName: "json"))
    var payload: String?

    @Option(
        help: ArgumentHelp(
            "How many actions a second to dispatch, from all connections together (default: 100). "
                + "Given several times, one rate after the other is measured; with --find, where "
                + "to begin.", valueName: "per second"))
    var rate: [Double] = []

    @Option(help: ArgumentHelp("How many connections dispatch.", valueName: "n"))
    var connections = 10

    @Option(
        help: ArgumentHelp("How many connections more only follow --subscribe.", valueName: "n"))
    var mirrors = 0

    @Option(help: ArgumentHelp("How many threads the connections are spread over.", valueName: "n"))
    var threads = 1

    @Option(
        help: ArgumentHelp(
            "A selection to which every connection subscribes, with its parameters as JSON or as "
                + "a word; several times for several.", valueName: "selection[=parameters]"))
    var subscribe: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long actions are measured at each rate: 30s, 500ms, 2m (default: 10s).",
            valueName: "time"),
        transform: Self.time)
    var duration = Duration.seconds(10)

    @Option(
        help: ArgumentHelp(
            "How long actions are dispatched before that (default: 2s).", valueName: "time"),
        transform: Self.time)
    var warmUp = Duration.seconds(2)

    @Option(
        help: ArgumentHelp(
            "Find the highest rate at which this holds: p99=20ms, max=1s, or mirror-p99.9=50ms "
                + "for the time until the last mirror.", valueName: "quantile=time"),
        transform: Self.bound)
    var find: LatencyBound?

    @OptionGroup var soakOptions: SoakOptions

    @OptionGroup var who: TokenOptions

    @Option(
        help: ArgumentHelp("Also write the results to this file, as JSON.", valueName: "file"),
        completion: .file())
    var json: String?

    @Option(
        help: ArgumentHelp(
            "Draw latency over load in this file, as an SVG picture.", valueName: "file"),
        completion: .file())
    var svg: String?

    func validate() throws {
        try soakOptions.validate(for: self)
        if soakOptions.soak == nil {
            guard url != nil else { throw ValidationError("Missing expected argument '<url>'") }
            guard action != nil else {
                throw ValidationError("Missing expected argument '--action <type>'")
            }
        }
        if let url, ServerURL.completed(url) == nil {
            throw ValidationError(ServerURL.problem(with: url))
        }
        for rate in rate where !RateSearch.limits.contains(rate) {
            throw ValidationError("A rate is from 1 to 10,000,000 a second; \(rate) isn't.")
        }
        guard (1...100_000).contains(connections), (0...100_000).contains(mirrors) else {
            throw ValidationError("There can be 1 to 100,000 connections, and as many mirrors.")
        }
        guard (1...256).contains(threads) else {
            throw ValidationError("There can be 1 to 256 threads; \(threads) can't.")
        }
        guard duration > .zero else { throw ValidationError("--duration must be above 0.") }
        if mirrors > 0, subscribe.isEmpty {
            throw ValidationError("Mirrors need something to follow: --subscribe SELECTION.")
        }
        guard let find else { return }
        if rate.count > 1 {
            throw ValidationError("--find begins at one --rate; leave the others out.")
        }
        if find.isOfMirrors, mirrors == 0 {
            throw ValidationError("\(find.text) needs mirrors: --mirrors N.")
        }
    }

    func run() async throws {
        if let soak = soakOptions.soak { return try await self.soak(for: soak) }
        let plan = try plan(environment: ProcessInfo.processInfo.environment)
        for file in [json, svg].compactMap(\.self) { try Self.prepare(file) }
        let bench: Bench
        do throws(LoadError) { bench = try await Bench(plan) } catch {
            throw CommandFailure(.trouble, "\(error)")
        }
        let stop = StopSignal()
        let signals = try await Self.setting(stop, on: [SIGINT, SIGTERM])
        var report = BenchReport(of: self)
        report.begin(setUp: bench.setUp)
        await measure(with: bench, stop, &report)
        await bench.close()
        await signals.shutDown()
        try report.write()
        if let failure = report.failure(isStopped: stop.isSet) { throw failure }
    }

    private func measure(with bench: Bench, _ stop: StopSignal, _ report: inout BenchReport) async {
        var rates = rate.isEmpty ? [100] : rate
        var search = find.map { _ in RateSearch(from: rates.removeFirst()) }
        while !stop.isSet, let rate = search.map(\.next) ?? rates.first {
            if search == nil { rates.removeFirst() }
            let step = LoadStep(rate: rate, warmUp: warmUp, duration: duration)
            let result = await bench.run(step, stop: stop) { Self.show($0) }
            if StandardError.isTerminal { StandardError.overwrite("") }
            guard let result else { return }
            // What was cut short says nothing about the bound.
            let isCut = stop.isSet
            search?.answer(!isCut && find?.holds(for: result) == true)
            if !isCut { report.found = search?.highest }
            report.add(result, isCut: isCut)
            // At other rates it would be another load.
            if result.tally.lost > 0 { return }
        }
    }

    /// - Parameter environment: where the token may be.
    func plan(environment: [String: String] = [:]) throws(CommandFailure) -> LoadPlan {
        guard let url, let action, let server = ServerURL.completed(url).flatMap({ ServerURL($0) })
        else { throw CommandFailure(.trouble, ServerURL.problem(with: url ?? "")) }
        var plan = LoadPlan(server: WebSocketClientConfiguration(server), action: action)
        plan.connections = connections
        plan.mirrors = mirrors
        plan.threads = threads
        if let payload {
            let text = NumberedText(payload)
            let sample = text.bytes(action: 0, connection: 0)
            _ = try JSONText.payload(String(decoding: sample, as: UTF8.self))
            plan.payload = text
        }
        plan.token = try who.token(environment: environment).map { NumberedText($0) }
        plan.subscriptions = try subscribe.map { text throws(CommandFailure) in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            return .init(
                name: parts.first ?? "",
                parameters: parts.count > 1 ? try JSONText.parameter(parts[1]) : nil)
        }
        return plan
    }

    /// A signal loop that sets `stop`; the second signal ends the process.
    static func setting(
        _ stop: StopSignal, on signals: [Int32]
    ) async throws -> EventLoop {
        let loop = try EventLoop(name: "storecast-stop")
        try await loop.perform {
            loop.handleSignals(signals) { signal in
                if stop.isSet { end(128 + signal) }
                stop.set()
            }
        }
        return loop
    }

    private static func show(_ progress: Bench.Progress) {
        guard StandardError.isTerminal else { return }
        let p99 = progress.acks.count > 0 ? progress.acks.quantile(0.99).latencyText : "-"
        StandardError.overwrite(
            "\(progress.rate.rateText)/s: \(progress.elapsed.components.seconds) s of "
                + "\(progress.total.components.seconds), \(progress.ackedPerSecond.rateText) "
                + "acked/s, p99 \(p99), \(progress.open.grouped) without an answer")
    }

    /// Makes sure that a file can be written, before hours of measuring.
    static func prepare(_ file: String) throws(CommandFailure) {
        let descriptor = open(file, O_WRONLY | O_CREAT, 0o666)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(.trouble, "'\(file)' can't be written: \(reason).")
        }
        close(descriptor)
    }

    /// Writes a result.
    static func write(_ text: String, to file: String) throws(CommandFailure) {
        do {
            try Data(text.utf8).write(to: URL(filePath: file))
        } catch {
            throw CommandFailure(
                .trouble, "'\(file)' can't be written: \(error.localizedDescription)")
        }
    }

    @Sendable static func time(_ text: String) throws -> Duration {
        guard let time = Duration(written: text) else {
            throw ValidationError("'\(text)' is no time: write 10s, 500ms, 2m or 2h.")
        }
        return time
    }

    @Sendable private static func bound(_ text: String) throws -> LatencyBound {
        guard let bound = LatencyBound(text) else {
            throw ValidationError("'\(text)' is no bound: write p99=20ms or mirror-p99=50ms.")
        }
        return bound
    }
}

/// Ends the process; within a command, a member hides `exit`.
private func end(_ status: Int32) -> Never { exit(status) }

/// What a bench prints and writes.
private struct BenchReport {
    private let command: BenchCommand
    private var results: [StepResult] = []
    /// With `--find`: the highest rate so far at which the bound holds.
    var found: Double?

    init(of command: BenchCommand) { self.command = command }

    private var load: String {
        var text = command.connections.counting("connection", "connections")
        if command.mirrors > 0 { text += " and \(command.mirrors.counting("mirror", "mirrors"))" }
        return text
    }

    func begin(setUp: Duration) {
        let seconds = Double(setUp.components.seconds) + Double(setUp.components.attoseconds) / 1e18
        StandardOutput.write(
            "\(load) set up in \(Int64(seconds * 1e9).latencyText)")
        StandardOutput.write(BenchTable.head)
    }

    mutating func add(_ result: StepResult, isCut: Bool) {
        results.append(result)
        let isHeld = isCut ? nil : command.find?.holds(for: result)
        for line in BenchTable.lines(result, isHeld: isHeld) { StandardOutput.write(line) }
    }

    func write() throws(CommandFailure) {
        if let find = command.find, let found {
            StandardOutput.write("\(find.text) holds up to \(found.rateText)/s")
        }
        if let file = command.json { try BenchCommand.write(json.prettyText + "\n", to: file) }
        guard let file = command.svg else { return }
        let title = "\(command.action ?? ""), \(load)"
        let chart = LatencyChart(title: title, results: results, bound: command.find)
        try BenchCommand.write(chart.svg, to: file)
    }

    func failure(isStopped: Bool) -> CommandFailure? {
        if let loss = results.last?.tally.loss { return CommandFailure(.trouble, loss) }
        let acked = results.contains { $0.tally.ackedInTime > 0 }
        if !acked, let refusals = results.first?.tally.refusals.values.first {
            return CommandFailure(.refused, "No action was acked: \(refusals.first)")
        }
        guard let find = command.find, found == nil, !isStopped else { return nil }
        return CommandFailure(.refused, "\(find.text) holds at no rate that was tried.")
    }

    private var json: JSON {
        var object: JSONObject = [
            "url": .string(command.url ?? ""), "action": .string(command.action ?? ""),
            "connections": .int(Int64(command.connections)),
            "mirrors": .int(Int64(command.mirrors)), "threads": .int(Int64(command.threads)),
            "subscriptions": .array(command.subscribe.map { .string($0) }),
            "latencies": "microseconds", "steps": .array(results.map(\.json)),
        ]
        if let payload = command.payload { object["payload"] = .string(payload) }
        if let find = command.find {
            object["find"] = .string(find.text)
            object["found"] = found.map { .double($0) } ?? .null
        }
        return .object(object)
    }
}
