import Foundation
import Glibc
import MeasureSupport
import StorecastBench

/// One of the three machines, with a NATS server and a storecast server.
@MainActor final class Host {
    /// What all of them run, and with what.
    struct Setup {
        var storecast: String
        var nats: String
        /// Where everything is kept, and what they log.
        var folder: String

        func file(_ name: String) -> String { folder + "/" + name }
        var document: String { file("document.json") }
        var key: String { file("key") }
    }

    let name: String
    let address: String
    private let setup: Setup
    private(set) var nats: ServerProcess?
    private(set) var storecast: ServerProcess?
    /// That of the storecast: which version of their schema its rooms have.
    private(set) var schema = 1
    /// How often something was started: each has a log of its own.
    private var starts = 0

    static let natsPort = 4222
    private static let monitorPort = 8222
    private static let routePort = 6222
    private static let port = 9090
    static let clusterPort = 9091
    /// How long a program may take to start, and to end in order.
    private static let patience = Duration.seconds(90)

    init(_ name: String, _ setup: Setup) {
        self.name = name
        self.setup = setup
        address = Network.address(name)
    }

    /// Where clients connect.
    var url: String { "ws://\(address):\(Self.port)" }

    /// Where others of the cluster do, as `storecast cluster status` has it.
    var clusterURL: String { "ws://\(address):\(Self.clusterPort)" }

    /// Of all NATS servers.
    static let natsAddresses = Network.machines
        .map { "nats://\(Network.address($0))" }.joined(separator: ",")

    private func log(_ program: String) -> String {
        starts += 1
        return setup.file("\(name)-\(program).\(starts).log")
    }

    // MARK: NATS

    func startNATS() async throws {
        let routes = Network.machines.map { "\"nats://\(Network.address($0)):\(Self.routePort)\"" }
        let file = setup.file("\(name)-nats.conf")
        try """
        server_name: \(name)
        listen: "0.0.0.0:\(Self.natsPort)"
        ping_interval: "5s"
        http: "\(address):\(Self.monitorPort)"
        jetstream { store_dir: "\(setup.file("\(name)-jetstream"))", sync_interval: always }
        cluster {
            name: storm, listen: "\(address):\(Self.routePort)"
            routes: [\(routes.joined(separator: ", "))]
        }
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let log = log("nats")
        let process = try ServerProcess(
            Network.words(on: name, [setup.nats, "-c", file]), log: log)
        nats = process
        let deadline = ContinuousClock.now + Self.patience
        while !File.text(log).contains("Server is ready") {
            guard process.end == nil, .now < deadline else {
                throw Failure("The NATS server of \(name) doesn't start; it says why in \(log).")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func killNATS() async {
        nats?.signal(SIGKILL)
        _ = await nats?.end(within: .seconds(10))
        nats = nil
    }

    /// Whether NATS says that it has all that it is to have.
    func hasHealthyNATS() async -> Bool {
        let request = #"printf "GET /healthz HTTP/1.0\r\n\r\n" >&3; cat <&3"#
        let script = "exec 3<>/dev/tcp/\(address)/\(Self.monitorPort); \(request)"
        let answer = try? await Command.run(
            ["timeout", "2", "bash", "-c", script], within: .seconds(5))
        if answer?.hasPrefix("HTTP/1.0 200 ") == true { return true }
        // It logs each question that it answers so.
        try? await Task.sleep(for: .milliseconds(500))
        return false
    }

    // MARK: storecast

    func startStorecast() async throws {
        let log = log("storecast")
        let process = try ServerProcess(
            Network.words(
                on: name,
                [
                    "env", "STORECAST_STORM_SCHEMA=\(schema)", setup.storecast, "serve", "--host",
                    address, "--port", "\(Self.port)",
                    "--demo", "--json", setup.document, "--rooms", "/*", "--rate", "0",
                    "--keep-snapshots", "2", "--cluster", Self.natsAddresses,
                    "--cluster-address", "\(address):\(Self.clusterPort)",
                    "--edge-key", setup.key, "--log-level", "info",
                ]), log: log)
        storecast = process
        guard await process.url(within: Self.patience) != nil else {
            throw BrokenPromise("The storecast of \(name) doesn't start; it says why in \(log).")
        }
    }

    func killStorecast() async {
        storecast?.signal(SIGKILL)
        _ = await storecast?.end(within: .seconds(10))
        storecast = nil
    }

    /// Has it end in order.
    func stopStorecast() async throws {
        guard let process = storecast.take() else { return }
        process.signal(SIGTERM)
        guard await process.end(within: Self.patience) == .status(0) else {
            throw BrokenPromise("The storecast of \(name) didn't end in order when it was told to.")
        }
    }

    /// Has it end in order, and starts another one.
    ///
    /// - Parameter schema: the other one's; nil for the same.
    func restartStorecast(schema: Int? = nil) async throws {
        try await stopStorecast()
        self.schema = schema ?? self.schema
        try await startStorecast()
    }

    /// Throws if something has ended by itself.
    func check() throws {
        for (process, program) in [(nats, "NATS server"), (storecast, "storecast")] {
            guard let end = process?.end else { continue }
            throw BrokenPromise("The \(program) of \(name) ended by itself: \(end).")
        }
    }
}

/// A promise that doesn't hold, as a sentence.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ sentence: String) { description = sentence }
}
