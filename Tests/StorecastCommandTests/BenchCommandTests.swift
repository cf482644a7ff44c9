import ArgumentParser
import StorecastBench
import StorecastServer
import StorecastTools
import StorecastWebSocket
import Testing

@testable import StorecastCommand

/// What the options of `storecast bench` make of the load.
struct BenchCommandTests {
    private static let least = ["localhost:9090", "--action", "Say"]

    @Test func `without options ten connections dispatch a hundred a second`() throws {
        let command = try BenchCommand.parse(Self.least)
        let plan = try command.plan()
        #expect(plan.server.host == "localhost")
        #expect(plan.server.port == 9090)
        #expect(plan.server.path == "/")
        #expect(plan.action == "Say")
        #expect(plan.payload == nil)
        #expect(plan.token == nil)
        #expect(plan.connections == 10)
        #expect(plan.mirrors == 0)
        #expect(plan.subscriptions.isEmpty)
        #expect(command.rate.isEmpty)
        #expect(command.duration == .seconds(10))
        #expect(command.warmUp == .seconds(2))
    }

    @Test func `what is said is what is done`() throws {
        let command = try BenchCommand.parse(
            Self.least + ["--payload", #"{"text":"{n}","of":{c}}"#, "--connections", "3"]
                + ["--mirrors", "4", "--threads", "2", "--token", "user-{c}", "--rate", "5"]
                + ["--subscribe", "chat", "--subscribe", #"value={"path":"/a=b"}"#]
                + ["--subscribe", "column=todo", "--duration", "500ms", "--warm-up", "0s"])
        let plan = try command.plan()
        #expect(plan.connections == 3)
        #expect(plan.mirrors == 4)
        #expect(plan.threads == 2)
        #expect(plan.subscriptions.map(\.name) == ["chat", "value", "column"])
        #expect(plan.subscriptions.map(\.parameters) == [nil, ["path": "/a=b"], "todo"])
        let payload = plan.payload?.bytes(action: 7, connection: 1)
        #expect(payload == Array(#"{"text":"7","of":1}"#.utf8))
        #expect(plan.token?.bytes(action: 0, connection: 2) == Array("user-2".utf8))
        let named = try BenchCommand.parse(Self.least + ["--as", "user-{c}"]).plan()
        #expect(named.token?.bytes(action: 0, connection: 2) == Array("user-2".utf8))
        let proven = try BenchCommand.parse(Self.least).plan(
            environment: ["STORECAST_TOKEN": "secret-{c}"])
        #expect(proven.token?.bytes(action: 0, connection: 2) == Array("secret-2".utf8))
        #expect(command.rate == [5])
        #expect(command.duration == .milliseconds(500))
        #expect(command.warmUp == .zero)
    }

    @Test(arguments: [
        [], ["--rate", "0"], ["--rate", "1e9"], ["--connections", "0"], ["--threads", "0"],
        ["--duration", "0s"], ["--duration", "1d"], ["--mirrors", "1"], ["--mirrors", "-1"],
        ["--find", "p99"], ["--find", "mirror-p99=1s"],
        ["--find", "p99=1s", "--rate", "1", "--rate", "2"], ["--soak", "2h"], ["--csv", "a.csv"],
    ])
    func `what makes no sense is refused`(arguments: [String]) {
        let all = arguments.isEmpty ? ["localhost:9090"] : Self.least + arguments
        #expect(throws: (any Error).self) { try BenchCommand.parse(all) }
    }

    @Test func `a soak starts a server of its own, with bounds that it reaches within minutes`()
        throws
    {
        let command = try BenchCommand.parse(["--soak", "2h"])
        let plan = try command.soakOptions.plan(.seconds(7200), url: nil, in: "/tmp")
        #expect(command.soakOptions.soak == .seconds(7200))
        guard case .started(let words, let log) = plan.server else {
            Issue.record("No server is started.")
            return
        }
        #expect(words.dropFirst().first == "serve")
        #expect(words.contains("/tmp/soak.sqlite"))
        #expect(words.contains("clients=500"))
        #expect(plan.data == "/tmp/soak.sqlite")
        #expect(log == "/tmp/server.log")
        #expect(plan.restarts == 6)
    }

    @Test func `a soak may be of a server that runs, or that another command starts`() throws {
        let running = try BenchCommand.parse(["localhost:1", "--soak", "3s", "--pid", "7"])
            .soakOptions.plan(.seconds(3), url: "localhost:1", in: "/tmp")
        guard case .running("localhost:1", 7) = running.server else {
            Issue.record("It is \(running.server).")
            return
        }
        #expect(running.data == nil)
        let other = try BenchCommand.parse(["--soak", "3s", "--serve", "board --port 0"])
            .soakOptions.plan(.seconds(3), url: nil, in: "/tmp")
        guard case .started(["/bin/sh", "-c", "exec board --port 0"], _) = other.server else {
            Issue.record("It is \(other.server).")
            return
        }
    }

    @Test func `a soak fails if something grows, or was lost`() {
        var result = SoakResult(duration: .seconds(90))
        result.samples = (0..<60).map { second in
            SoakSample(
                seconds: Double(second), restarts: 0, clients: 1, acked: second,
                memory: second * 1_000_000, descriptors: 7)
        }
        let growth = CommandFailure(soak: result)
        #expect(growth?.status == .refused)
        #expect(growth?.description == "It grows: memory.")
        result.samples = []
        #expect(CommandFailure(soak: result) == nil)
        result.troubles = ["An action was lost."]
        #expect(CommandFailure(soak: result)?.status == .refused)
    }

    @Test(arguments: [
        ["--soak", "2s"], ["--soak", "400d"], ["--soak", "99999h"], ["--soak", "1h", "--pid", "1"],
        ["localhost:1", "--soak", "1h", "--restarts", "1"], ["--soak", "1h", "--restarts", "-1"],
        ["localhost:1", "--soak", "1h", "--serve", "x"], ["--soak", "1h", "--action", "Say"],
        ["--soak", "1h", "--rate", "1", "--rate", "2"], ["--soak", "1h", "--find", "p99=1s"],
    ])
    func `a soak that makes no sense is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try BenchCommand.parse(arguments) }
    }

    @Test(arguments: ["{n}}", "{", "{c}{n}x"])
    func `a payload that isn't JSON with its numbers in place is refused`(payload: String) throws {
        let command = try BenchCommand.parse(Self.least + ["--payload", payload])
        #expect(throws: CommandFailure.self) { try command.plan() }
    }
}
