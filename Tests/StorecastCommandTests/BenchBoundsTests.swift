import ArgumentParser
import StorecastBench
import StorecastServer
import StorecastTools
import Testing

@testable import StorecastCommand

/// Between which bounds a load is, and what tables of `storecast admin` say.
struct BenchBoundsTests {
    private static let least = ["localhost:9090", "--action", "Say"]

    @Test(arguments: [
        ["--rate", "1", "--rate", "10000000"], ["--connections", "1"], ["--connections", "100000"],
        ["--mirrors", "100000", "--subscribe", "a"], ["--threads", "1"], ["--threads", "256"],
        ["--duration", "1us"], ["--warm-up", "0s"], ["--find", "max=1s", "--rate", "7"],
        ["--find", "mirror-p99.9=1s", "--mirrors", "1", "--subscribe", "a"],
    ])
    func `a load may be as small or large as that`(arguments: [String]) {
        #expect(throws: Never.self) { try BenchCommand.parse(Self.least + arguments) }
    }

    @Test(
        arguments: [
            (["--rate", "0.9"], "A rate is from 1 to 10,000,000 a second; 0.9 isn't."),
            (["--rate", "10000001"], "A rate is from 1 to 10,000,000 a second"),
            (
                ["--rate", "1", "--rate", "0"],
                "A rate is from 1 to 10,000,000 a second; 0.0 isn't."
            ),
            (["--connections", "0"], "There can be 1 to 100,000 connections"),
            (["--connections", "100001"], "There can be 1 to 100,000 connections"),
            (["--mirrors", "100001", "--subscribe", "a"], "and as many mirrors"),
            (["--mirrors=-1"], "and as many mirrors"),
            (["--threads", "0"], "There can be 1 to 256 threads; 0 can't."),
            (["--threads", "257"], "There can be 1 to 256 threads; 257 can't."),
            (["--duration", "0"], "--duration must be above 0."),
            (["--duration", "8761h"], "'8761h' is no time"),
            (["--mirrors", "1"], "Mirrors need something to follow"),
            (["--find", "p99=1s", "--rate", "1", "--rate", "2"], "--find begins at one --rate"),
            (["--find", "mirror-p99=1s"], "mirror-p99=1s needs mirrors"),
            (["--find", "p100=1s"], "'p100=1s' is no bound"),
            (["--find", "p0=1s"], "'p0=1s' is no bound"),
            (["--find", "p99=0s"], "'p99=0s' is no bound"),
            (["--restarts", "1"], "are for --soak TIME"), (["--pid", "1"], "are for --soak TIME"),
            (["--csv", "a"], "are for --soak TIME"), (["--serve", "a"], "are for --soak TIME"),
            (["--data", "a"], "are for --soak TIME"),
        ] as [([String], String)])
    func `beyond that it is refused, for the reason that it has`(
        arguments: [String], words: String
    ) {
        expectRefusal(Self.least + arguments, words)
    }

    @Test(
        arguments: [
            ([], "Missing expected argument '<url>'"),
            (["localhost:1"], "Missing expected argument '--action <type>'"),
            (["--action", "a"], "Missing expected argument '<url>'"),
            (["--soak", "2.9s"], "A soak takes at least 3 seconds."),
            (["--soak", "1h", "--action", "a"], "--soak has actions and clients of its own"),
            (["--soak", "1h", "--payload", "{}"], "--soak has actions and clients of its own"),
            (["--soak", "1h", "--find", "p9=1s"], "--soak has actions and clients of its own"),
            (
                ["--soak", "1h", "--mirrors", "1", "--subscribe", "a"],
                "--soak has actions and clients of its own"
            ),
            (["--soak", "1h", "--subscribe", "a"], "--soak has actions and clients of its own"),
            (["--soak", "1h", "--rate", "1", "--rate", "2"], "--soak has actions and clients"),
            (["a:1", "--soak", "1h", "--serve", "x"], "A server at a URL isn't started or ended"),
            (
                ["a:1", "--soak", "1h", "--restarts", "1"],
                "A server at a URL isn't started or ended"
            ),
            (["--soak", "1h", "--pid", "1"], "--pid is for a server at a URL."),
            (
                ["--soak", "1h", "--restarts", "1001"],
                "There can be 0 to 1,000 restarts; 1001 can't."
            ),
        ] as [([String], String)])
    func `a soak that makes no sense is refused for its reason`(
        arguments: [String], words: String
    ) {
        expectRefusal(arguments, words)
    }

    private func expectRefusal(_ arguments: [String], _ words: String) {
        let error = #expect(throws: (any Error).self) { try BenchCommand.parse(arguments) }
        let message = error.map { BenchCommand.message(for: $0) } ?? ""
        #expect(message.contains(words), "\(message)")
    }

    @Test func `a soak takes three seconds at least, and a thousand restarts at most`() throws {
        let command = try BenchCommand.parse(["--soak", "3s", "--restarts", "1000"])
        let plan = try command.soakOptions.plan(.seconds(3), url: nil, in: "/tmp")
        #expect(plan.restarts == 1000)
        let none = try BenchCommand.parse(["--soak", "3s", "--restarts", "0", "--data", "d"])
        let other = try none.soakOptions.plan(.seconds(3), url: nil, in: "/tmp")
        #expect(other.restarts == 0 && other.data == "d")
    }

    // MARK: Tables

    @Test func `a table of rooms has a head, and what isn't known is a dash or nothing`() {
        let answer: JSON = ["rooms": [["room": "/a"], ["room": "/b", "lag": 7]], "total": 2]
        let lines = AdminTable.rooms(answer, asJSON: false)
        #expect(lines.count == 3, "None are left out.")
        #expect(
            lines[0].split(separator: " ").map(String.init)
                == ["version", "connections", "behind", "actions/s", "phase", "room"])
        #expect(lines[1].split(separator: " ").map(String.init) == ["-", "-", "-", "0", "/a"])
        #expect(lines[2].split(separator: " ").map(String.init) == ["-", "-", "7", "0", "/b"])
        #expect(AdminTable.rooms(answer, asJSON: true).count == 2)
        #expect(AdminTable.rooms([:], asJSON: false) == [lines[0]])
        #expect(AdminTable.rooms([:], asJSON: true) == [])
    }

    @Test func `a table of connections says how many more there are`() {
        let lines = AdminTable.connections(["connections": [[:]], "total": 3], asJSON: false)
        #expect(lines.count == 3)
        #expect(
            lines[0].split(separator: " ").map(String.init)
                == ["connection", "address", "identity", "room"])
        #expect(lines[1].split(separator: " ").map(String.init) == ["-", "-"])
        #expect(lines[2] == "and 2 more")
        #expect(AdminTable.ended([:]) == "0 connections ended")
        #expect(AdminTable.ended(["ended": 2]) == "2 connections ended")
    }
}
