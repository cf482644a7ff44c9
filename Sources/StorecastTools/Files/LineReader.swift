import Foundation
import StorecastSync

/// Reads a file, or standard input, line by line; one line is in memory at a time.
final class LineReader {
    private static let chunkBytes = 1 << 20

    private let file: FileHandle
    private let name: String
    private var buffer: ArraySlice<UInt8> = []
    private var isOver = false
    /// Which line was read last, counted from 1.
    private(set) var number = 0

    /// - Parameter path: `-` for standard input.
    init(_ path: String) throws(CommandFailure) {
        name = path == "-" ? "Standard input" : "'\(path)'"
        guard let file = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(.trouble, "There is no file '\(path)', or it can't be read.")
        }
        self.file = file
    }

    /// The next line without its end; nil behind the last.
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
