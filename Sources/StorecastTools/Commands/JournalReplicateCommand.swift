import ArgumentParser
import Dispatch
import Foundation
import StorecastRoom
import StorecastSQLite

/// `storecast journal replicate`
struct JournalReplicateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replicate",
        abstract: "Copy a journal's file continuously, beside the server that writes it.",
        discussion: """
            Writes what is new every second into a folder, as segments. `storecast journal restore` \
            makes a journal of them again, as it was at any time. A folder belongs to one journal.

              storecast journal replicate board.sqlite /mnt/backups/board
              storecast journal replicate board.sqlite replica --interval 10s --keep 30d
              storecast journal replicate board.sqlite spool \\
                --command 'aws s3 cp "$FILE" "s3://bucket/board/$NAME"'

            A generation begins with all that the journal has. Each day another one is begun, and \
            those go that nobody needs any more to restore the last seven days: so there must be \
            space for nine times the journal. A generation is also begun if the file was replaced.

            With --command each segment is given to a shell, in place of the folder: $FILE is its \
            path, $NAME the name to keep it under, which has one '/'. The folder then has only what \
            the command hasn't taken yet, and how far it has come. Let the store delete what is \
            old; to restore, copy all to a folder.

            What can't be written or handed over is tried again, after a minute at the latest; a \
            command is ended after ten minutes. \
            It stays in the journal meanwhile. Ctrl-C and SIGTERM end it when everything is copied.

            Exit status: 0; 2 if the last attempt failed, or the command can't begin.
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Argument(help: "The folder, made if there is none.", completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("How often to look for what is new.", valueName: "time"),
        transform: time)
    var interval = Duration.seconds(1)

    @Option(
        help: ArgumentHelp("How far back it can be restored.", valueName: "time"), transform: time)
    var keep = Duration.seconds(7 * 86_400)

    @Option(
        help: ArgumentHelp("How often to begin a generation.", valueName: "time"),
        transform: time)
    var generation = Duration.seconds(86_400)

    @Option(help: ArgumentHelp("A shell command that takes each segment.", valueName: "command"))
    var command: String?

    @Flag(help: "Copy what there is, and end.")
    var once = false

    func run() async throws {
        // Before anything is copied: a signal that comes as it begins isn't lost.
        let (ends, end) = AsyncStream<Void>.makeStream()
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { end.yield() }
            source.resume()
            return source
        }
        if !once {
            StandardError.write("Copying '\(file)' to '\(folder)', until Ctrl-C or SIGTERM.")
        }
        // Ends when everything is copied, also what came while it was told to.
        let work = Task { try await copy() }
        let watch = Task { for await _ in ends { work.cancel() } }
        defer {
            watch.cancel()
            for source in signals { source.cancel() }
        }
        try await work.value
    }

    private func copy() async throws {
        var options = JournalReplication.Options()
        options.keep = keep
        options.generation = generation
        if let command { options.handOver = { try Self.handOver(to: command, $0, $1) } }
        let replication = try JournalReplication(
            of: file, to: folder, options, say: StandardError.write)
        var pace = ReplicationPace(interval)
        while true {
            let isEnding = Task.isCancelled || once
            do {
                let step = try replication.step(at: .now())
                if let line = pace.succeeded() { StandardError.write(line) }
                if isEnding, once ? step.isDone : step.isCurrent { break }
                if !step.isDone { continue }
            } catch {
                if isEnding { throw CommandFailure(error) }
                StandardError.write(pace.failed("\(CommandFailure(error))"))
            }
            try? await Task.sleep(for: pace.delay)
        }
        guard let position = replication.position else { return }
        StandardOutput.write(
            "'\(folder)' has everything up to offset \(position.offset), in generation "
                + "'\(position.generation)'.")
    }

    /// How long a command may take, in seconds.
    private static let longestCommand = 600.0

    /// Runs a command with a segment; throws if it fails, or takes too long.
    static func handOver(to command: String, _ file: String, _ name: String) throws {
        let process = Foundation.Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["FILE": file, "NAME": name]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        try process.run()
        let alarm = DispatchSource.makeTimerSource(queue: .global())
        alarm.setEventHandler { kill(process.processIdentifier, SIGKILL) }
        alarm.schedule(deadline: .now() + longestCommand)
        alarm.resume()
        process.waitUntilExit()
        alarm.cancel()
        guard process.terminationStatus == 0 else {
            throw CommandFailure(
                .trouble,
                "The command ended with status \(process.terminationStatus) for '\(name)'.")
        }
    }

    @Sendable private static func time(_ text: String) throws -> Duration {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units = ["": 1.0, "s": 1, "ms": 0.001, "m": 60, "h": 3600, "d": 86_400]
        guard let number = Double(digits), let unit = units[String(text.dropFirst(digits.count))],
            number * unit > 0, number * unit < 1e10
        else { throw ValidationError("'\(text)' is no time: write 10s, 15m, 24h or 7d.") }
        return .seconds(number * unit)
    }
}

/// When to try again: later and later as long as it fails.
struct ReplicationPace {
    private static let longest = Duration.seconds(60)
    private let interval: Duration
    private var failures = 0

    init(_ interval: Duration) { self.interval = interval }

    var delay: Duration {
        let doubled = interval * (1 << min(failures, 20))
        return failures == 0 ? interval : max(interval, min(doubled, Self.longest))
    }

    /// What to say of a failure.
    mutating func failed(_ problem: String) -> String {
        failures += 1
        return "\(problem) It is tried again in \(delay.formatted())."
    }

    /// What to say of a success, if there were failures before.
    mutating func succeeded() -> String? {
        defer { failures = 0 }
        return failures > 0 ? "It works again: what came meanwhile is being copied." : nil
    }
}
