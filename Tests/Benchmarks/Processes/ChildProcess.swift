import Glibc

/// This program once more, in a role of its own, so that its time and memory are its own.
///
/// It ends with this object, or with this process.
final class ChildProcess {
    static let flag = "--child"

    let pid: pid_t
    /// The port that it listens on.
    let port: Int
    private let input: Int32

    /// Starts it and waits until it listens.
    init(_ role: ChildRole) throws {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, childInput, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
        var arguments: [UnsafeMutablePointer<CChar>?] =
            ["StorecastBenchmarks", Self.flag, role.rawValue].map { strdup($0 as String) } + [nil]
        var pid: pid_t = 0
        let code = posix_spawn(
            &pid, "/proc/self/exe", &actions, nil, &arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        close(childInput)
        close(childOutput)
        guard code == 0 else { throw Failure("start a child process", code: code) }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        close(output)
        guard let port = Int(String(decoding: line, as: UTF8.self)) else {
            throw Failure("The child process did not start.")
        }
        self.pid = pid
        self.port = port
        self.input = input
    }

    deinit {
        close(input)
        kill(pid, SIGTERM)
        waitpid(pid, nil, 0)
    }

    /// The processor time that it has used, in seconds.
    var processorTime: Double {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else { return 0 }
        return ProcessorTime.seconds(of: clock)
    }

    /// Its resident memory, in bytes: counted page by page, which `statm` is too lazy for.
    var residentBytes: Int {
        for line in File.text("/proc/\(pid)/smaps_rollup").split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "Rss:", words.count > 1 { return (Int(words[1]) ?? 0) << 10 }
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
