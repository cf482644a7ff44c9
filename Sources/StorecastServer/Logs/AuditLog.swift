import Dispatch
import StorecastPlatform
import StorecastSync
import StorecastWire
import Synchronization

/// A file that says who did what, and who was refused, an object of JSON in each line.
///
/// ```swift
/// SyncServer(audit: try AuditLog(file: "audit.jsonl"), rooms: rooms)
/// ```
/// Lines are only ever appended. It has no payloads, no tokens and no client ids, of which it has a
/// digest. It is written on a thread of its own: a server doesn't wait for it. What can't be
/// written is counted, and said as soon as something can be.
public final class AuditLog: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var lines = 0
        /// What wasn't written, and nobody was told of in the file.
        var lost = 0
        var isWriting = false
        var report: @Sendable (String) -> Void = { _ in }
    }

    private struct File {
        var descriptor: Int32
        /// Whether it ends within a line, as a write was cut short.
        var isTorn = false
        var isFailing = false
    }

    /// How many bytes wait for the disk at most.
    private let mostWaiting: Int
    private let path: String
    /// Writes, and opens files.
    let queue = DispatchQueue(label: "storecast.audit")
    private let state = Mutex(State())
    private let file: Mutex<File>

    /// Opens the file, or makes one that only its owner can read.
    ///
    /// - Throws: `ServerError.Code.auditUnwritable`.
    public convenience init(file path: String) throws(ServerError) {
        try self.init(file: path, mostWaiting: 4 << 20)
    }

    init(file path: String, mostWaiting: Int) throws(ServerError) {
        self.path = path
        self.mostWaiting = mostWaiting
        file = Mutex(File(descriptor: try Self.open(path)))
    }

    deinit { close(file.withLock(\.descriptor)) }

    /// Opens the file anew, for when it was moved away; ``SyncServer/reload()`` does this. If that
    /// fails, the old one is written on.
    func reopen() async throws(ServerError) {
        let result: Result<Void, ServerError> = await withCheckedContinuation { continuation in
            queue.async { [self] in
                do throws(ServerError) {
                    let descriptor = try Self.open(path)
                    let old = file.withLock { file in
                        defer { file = File(descriptor: descriptor) }
                        return file.descriptor
                    }
                    close(old)
                    continuation.resume(returning: .success(()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        try result.get()
    }

    /// Returns when all that was noted before is written, or lost.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                write()
                continuation.resume()
            }
        }
    }

    /// - Parameter report: told, on any thread, that the file can't be written.
    func reportTrouble(to report: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.report = report }
    }

    /// Adds a line, if there is place for it.
    func note(_ line: AuditLine) {
        let bytes = line.bytes
        let isFirst = state.withLock { state in
            guard state.waiting.count + bytes.count <= mostWaiting else {
                state.lost += 1
                return false
            }
            state.waiting += bytes
            state.lines += 1
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.async { [self] in write() } }
    }

    // MARK: On the queue

    private func write() {
        let (waiting, lines, lost, report) = state.withLock { state in
            defer {
                (state.waiting, state.lines, state.lost) = ([], 0, 0)
                state.isWriting = false
            }
            return (state.waiting, state.lines, state.lost, state.report)
        }
        guard !waiting.isEmpty || lost > 0 else { return }
        // What was lost lies before or between these lines.
        var bytes = lost > 0 ? AuditLine.lost(lost).bytes : []
        bytes += waiting
        let (unwritten, problem) = file.withLock { file in
            if file.isTorn { bytes.insert(UInt8(ascii: "\n"), at: 0) }
            let (written, error) = writeAll(bytes, to: file.descriptor)
            guard let error else {
                (file.isTorn, file.isFailing) = (false, false)
                return (false, nil as String?)
            }
            if written > 0 { file.isTorn = bytes[written - 1] != UInt8(ascii: "\n") }
            defer { file.isFailing = true }
            return (true, file.isFailing ? nil : String(cString: strerror(error)))
        }
        guard unwritten else { return }
        // Those that were written before it failed count too: better than that any are missing.
        state.withLock { $0.lost += lines + lost }
        if let problem {
            report("The audit log '\(path)' can't be written: \(problem). What is lost is counted.")
        }
    }

    /// Throws as `init` would if the file can't be written; makes none.
    package static func check(file path: String) throws(ServerError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let isThere = access(path, F_OK) == 0
        guard access(isThere ? path : folder, W_OK) != 0 else { return }
        throw unwritable(path)
    }

    private static func unwritable(_ path: String) -> ServerError {
        ServerError(
            .auditUnwritable,
            "The audit log '\(path)' can't be written: \(String(cString: strerror(errno))).")
    }

    private static func open(_ path: String) throws(ServerError) -> Int32 {
        // Not waiting for who reads a pipe.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
        let descriptor = openFile(path, flags, 0o600)
        guard descriptor >= 0 else { throw unwritable(path) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }
}

// Within the type, a member of the same name hides the function.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

/// What a line of the audit log has; Docs/Operations.md explains each.
package enum AuditField: String, CaseIterable, Sendable {
    case time, event, outcome, room, identity, client, address, connection, type, selection, version
    case code, title, lines, target, reason
}

/// An action of an extension's room of which the audit log says more than that it happened.
package protocol AuditedAction {
    /// Whom or what it is about; empty for everything.
    var auditTarget: String { get }
    var auditReason: String { get }
    /// Why what it tells of couldn't be done; nil if it was.
    var auditProblem: String? { get }
}

extension AuditedAction {
    package var auditReason: String { "" }
    package var auditProblem: String? { nil }
}

/// A line of the audit log.
struct AuditLine {
    enum Event: String, CaseIterable { case entry, action, selection, token, kick, lost }

    /// How much is written of what others chose, in bytes.
    private static let longest = 256
    private var writer = JSONWriter()

    init(_ event: Event, at time: Timestamp = .now()) {
        writer.beginObject()
        add(.time, time.description)
        add(.event, event.rawValue)
    }

    mutating func add(_ field: AuditField, _ text: String) {
        writer.write(key: field.rawValue)
        writer.write(text.excerpt(Self.longest).shown)
    }

    mutating func add(_ field: AuditField, _ number: UInt64) {
        writer.write(key: field.rawValue)
        writer.write(number)
    }

    /// The outcome: nil for taken.
    mutating func add(outcome refusal: (code: String, title: String)?) {
        add(.outcome, refusal == nil ? "taken" : "refused")
        guard let refusal else { return }
        add(.code, refusal.code)
        add(.title, refusal.title)
    }

    /// Whose it is: a client's id is a secret, of which everybody else knows the digest.
    mutating func add(_ identity: Identity, client: String) {
        if !identity.id.isEmpty { add(.identity, identity.id) }
        if !client.isEmpty { add(.client, participantID(of: client)) }
    }

    static func lost(_ count: Int) -> AuditLine {
        var line = AuditLine(.lost)
        line.add(.lines, UInt64(count))
        return line
    }

    /// The line with its end.
    var bytes: [UInt8] { writer.bytes + Array("}\n".utf8) }
}
