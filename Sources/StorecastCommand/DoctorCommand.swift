import ArgumentParser
import Example
import Foundation
import StorecastClient
import StorecastServer
import StorecastTools
import StorecastWebSocket

/// `storecast doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Check a server, its machine, and what lies between the server and its clients.",
        discussion: """
            Without a URL it looks at this machine, for a server with these settings: descriptors, \
            the clock, the journal's disk and how long that takes to keep something, and files.

              storecast doctor --config /etc/storecast/config.json

            With a URL, as clients have it, it asks the server, or the proxy before it: whether it \
            is well, its certificate, its clock, whether WebSockets pass, and which pages may \
            connect. This machine is looked at too if the server is on it, or settings are given.

              storecast doctor wss://board.example
              storecast doctor localhost:9090 --origin https://app.example

            Each line says ok, warning or failure, and what to do. Nothing is changed; while it \
            measures there is a file without a name beside the journal.

            Exit status: 0 if there is no failure, 1 if there is, 64 if the command makes no sense.
            """)

    @Argument(help: "Where the server is: ws://HOST:PORT or wss://HOST; ws:// may be left out.")
    var url: String?

    @Option(
        help: ArgumentHelp(
            "The settings' JSON file, by default that which STORECAST_CONFIG names.",
            valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The journal's file, in place of that of the settings.", valueName: "file"),
        completion: .file())
    var data: String?

    @Option(
        help: ArgumentHelp(
            "A site whose pages are to connect, such as https://app.example; those of the URL's own "
                + "host are looked at anyway.", valueName: "origin"))
    var origin: [String] = []

    func validate() throws {
        if let url, ServerURL.completed(url) == nil {
            throw ValidationError(ServerURL.problem(with: url))
        }
        if let problem = SyncServer.problem(origins: origin.filter { $0 != "*" }, proxies: []) {
            throw ValidationError(problem)
        }
        if url == nil, !origin.isEmpty {
            throw ValidationError("Origins are asked of a server: name its URL.")
        }
    }

    func run() async throws {
        // A server that hangs up is a finding.
        signal(SIGPIPE, SIG_IGN)
        var failures = 0
        func say(_ findings: [Finding]) {
            for finding in findings {
                StandardOutput.write(finding.line)
                if finding.verdict == .failure { failures += 1 }
            }
        }
        let server = url.flatMap { ServerURL.completed($0) }.flatMap { ServerURL($0) }
            .map { WebSocketClientConfiguration($0) }
        let environment = ProcessInfo.processInfo.environment
        let isHere = server.map { HostName(address: $0.host).isLocal } ?? true
        if isHere || config != nil || data != nil || environment["STORECAST_CONFIG"] != nil {
            do {
                say(try await ThisMachine.examine(for: settings(environment), environment))
            } catch {
                let text = (error as? CommandFailure)?.description
                say([Finding(.failure, "settings", text ?? ServeCommand.message(for: error))])
            }
        }
        if let server { say(ServerExamination(of: server, origins: origin).examine()) }
        guard failures == 0 else {
            throw CommandFailure(
                .refused,
                failures.counting("failure", "failures") + " of the server or its machine.")
        }
    }

    /// What `serve` would be started with.
    private func settings(_ environment: [String: String]) async throws -> ServeCommand {
        var given = config.map { ["--config=\($0)"] } ?? []
        if let data { given.append("--data=\(data)") }
        let settings = try await Settings(given, of: ServeCommand.self, environment: environment)
        return try settings.command()
    }
}

/// Measures this machine.
enum ThisMachine {
    static func examine(
        for serve: ServeCommand, _ environment: [String: String]
    ) async throws -> [Finding] {
        let limits = try serve.limits
        var findings = [
            Examination.descriptors(
                limit: WebSocketLibraries.descriptorLimit, connections: limits.connections),
            clock(),
        ]
        if let file = serve.file {
            findings += disk(of: file, reserve: limits.diskReserve)
        }
        let problems = await serve.problems(environment)
        findings += problems.map { Finding(.failure, $0.subject, $0.sentence) }
        if let days = (try? serve.certificate)?.daysLeft {
            findings.append(Examination.certificate(daysLeft: days))
        }
        if let operations = serve.operationsAddress { findings += metrics(at: operations) }
        return findings
    }

    private static func clock() -> Finding {
        let (before, start) = (Date.now, ContinuousClock.now)
        usleep(200_000)
        let (after, end) = (Date.now, ContinuousClock.now)
        let jump = Duration.seconds(after.timeIntervalSince(before)) - (end - start)
        return Examination.clock(now: Int(after.timeIntervalSince1970), jump: jump)
    }

