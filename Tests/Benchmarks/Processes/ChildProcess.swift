import Glibc

/// This program once more, in a role of its own, or another program: so that its time and memory
/// are its own.
///
/// It ends with this object, or with this process.
final class ChildProcess {
    static let flag = "--child"

    let pid: pid_t
    /// The port that it listens on.
    let port: Int
    /// What it says beside that.
    let figures: [Int]
    private var input: Int32?

    /// Starts this program in a role, and waits until it listens.
    ///
    /// - Parameter journal: where it keeps its room, if it is a server.
    convenience init(_ role: ChildRole, _ journal: ServedJournal = ServedJournal()) throws {
        try self.init(
            program: "/proc/self/exe",
            ["StorecastBenchmarks", Self.flag, role.rawValue] + journal.arguments)
    }

    /// Starts a program, and waits until it listens: it says its port in a line, and serves until
    /// its input ends.
    init(program: String, _ words: [String]) throws {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, childInput, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
        var arguments: [UnsafeMutablePointer<CChar>?] =
            words.map { strdup($0 as String) } + [nil]
        var pid: pid_t = 0
        let code = posix_spawn(&pid, program, &actions, nil, &arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        close(childInput)
        close(childOutput)
        guard code == 0 else { throw Failure("start a child process", code: code) }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        close(output)
        let numbers = String(decoding: line, as: UTF8.self).split(separator: " ").map { Int($0) }
        guard let first = numbers.first, let port = first else {
            throw Failure("The child process did not start.")
        }
        self.pid = pid
        self.port = port
        figures = numbers.dropFirst().map { $0 ?? 0 }
        self.input = input
    }

    deinit {
        guard let input else { return }
        close(input)
        // What a thread of a pool starts inherits that this thread blocks other signals.
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// Ends it as a crash does.
    func crash() {
        guard let input = input.take() else { return }
        close(input)
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// The processor time that it has used, in seconds.
    var processorTime: Double {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else { return 0 }
        return ProcessorTime.seconds(of: clock)
    }

    /// Its resident memory, in bytes: counted page by page, which `statm` is too lazy for.
    var residentBytes: Int { bytes(of: "Rss:", in: "smaps_rollup") }

    /// The most resident memory that it has had, in bytes.
    var peakResidentBytes: Int { bytes(of: "VmHWM:", in: "status") }

    private func bytes(of name: String, in file: String) -> Int {
        for line in File.text("/proc/\(pid)/\(file)").split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.count > 1, words[0] == name { return (Int(words[1]) ?? 0) << 10 }
        }
        return 0
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw Failure("make a pipe", code: errno) }
        // A second child must not hold the first one's ends open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
