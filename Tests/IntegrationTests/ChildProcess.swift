import Foundation
import Glibc
import Testing

/// A program that a test starts and stops, with its lines of output as they come.
///
/// Of plain system calls: its pipes reach no other child, and a thread reads them to their end.
final class ChildProcess: Sendable {
    /// The process id, which this object holds until the process is waited for.
    let id: Int32
    private let input: Int32
    private let output = ChildOutput()

    /// Starts `program`, one of the package's own or an absolute path.
    ///
    /// - Parameter takesErrors: whether what it writes on standard error is among its lines.
    init(_ program: String, _ arguments: [String] = [], takesErrors: Bool = false) throws {
        let path = program.hasPrefix("/") ? program : Self.products.appending(path: program).path
        let (toChild, fromChild) = (try Self.pipe(), try Self.pipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild.read, 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild.write, 1)
        if takesErrors { posix_spawn_file_actions_adddup2(&actions, fromChild.write, 2) }
        let words = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        let result = posix_spawn(&id, path, &actions, nil, words + [nil], environ)
        close(toChild.read)
        close(fromChild.write)
        try #require(result == 0, "\(path) can't be started (error \(result)).")
        self.id = id
        input = toChild.write
        output.read(from: fromChild.read, of: id)
    }

    deinit {
        if !output.isReaped { kill(id, SIGKILL) }
        close(input)
    }

    /// Line `index` of standard output, waited for; nil if the output ends before it.
    func line(_ index: Int) async -> String? {
        await output.wait(forLines: index + 1)
        let lines = output.lines
        return lines.indices.contains(index) ? lines[index] : nil
    }

    /// Everything on standard output, when it has ended.
    func allLines() async -> [String] {
        await output.wait(forLines: .max)
        return output.lines
    }

    /// Writes a line to standard input.
    func write(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        try #require(Glibc.write(input, bytes, bytes.count) == bytes.count)
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
        if !output.isReaped { kill(id, number) }
    }

    /// Waits for the end; the exit status, or minus the signal that ended it.
    func exitStatus() async -> Int32? {
        await output.wait(forLines: .max)
        return output.status
    }

    /// The memory that the process has in RAM, in bytes.
    func residentBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
            Int($0)
        }
        return try #require(kilobytes) * 1024
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0, "There is no pipe (errno \(errno)).")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Where the package's programs are built: beside the tests themselves.
    static var products: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }
}