    private static func disk(of file: String, reserve: Int) -> [Finding] {
        let folder = URL(filePath: file).deletingLastPathComponent().resolvingSymlinksInPath().path
        let table = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
        let type = Examination.fileSystemType(of: folder, in: table)
        if let finding = type.flatMap(Examination.fileSystem) { return [finding] }
        guard let syncs = syncs(in: folder) else {
            let reason = String(cString: strerror(errno))
            return [
                Finding(
                    .failure, "disk",
                    "the journal's folder '\(folder)' can't be written: \(reason). Make it, or let the "
                        + "server's user write there.")
            ]
        }
        var findings = [Examination.sync(syncs)]
        var space = statvfs()
        if statvfs(folder, &space) == 0 {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            let journal = (attributes?[.size] as? NSNumber)?.intValue ?? 0
            let free = Int(clamping: UInt64(space.f_bavail) &* UInt64(space.f_frsize))
            findings.append(Examination.space(free: free, reserve: reserve, journal: journal))
        }
        return findings
    }

    /// How long the disk takes to keep 4 KiB, some times, for two seconds at most; nil, with
    /// `errno`, if it can't.
    private static func syncs(in folder: String) -> [Duration]? {
        let path = folder + "/.storecast-doctor-\(getpid())"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Nobody sees it, and nothing is left of it.
        unlink(path)
        let block = [UInt8](repeating: 0x5A, count: 4096)
        var times: [Duration] = []
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(2)
        while times.count < 50, clock.now < deadline {
            var isKept = false
            let time = clock.measure {
                isKept = write(file, block, block.count) == block.count && fsync(file) == 0
            }
            guard isKept else { return nil }
            times.append(time)
        }
        return times
    }

    private static func metrics(at address: OperationsAddress) -> [Finding] {
        let server = WebSocketClientConfiguration(
            host: address.host == "0.0.0.0" ? "127.0.0.1" : address.host, port: address.port)
        do throws(WebSocketError) {
            let text = try ServerProbe(server).ask("/metrics").body
            func value(_ name: String) -> Int? {
                text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
                    .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
                    .flatMap { Int(exactly: $0.rounded()) }
            }
            guard let open = value("storecast_open_descriptors"),
                let limit = value("storecast_open_descriptors_limit")
            else {
                return [
                    Finding(
                        .failure, "operations",
                        "something else than this server answers there: see --operations.")
                ]
            }
            return [Examination.descriptors(open: open, limit: limit)]
        } catch {
            var configuration = WebSocketServerConfiguration()
            (configuration.host, configuration.port) = (address.host, address.port)
            do throws(WebSocketError) {
                try WebSocketServer.checkAddress(of: configuration)
            } catch {
                return [Finding(.failure, "operations", error.description)]
            }
            return [
                Finding(.warning, "operations", "\(error) Start the server to have it looked at.")
            ]
        }
    }
}

/// Asks a server, as its clients see it.
struct ServerExamination {
    private let server: WebSocketClientConfiguration
    private let origins: [String]

    init(of server: WebSocketClientConfiguration, origins: [String]) {
        self.server = server
        self.origins = origins
    }

    /// Of the same host, as browsers write it.
    private var ownSite: String {
        let isUsual = server.port == (server.tls ? 443 : 80)
        return "\(server.tls ? "https" : "http")://\(server.host.asURLHost)"
            + (isUsual ? "" : ":\(server.port)")
    }

    func examine() -> [Finding] {
        let probe = ServerProbe(server)
        var findings: [Finding] = []
        do throws(WebSocketError) {
            let asked = Int(Date.now.timeIntervalSince1970)
            let health = try probe.ask("/healthz")
            let answered = Int(Date.now.timeIntervalSince1970)
            if let certificate = health.certificate {
                findings.append(Examination.certificate(certificate, host: server.host))
            } else {
                let isLocal = HostName(address: server.host).isLocal
                findings.append(Examination.unencrypted(isLocal: isLocal))
            }
            findings.append(Examination.health(health, of: "/healthz"))
            if let time = health.headers["date"].flatMap(HTTPResponse.time) {
                findings.append(
                    Examination.clock(server: time, asked: asked, answered: answered))
            }
            findings.append(Examination.health(try probe.ask("/readyz"), of: "/readyz"))
            findings += try way(probe)
        } catch {
            findings.append(
                Finding(
                    .failure, "connection",
                    "\(error) See that the server runs, and that a firewall lets this machine in."))
        }
        return findings
    }

    /// What becomes of WebSockets on their way.
    private func way(_ probe: ServerProbe) throws(WebSocketError) -> [Finding] {
        let upgrade = Examination.upgrade(try self.upgrade(probe))
        guard upgrade.verdict == .ok else { return [upgrade] }
        var findings = [upgrade]
        for site in [ownSite] + origins {
            let answer = try self.upgrade(probe, [("Origin", site)])
            findings.append(Examination.origin(answer, of: site, isOwn: site == ownSite))
        }
        // Names that nobody can have (RFC 2606), and an address of nobody's (RFC 5737).
        findings.append(
            Examination.stranger(try self.upgrade(probe, [("Origin", "https://doctor.invalid")])))
        let forwarded = try self.upgrade(probe, [("Forwarded", "for=198.51.100.7")])
        return findings + [Examination.forwarded(forwarded)].compactMap(\.self)
    }

    private func upgrade(
        _ probe: ServerProbe, _ headers: [(String, String)] = []
    ) throws(WebSocketError) -> ServerProbe.Answer {
        try probe.upgrade(subprotocol: ProtocolVersion.subprotocol, headers: headers)
    }
}
