import ArgumentParser
import Foundation
import StorecastBench
import StorecastClient
import StorecastTools
import StorecastWebSocket

/// `storecast bench --soak`: for how long, and on which server.
struct SoakOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run a soak test for this long (2h, 30m) instead: clients come and go, the server is "
                + "killed and restarted, and is watched for lost actions and growing resource use.",
            valueName: "time"),
        transform: BenchCommand.time)
    var soak: Duration?

    @Option(
        help: ArgumentHelp(
            "With --soak: the command that starts the server, in place of `storecast serve` on a "
                + "free port. It serves a JSON document that anybody may change, and prints "
                + "`listening on URL`.", valueName: "command"))
    var serve: String?

    @Option(
        help: ArgumentHelp(
            "With --soak: the server's journal, whose size is watched with that of the files beside "
                + "it; known without --serve.", valueName: "file"), completion: .file())
    var data: String?

    @Option(
        help: ArgumentHelp(
            "With --soak: how often the server is ended, by SIGKILL and SIGTERM in turn, in the "
                + "first third of the time (default: 6).", valueName: "n"))
    var restarts: Int?

    @Option(
        help: ArgumentHelp(
            "With --soak and a URL: the server's process, which is watched. It isn't ended.",
            valueName: "process"))
    var pid: Int32?

    @Option(
        help: ArgumentHelp(
            "With --soak: write what was seen to this file as it is seen, as CSV.",
            valueName: "file"), completion: .file())
    var csv: String?

    func validate(for bench: BenchCommand) throws {
        let url = bench.url
        guard soak != nil else {
            let given = [serve ?? data ?? csv, restarts.map { "\($0)" }, pid.map { "\($0)" }]
            guard given.allSatisfy({ $0 == nil }) else {
                throw ValidationError(
                    "--serve, --data, --restarts, --pid and --csv are for --soak TIME.")
            }
            return
        }
        let isOfRates =
            bench.action != nil || bench.payload != nil || bench.find != nil || bench.mirrors > 0
            || !bench.subscribe.isEmpty || bench.rate.count > 1
        if isOfRates {
            throw ValidationError(
                "--soak has actions and clients of its own: with it there are --connections, one "
                    + "--rate, --json and --svg.")
        }
        if url != nil, serve != nil || restarts != nil {
            throw ValidationError("A server at a URL isn't started or ended: leave it out.")
        }
        if url == nil, pid != nil { throw ValidationError("--pid is for a server at a URL.") }
        if let soak, soak < .seconds(3) {
            throw ValidationError("A soak takes at least 3 seconds.")
        }
        if let restarts, !(0...1000).contains(restarts) {
            throw ValidationError("There can be 0 to 1,000 restarts; \(restarts) can't.")
        }
    }

    /// - Parameter folder: where the server's files are, if it is this program's.
    func plan(
        _ soak: Duration, url: String?, in folder: String
    ) throws(CommandFailure) -> SoakPlan {
        let server: SoakPlan.Server
        var data = data
        if let url {
            server = .running(url: url, process: pid)
        } else if let serve {
            server = .started(["/bin/sh", "-c", "exec " + serve], log: folder + "/server.log")
        } else {
            let (document, journal) = (folder + "/document.json", folder + "/soak.sqlite")
            guard FileManager.default.createFile(atPath: document, contents: Data("{}".utf8))
            else { throw CommandFailure(.trouble, "'\(document)' can't be written.") }
            data = data ?? journal
            // Bounds that are reached within minutes: what grows beyond them shows in an hour.
            server = .started(
                [
                    Self.program, "serve", "--port", "0", "--json", document, "--data", journal,
                    "--rate", "0", "--keep-snapshots", "3", "--log-level", "notice",
                    "--limit", "clients=500", "--limit", "snapshots-entries=5000",
                ], log: folder + "/server.log")
        }
        var plan = SoakPlan(server: server, duration: soak) { url in
            ServerURL.completed(url).flatMap { ServerURL($0) }
                .map { WebSocketClientConfiguration($0) }
        }
        plan.data = data
        plan.restarts = restarts ?? 6
        return plan
    }

    /// This program.
    private static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }
}

extension BenchCommand {
    /// Soaks a server, and says what grew.
    func soak(for duration: Duration) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "storecast-soak-\(ProcessInfo.processInfo.processIdentifier)").path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(.trouble, "'\(folder)' can't be made.")
        }
        var plan = try soakOptions.plan(duration, url: url, in: folder)
        plan.rate = rate.first ?? 100
        plan.clients = connections
        plan.token = try who.token(environment: ProcessInfo.processInfo.environment)
        for file in [json, svg, soakOptions.csv].compactMap(\.self) { try Self.prepare(file) }
        if url == nil { StandardOutput.write("the server's files are in \(folder)") }
        StandardOutput.write(SoakSample.head)
        var nextRow = 0.0
        let stop = StopSignal()
        let signals = try await Self.setting(stop, on: [SIGINT, SIGTERM])
        let csv = try soakOptions.csv.map { try CSVFile($0) }
        let result: SoakResult
        do {
            result = try await Soak(plan).run(stop: stop) { sample in
                try csv?.add(sample)
                guard sample.seconds >= nextRow else { return }
                StandardOutput.write(sample.row)
                nextRow = sample.seconds + duration / .seconds(40)
            }
        } catch let error as LoadError {
            throw CommandFailure(.trouble, error.description)
        }
        await signals.shutDown()
        for line in result.lines { StandardOutput.write(line) }
        let title = "\(rate.first.map(\.rateText) ?? "100") actions/s, \(connections) clients"
        if let svg { try Self.write(SoakChart(title: title, result: result).svg, to: svg) }
        if let json { try Self.write(result.json.prettyText + "\n", to: json) }
        // The files may say more.
        if let failure = CommandFailure(soak: result) { throw failure }
        try? FileManager.default.removeItem(atPath: folder)
    }
}

extension CommandFailure {
    /// Nil if nothing grows, and nothing happened that must not.
    init?(soak result: SoakResult) {
        if result.isGood { return nil }
        self.init(
            .refused,
            result.growing.isEmpty
                ? "Something happened that must not."
                : "It grows: \(result.growing.joined(separator: ", ")).")
    }
}

/// A table that is written row by row.
private struct CSVFile {
    private let file: FileHandle

    init(_ path: String) throws(CommandFailure) {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CommandFailure(.trouble, "'\(path)' can't be written.") }
        self.file = file
        do { try file.write(contentsOf: Data((SoakSample.csvHead + "\n").utf8)) } catch {
            throw CommandFailure(.trouble, "'\(path)' can't be written.")
        }
    }

    func add(_ sample: SoakSample) throws {
        do { try file.write(contentsOf: Data((sample.csv + "\n").utf8)) } catch {
            throw LoadError("The table can't be written: \(error.localizedDescription)")
        }
    }
}
