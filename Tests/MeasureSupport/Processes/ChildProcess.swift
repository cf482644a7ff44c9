package import Glibc

/// A program, or this one once more in a role of its own: so that its time and memory are its own.
///
/// It ends with this object, or with this process.
package final class ChildProcess {
    package let pid: pid_t
    /// The port that it listens on.
    package let port: Int
    /// What it says beside that.
    package let figures: [Int]
    private var input: Int32?
    /// Kept open: who writes to a pipe that nobody can read is ended.
    private let output: Int32

    /// Starts a program, and waits until it listens: it says its port in a line, and serves until
    /// its input ends or it is killed.
    ///
    /// - Parameters:
    ///   - log: the file that its standard error goes to; nil for this process's own.
    ///   - port: finds the port in a line; without it, the line is numbers, of which it is the
    ///     first.
    package init(
        program: String, _ words: [String], log: String? = nil,
        port: (String) -> Int? = { $0.split(separator: " ").first.flatMap { Int($0) } }
    ) throws {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, childInput, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
        if let log {
            posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] =
            words.map { strdup($0 as String) } + [nil]
        var pid: pid_t = 0
        let code = posix_spawn(&pid, program, &actions, nil, &arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        close(childInput)
        close(childOutput)
        guard code == 0 else { throw Failure("start \(program)", code: code) }
        let line = Self.line(of: output)
        guard let line, let found = port(line) else {
            close(input)
            close(output)
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw Failure("The child process did not start. \(line ?? "")")
        }
        self.pid = pid
        self.port = found
        figures = line.split(separator: " ").dropFirst().map { Int($0) ?? 0 }
        self.input = input
        self.output = output
    }

    deinit { end() }

    private static func line(of output: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Asks it for figures: it is sent an empty line, and answers with a line of numbers.
    package func ask() throws -> [Int] {
        guard let input, write(input, "\n", 1) == 1, let line = Self.line(of: output) else {
            throw Failure("A child process has ended.")
        }
        return line.split(separator: " ").compactMap { Int($0) }
    }

    /// Ends it as a crash does.
    package func end() {
        guard let input = input.take() else { return }
        close(input)
        close(output)
        // What a thread of a pool starts inherits that this thread blocks other signals.
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// Ends its input, and waits until it has ended by itself.
    package func finish() {
        guard let input = input.take() else { return }
        close(input)
        waitpid(pid, nil, 0)
        close(output)
    }

    /// Whether it has ended by itself.
    package var hasEnded: Bool {
        var info = siginfo_t()
        let code = waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT)
        return code != 0 || info.si_signo != 0
    }

    /// The processor time that it has used, in seconds.
    package var processorTime: Double {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else { return 0 }
        return ProcessorTime.seconds(of: clock)
    }

    /// Its resident memory, in bytes: counted page by page, which `statm` is too lazy for.
    package var residentBytes: Int { bytes(of: "Rss:", in: "smaps_rollup") }

    /// The most resident memory that it has had, in bytes, since it started or the last
    /// ``forgetPeak()``.
    package var peakResidentBytes: Int { bytes(of: "VmHWM:", in: "status") }

    /// Begins anew to look for the most resident memory.
    package func forgetPeak() throws {
        let descriptor = open("/proc/\(pid)/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { throw Failure("reset the peak", code: errno) }
        defer { close(descriptor) }
        guard write(descriptor, "5", 1) == 1 else { throw Failure("reset the peak", code: errno) }
    }

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
