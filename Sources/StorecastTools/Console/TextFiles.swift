import Foundation
import StorecastPlatform
import StorecastSync

/// Buffered output of a command: standard output, or a new file.
final class TextOutput {
    /// Nil once it is closed.
    private var stream: FileStream?
    /// The file's path; nil for standard output.
    private let path: String?

    /// - Parameter path: a file that doesn't exist yet, and is made readable by its owner only; nil
    ///   for standard output.
    init(to path: String?) throws(CommandFailure) {
        self.path = path
        let descriptor =
            path.map { open($0, O_WRONLY | O_CREAT | O_EXCL, 0o600) } ?? dup(STDOUT_FILENO)
        if descriptor < 0, errno == EEXIST, let path {
            throw CommandFailure(.trouble, "'\(path)' is there already; choose another file.")
        }
        stream = descriptor < 0 ? nil : fdopen(descriptor, "w")
        if stream == nil { throw failure() }
    }

    deinit {
        if let stream { fclose(stream) }
    }

    /// Writes text, made safe if it goes to a terminal.
    func write(_ text: [UInt8]) throws(CommandFailure) {
        let isShown = path == nil && StandardOutput.isTerminal
        let bytes = isShown ? Array(String(decoding: text, as: UTF8.self).terminalSafe.utf8) : text
        guard let stream, fwrite(bytes, 1, bytes.count, stream) == bytes.count else {
            throw failure()
        }
    }

    /// Writes what is buffered; throws if that fails.
    func close() throws(CommandFailure) {
        defer { stream = nil }
        guard let stream, fclose(stream) == 0 else { throw failure() }
    }

    /// Removes an unfinished file.
    func discard() {
        if let path { unlink(path) }
    }

    private func failure() -> CommandFailure {
        let reason = String(cString: strerror(errno))
        return CommandFailure(
            .trouble, "\(path.map { "'\($0)'" } ?? "Standard output") can't be written: \(reason).")
    }
}

/// Reads a file, or standard input, with one line in memory at a time.
final class LineReader {
    private static let chunkBytes = 1 << 20

    private let file: FileHandle
    private let name: String
    private var buffer: ArraySlice<UInt8> = []
    private var isOver = false
    /// The number of the last line, counted from 1.
    private(set) var number = 0

    /// - Parameter path: `-` for standard input.
    init(_ path: String) throws(CommandFailure) {
        name = path == "-" ? "Standard input" : "'\(path)'"
        guard let file = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(.trouble, "There is no file '\(path)', or it can't be read.")
        }
        self.file = file
    }

    /// The next line without its end; nil after the last.
    func next() throws(CommandFailure) -> ArraySlice<UInt8>? {
        var searched = buffer.startIndex
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[..<end]
                buffer = buffer[(end + 1)...]
                return count(line)
            }
            guard !isOver else {
                defer { buffer = [] }
                return buffer.isEmpty ? nil : count(buffer)
            }
            let unfinished = buffer.count
            guard unfinished <= JSONLimits.largestText else {
                throw CommandFailure(
                    .trouble,
                    "Line \(number + 1) of \(name) is longer than \(JSONLimits.largestText) bytes.")
            }
            buffer.append(contentsOf: try chunk())
            searched = buffer.startIndex + unfinished
        }
    }

    private func chunk() throws(CommandFailure) -> Data {
        do {
            let chunk = try file.read(upToCount: Self.chunkBytes) ?? Data()
            isOver = chunk.isEmpty
            return chunk
        } catch {
            throw CommandFailure(.trouble, "\(name) can't be read: \(error.localizedDescription)")
        }
    }

    private func count(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        number += 1
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
