import Foundation
import Glibc
import StorecastServer
import TestSupport
import Testing

/// What `storecast bench` prints and writes, and how it ends.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct BenchCommandTests {
    private static let increment = ["--action", "increment", "--payload", #"{"path":"/n"}"#]
    private static let brief = ["--duration", "200ms", "--warm-up", "50ms"]

    /// The exit status and all that was written.
    private func bench(
        _ url: String, _ arguments: [String]
    ) async throws -> (status: Int32?, text: String) {
        let command = try ChildProcess("storecast", ["bench", url] + arguments, takesErrors: true)
        let status = await command.exitStatus()
        return (status, await command.allLines().joined(separator: "\n"))
    }

    @Test func `rates are measured one after the other, printed, written and drawn`() async throws {
        let server = try await ServeProcess(document: #"{"n":0}"#)
        let directory = try TemporaryDirectory()
        let (status, text) = try await bench(
            server.url,
            Self.increment + Self.brief
                + ["--rate", "100", "--rate", "300", "--connections", "4", "--mirrors", "3"]
                + ["--subscribe", #"value={"path":"/n"}"#, "--threads", "2"]
                + ["--json", directory.file("a.json"), "--svg", directory.file("a.svg")])
        #expect(status == 0, "\(text)")
        let lines = text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("4 connections and 3 mirrors set up in ") == true)
        #expect(lines.count { $0.contains("dispatch to ack") } == 2)
        #expect(lines.count { $0.contains("dispatch to last mirror") } == 2)
        let json = try JSON(
            parsing: String(contentsOfFile: directory.file("a.json"), encoding: .utf8))
        #expect(json["steps"]?.array?.compactMap { $0["ack"]?["count"]?.int } == [20, 60])
        #expect(json["steps"]?.array?.compactMap { $0["rate"]?.double } == [100, 300])
        let svg = try String(contentsOfFile: directory.file("a.svg"), encoding: .utf8)
        #expect(svg.contains("increment, 4 connections and 3 mirrors"))
    }

    @Test func `it looks for the highest rate, and ends with what it has found at ctrl-C`()
        async throws
    {
        let server = try await ServeProcess(document: #"{"n":0}"#)
        let command = try ChildProcess(
            "storecast",
            ["bench", server.url, "--find", "max=1000s", "--rate", "50"] + Self.increment
                + Self.brief)
        var index = 0
        while let line = await command.line(index), !line.hasSuffix("holds") { index += 1 }
        command.signal(SIGINT)
        #expect(await command.exitStatus() == 0)
        #expect(await command.allLines().last?.hasPrefix("max=1000s holds up to ") == true)
        // Nothing is said of what wasn't measured.
        let early = try ChildProcess(
            "storecast", ["bench", server.url, "--find", "p50=1us"] + Self.increment,
            takesErrors: true)
        _ = await early.line(0)
        early.signal(SIGINT)
        #expect(await early.exitStatus() == 0)
        #expect(await !early.allLines().contains { $0.contains("holds") })
        let (status, text) = try await bench(
            server.url, Self.increment + Self.brief + ["--find", "p50=1us", "--rate", "2"])
        #expect(status == 1)
        #expect(text.contains("p50=1us holds at no rate that was tried."))
    }

    @Test func `what the server refuses is said once, with its number`() async throws {
        let server = try await ServeProcess(document: #"{"n":0}"#)
        let unknown = try await bench(server.url, ["--action", "Nonsense"] + Self.brief)
        #expect(unknown.status == 1)
        #expect(unknown.text.contains("25 refused (unknown-action): "), "\(unknown.text)")
        let room = try await bench(server.url + "x", Self.increment + Self.brief)
        #expect(room.status == 2)
        #expect(room.text.hasPrefix("Error: The server ended the connection: "))
        let selection = try await bench(
            server.url, Self.increment + Self.brief + ["--subscribe", "nonsense"])
        #expect(selection.status == 2)
        #expect(selection.text.contains("no such selection"))
        #expect(await server.stop() == 0)
        let nobody = try await bench(server.url, Self.increment + Self.brief)
        #expect(nobody.status == 2)
        #expect(nobody.text.hasPrefix("Error: Can't connect: Connection refused"))
    }

    @Test func `a soak starts, kills and stops a server, and says what it took`() async throws {
        let directory = try TemporaryDirectory()
        let command = try ChildProcess(
            "storecast",
            ["bench", "--soak", "3s", "--restarts", "1", "--rate", "200"]
                + ["--csv", directory.file("a.csv"), "--svg", directory.file("a.svg")]
                + ["--json", directory.file("a.json")], takesErrors: true)
        let status = await command.exitStatus()
        let lines = await command.allLines()
        #expect(status == 0, "\(lines)")
        #expect(lines.first?.hasPrefix("the server's files are in ") == true)
        #expect(lines.contains { $0.contains(" acked, ") && $0.hasSuffix(" 2 restarts") })
        #expect(lines.last == "It was too short to say whether something grows.")
        let json = try JSON(
            parsing: String(contentsOfFile: directory.file("a.json"), encoding: .utf8))
        #expect(json["troubles"]?.array?.isEmpty == true)
        #expect(json["acked"]?.int.map { $0 > 0 } == true)
        let table = try String(contentsOfFile: directory.file("a.csv"), encoding: .utf8)
        #expect(table.split(separator: "\n").count > 2)
        let svg = try String(contentsOfFile: directory.file("a.svg"), encoding: .utf8)
        #expect(svg.contains("descriptors"))
    }

    @Test func `a server that runs already is watched, and isn't ended`() async throws {
        let server = try await ServeProcess(document: "{}")
        let command = try ChildProcess(
            "storecast",
            ["bench", server.url, "--soak", "3s", "--pid", "\(server.process.id)"],
            takesErrors: true)
        let status = await command.exitStatus()
        let lines = await command.allLines()
        #expect(status == 0, "\(lines)")
        #expect(lines.contains { $0.hasSuffix(" 0 restarts") })
        #expect(await server.stop() == 0)
    }

    @Test func `a server of another command that doesn't start is said`() async throws {
        let command = try ChildProcess(
            "storecast", ["bench", "--soak", "3s", "--serve", "sh -c 'exit 3'"], takesErrors: true)
        #expect(await command.exitStatus() == 2)
        let lines = await command.allLines()
        #expect(
            lines.last?.hasPrefix("Error: The server doesn't start: It ended with status 3.")
                == true, "\(lines)")
        // Its log is left for whoever looks for the reason.
        let folder = try #require(lines.first?.split(separator: " ").last)
        try FileManager.default.removeItem(atPath: String(folder))
    }

    @Test func `a file that can't be written is said before anything is dispatched`() async throws {
        let (status, text) = try await bench(
            "127.0.0.1:1", Self.increment + ["--json", "/nowhere/a.json"])
        #expect(status == 2)
        #expect(text == "Error: '/nowhere/a.json' can't be written: No such file or directory.")
    }
}
