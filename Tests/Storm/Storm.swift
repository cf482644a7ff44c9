import ArgumentParser
import Foundation
import Glibc
import MeasureSupport
import StorecastBench
import Synchronization

/// A cluster with real servers, whose machines, processes and network fail, as a program for those
/// who work on the package.
@main
struct Storm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Storm",
        abstract: "Try what becomes of a cluster whose machines, processes and network fail.",
        discussion: """
            Three machines, each with a NATS server and a storecast server, and one for all clients \
            are network namespaces of this machine, joined by a bridge. Clients append numbers to \
            lists of their own and mirror them; a fifth mirrors whole documents. One fault after the \
            other happens, and everything has to go on: nothing that was acked is lost, nothing is \
            there twice, each client's actions are in order, no mirror goes back. At the end all \
            servers are killed, and what they read from the log is compared with all mirrors; and for \
            each kind of fault is printed how often it happened, and how long rooms weren't written.

            Rooms begin with schema 1. Faults that deploy the next one have the servers add a member \
            to each document, which says its schema: all mirrors have to show it when all servers have \
            that schema. No server writes to a room of a later schema than its own.

              swift build -c release --product storecast
              swift run -c release Storm --duration 1h
              swift run -c release Storm --only unplug --only cut-nats --seed 7

            It takes root, iproute2 and iptables, and nats-server where the README's test command \
            puts it, or at --nats. Nothing leaves the machine.

            Faults: \(Fault.allCases.map { "\($0.rawValue) (\($0.title))" }
                .joined(separator: "; ")). Their order is the seed's, the moments aren't.

            Exit status: 0 if every promise held; 1 if one was broken: the seed, what is wrong and \
            where the logs are is printed; 2 if it can't run; 64 if the arguments are wrong.
            """)

    @Option(
        help: "For how long faults happen: 3m, 1h. The last one is waited for.",
        transform: { text in
            guard let time = Duration(written: text) else {
                throw ValidationError("'\(text)' is no time: write 3m or 1h.")
            }
            return time
        })
    var duration = Duration.seconds(180)

    @Option(help: "How many clients there are.")
    var clients = 200

    @Option(help: "How many rooms they are in.")
    var rooms = 6

    @Option(help: "How many actions all clients dispatch in a second, about.")
    var rate = 200.0

    @Option(help: "What the order of faults and those whom they hit are drawn from.")
    var seed: UInt64?

    @Option(help: "Only these faults.")
    var only: [Fault] = []

    @Option(help: "The command 'storecast'; by default the one beside this program.")
    var command = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "storecast").path

    @Option(help: "The NATS server.")
    var nats = ".build/python/bin/nats-server"

    @Option(
        help: ArgumentHelp(
            "A new folder for what the servers log and keep; by default a temporary one, which is "
                + "removed if every promise held.", valueName: "folder"))
    var logs: String?

    /// Of the process at the clients' place, which the first one starts.
    @Flag(help: .hidden)
    var inside = false

    func validate() throws {
        guard (1...100).contains(rooms), (rooms...10_000).contains(clients), rate > 0 else {
            throw ValidationError(
                "There are 1 to 100 rooms, as many clients or more, up to 10,000, and a rate above 0."
            )
        }
    }

    func run() async throws {
        do {
            if inside { try await runInside() } else { try await supervise() }
        } catch is BrokenPromise {
            throw ExitCode(1)
        } catch let error where error is Failure || error is LoadError {
            printNow("\(error)")
            throw ExitCode(2)
        }
    }

    private func runInside() async throws {
        guard let seed, let logs else { throw ValidationError("--inside is for this program.") }
        DescriptorLimit.raise()
        let plan = Run.Plan(
            duration: duration, clients: clients, rooms: rooms, rate: rate, seed: seed,
            faults: only.isEmpty ? Fault.allCases : only,
            setup: Host.Setup(storecast: command, nats: nats, folder: logs))
        try await Run(plan).run()
    }

    // MARK: The first process

    /// Makes the network, has all that happens there be done by another process, and removes it,
    /// whatever becomes of that.
    private func supervise() async throws {
        try await checkMachine()
        let lock = open("/run/storecast-storm.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure("Another Storm runs on this machine: wait for its end.")
        }
        defer { close(lock) }
        let seed = seed ?? .random(in: 0 ... .max)
        let folder = try makeFolder()
        printNow("seed \(seed); the servers' logs are in \(folder)")
        Interruption.watch()
        try await Network.remove()
        let status: Int32
        do {
            try await Network.make()
            status = try await runOther(seed, folder)
        } catch {
            try? await Network.remove()
            throw error
        }
        try await Network.remove()
        if status == 0 {
            if logs == nil { try? FileManager.default.removeItem(atPath: folder) }
        } else {
            printNow("Seed \(seed). What the servers logged is in \(folder).")
            throw ExitCode(status)
        }
    }

    private func checkMachine() async throws {
        guard getuid() == 0 else {
            throw Failure("Only root makes network namespaces: run Storm as root.")
        }
        for tool in ["ip", "tc", "iptables"] {
            guard (try? await Command.run(["sh", "-c", "command -v \(tool)"])) != nil else {
                throw Failure("There is no '\(tool)': install iproute2 and iptables.")
            }
        }
        for (path, way) in [
            (
                command,
                "build it ('swift build -c release --product storecast'), or name it with "
                    + "--command"
            ),
            (nats, "run the README's test command once, or name it with --nats"),
        ] where !FileManager.default.isExecutableFile(atPath: path) {
            throw Failure("'\(path)' isn't there: \(way).")
        }
    }

    private func makeFolder() throws -> String {
        let folder =
            logs
            ?? FileManager.default.temporaryDirectory.appending(path: "storecast-storm-\(getpid())")
            .path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("The folder '\(folder)' can't be made: \(error.localizedDescription)")
        }
        return URL(filePath: folder).path
    }

    /// Runs this program once more where clients are; returns its exit status.
    private func runOther(_ seed: UInt64, _ folder: String) async throws -> Int32 {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        let words = Network.words(
            atClients: [
                own, "--inside", "--seed", "\(seed)", "--logs", folder, "--command", command,
                "--nats", nats, "--duration", "\(duration / .seconds(1))", "--clients",
                "\(clients)", "--rooms", "\(rooms)", "--rate", "\(rate)",
            ] + only.flatMap { ["--only", $0.rawValue] })
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, words[0], nil, nil, &arguments, environ)
        guard code == 0 else { throw Failure("start \(words[0])", code: code) }
        // Everything in there has a bound of its own: this is for errors in those.
        let deadline = ContinuousClock.now + duration + .seconds(1800)
        var status: Int32 = 0
        while waitpid(id, &status, WNOHANG) == 0 {
            if Interruption.isThere || .now > deadline {
                if !Interruption.isThere { printNow("It hangs.") }
                kill(id, SIGKILL)
                waitpid(id, &status, 0)
                break
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        let signal = status & 0x7F
        guard signal != 0 else { return status >> 8 & 0xFF }
        printNow("Signal \(signal) ended it.")
        return 1
    }
}

/// Whether somebody wants this to end: by Ctrl-C, or SIGTERM.
private enum Interruption {
    private static let isSet = Atomic(false)

    static var isThere: Bool { isSet.load(ordering: .relaxed) }

    static func watch() {
        // Made here rather than in a signal's handler.
        guard !isThere else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interruption.isSet.store(true, ordering: .relaxed) }
        }
    }
}
