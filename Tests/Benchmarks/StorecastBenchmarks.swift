import Glibc
import MeasureSupport

/// `StorecastBenchmarks [NAME…] [--quick] [--list] [--peer PATH]`: measures a release build and prints
/// tables. For `edges` there are `--connections N`, `--edges N` and `--rate N`.
@main
struct StorecastBenchmarks {
    static func main() async {
        do {
            try await run()
        } catch {
            print(error)
            fflush(nil)
            exit(1)
        }
    }

    private static func run() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == ChildProcess.flag {
            return try await ChildRole.run(words.dropFirst())
        }
        if words.first == "--path" { return try HotPath.run(words.dropFirst()) }
        if words.contains("--list") {
            for benchmark in all { print("\(benchmark.name): \(benchmark.summary)") }
            return
        }
        let scale: Scale = words.contains("--quick") ? .quick : .full
        let options = ["--quick"] + Given.options
        if let unknown = words.first(where: { $0.hasPrefix("-") && !options.contains($0) }) {
            print(
                "There is no option '\(unknown)'. There are: --quick, --list, \(Peer.flag) PATH, and "
                    + "for edges --connections, --edges and --rate with a number.")
            exit(64)
        }
        let names = words.enumerated().compactMap { place, word in
            let isValue = place > 0 && Given.options.contains(words[place - 1])
            return word.hasPrefix("-") || isValue ? nil : word
        }
        for name in names where !all.contains(where: { $0.name == name }) {
            print("There is no benchmark '\(name)'; --list shows them.")
            exit(64)
        }
        DescriptorLimit.raise()
        warnOfDebugBuild()
        Machine.describe()
        if Peer.path == nil { print("Without a peer to compare it with (\(Peer.flag) PATH).\n") }
        for benchmark in all where names.isEmpty || names.contains(benchmark.name) {
            var table = Table(title: benchmark.summary)
            try await benchmark.run(scale, &table)
            table.show()
        }
    }

    private static let all: [any Benchmark.Type] = [
        ActionRate.self, AckCost.self, BatchCost.self, FanOut.self, LoopFanOut.self,
        IdleMemory.self, StalledReader.self, JSONCost.self, DispatchCost.self, SubscribeCost.self,
        SelectionCost.self, RowCost.self, MirrorCost.self, DocumentCost.self, DurableRate.self,
        Recovery.self, JetStreamRate.self, Restart.self, EdgeCost.self,
    ]

    private static func warnOfDebugBuild() {
        #if DEBUG
            print("A debug build: its figures say nothing. Use `swift run -c release`.\n")
        #endif
    }
}
