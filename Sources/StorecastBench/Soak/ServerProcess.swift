import Foundation
import Synchronization

/// A program that was started, such as a server, in a process of its own.
package final class ServerProcess: Sendable {
    /// How the process ended.
    package enum End: Equatable, Sendable {
        case status(Int32)
        case signal(Int32)
    }

    private struct State {
        /// Where it listens, once it has said so.
        var url: String?
        var end: End?
    }

    let id: Int32
    private let state = Mutex(State())

    /// What servers print when clients can connect.
    private static let greeting = "listening on "

    /// Starts the words as a program; its standard error is added to a file.
    package init(_ words: [String], log: String) throws(LoadError) {
        var (ends, actions): ([Int32], posix_spawn_file_actions_t) = ([0, 0], .init())
        guard pipe(&ends) == 0 else { throw LoadError("The system gives no pipe.") }
        // No other child keeps it open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        // Threads of a pool block signals, which a child would inherit.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigmask(&attributes, &none)
        // Ctrl-C in the terminal is for the soak, which then stops the server.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var arguments = words.map { strdup($0) } + [nil]
        var id: pid_t = 0
        let code = posix_spawnp(&id, words[0], &actions, &attributes, &arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw LoadError("'\(words[0])' can't be started: \(String(cString: strerror(code))).")
        }
        self.id = id
        let output = ends[0]
        Thread.detachNewThread { [self] in follow(output) }
    }

    package var end: End? { state.withLock(\.end) }

    package func signal(_ signal: Int32) { if end == nil { kill(id, signal) } }

    /// Waits until it listens; returns its URL, or nil if it ends before or takes too long.
    package func url(within time: Duration) async -> String? {
        await wait(time) { [self] in state.withLock { $0.url != nil || $0.end != nil } }
        return state.withLock { $0.end == nil ? $0.url : nil }
    }

    /// Waits for its end, and kills it if that takes too long: nil then.
    package func end(within time: Duration) async -> End? {
        await wait(time) { [self] in end != nil }
        if let end { return end }
        signal(SIGKILL)
        await wait(.seconds(10)) { [self] in end != nil }
        return nil
    }

    private func wait(_ time: Duration, for isOver: () -> Bool) async {
        let deadline = ContinuousClock.now + time
        while !isOver(), .now < deadline { try? await Task.sleep(for: .milliseconds(10)) }
    }

    /// Reads what it prints to the end, and waits for the process.
    private func follow(_ output: Int32) {
        if let stream = fdopen(output, "r") {
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, stream) > 0 {
                guard let line else { break }
                let text = String(cString: line).trimmingCharacters(in: .newlines)
                guard text.hasPrefix(Self.greeting) else { continue }
                let url = String(text.dropFirst(Self.greeting.count))
                state.withLock { $0.url = url }
            }
            free(line)
            fclose(stream)
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let end: End = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
        state.withLock { $0.end = end }
    }
}

/// What the system tells of a process in files (Linux); nil of what it doesn't.
struct ProcessFigures: Sendable, Equatable {
    /// Memory of its own, without that of mapped files.
    var memory: Int?
    var descriptors: Int?
    /// The processor time that it has used, in seconds.
    var processorTime: Double?

    init(of process: Int32) {
        let folder = "/proc/\(process)"
        let files = FileManager.default
        descriptors = try? files.contentsOfDirectory(atPath: folder + "/fd").count
        let status = Self.text(folder + "/status").split(separator: "\n")
        memory = status.first { $0.hasPrefix("RssAnon:") }
            .flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 }
        // Behind the name in parentheses, the third word on (proc(5)).
        let words = Self.text(folder + "/stat").split(separator: ")").last?.split(separator: " ")
        if let words, words.count > 12, let user = Double(words[11]), let system = Double(words[12])
        {
            processorTime = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// The bytes of a file and of those beside it whose names begin with its name.
    static func bytes(ofFilesLike path: String) -> Int {
        let url = URL(filePath: path)
        let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(name) }.reduce(0) { sum, name in
            var status = stat()
            return sum + (stat(folder + "/" + name, &status) == 0 ? Int(status.st_size) : 0)
        }
    }
}
