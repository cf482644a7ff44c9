import Foundation
import Synchronization

/// A program that a test starts and stops, with its lines of output as they come.
final class ChildProcess: Sendable {
    private struct Output {
        var lines: [String] = []
        var rest = Data()
        var isOver = false
        var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    /// The process id, which this object holds until the process is waited for.
    let id: Int32
    private let process: Mutex<Process>
    private let input: FileHandle
    private let output = Mutex(Output())

    /// Starts `program`, one of the package's own or an absolute path.
    init(_ program: String, _ arguments: [String] = []) throws {
        let child = Process()
        child.executableURL =
            program.hasPrefix("/")
            ? URL(filePath: program) : Self.products.appending(path: program)
        child.arguments = arguments
        let (outPipe, inPipe) = (Pipe(), Pipe())
        child.standardOutput = outPipe
        child.standardError = FileHandle.standardError
        child.standardInput = inPipe
        input = inPipe.fileHandleForWriting
        try child.run()
        id = child.processIdentifier
        process = Mutex(child)
        outPipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(data)
        }
    }

    deinit {
        process.withLock { if $0.isRunning { $0.terminate() } }
    }

    /// Line `index` of standard output, waited for; nil if the output ends before it.
    func line(_ index: Int) async -> String? {
        await withCheckedContinuation { continuation in
            let isThere = output.withLock { output in
                if output.isOver || output.lines.count > index { return true }
                output.waiters.append((index + 1, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return output.withLock { $0.lines.indices.contains(index) ? $0.lines[index] : nil }
    }

    /// Everything on standard output, when it has ended.
    func allLines() async -> [String] {
        _ = await line(.max - 1)
        return output.withLock(\.lines)
    }

    /// Writes a line to standard input.
    func write(_ line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Closes standard input.
    func closeInput() throws {
        try input.close()
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
        kill(id, number)
    }

    /// Waits for the end; the exit status, or minus the signal that ended it.
    func exitStatus() async -> Int32 {
        _ = await allLines()
        return process.withLock { process in
            process.waitUntilExit()
            return process.terminationReason == .exit
                ? process.terminationStatus : -process.terminationStatus
        }
    }

    /// The memory that the process has in RAM, in bytes.
    func residentBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
            Int($0)
        }
        return (kilobytes ?? 0) * 1024
    }

    private func take(_ data: Data) {
        let ready = output.withLock { output -> [CheckedContinuation<Void, Never>] in
            output.isOver = data.isEmpty
            output.rest += data
            while let end = output.rest.firstIndex(of: UInt8(ascii: "\n")) {
                output.lines.append(
                    String(decoding: output.rest[output.rest.startIndex..<end], as: UTF8.self))
                output.rest = output.rest[(end + 1)...]
            }
            let (isOver, count) = (output.isOver, output.lines.count)
            let ready = output.waiters.filter { isOver || $0.count <= count }.map(\.1)
            output.waiters.removeAll { isOver || $0.count <= count }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }

    /// Where the package's programs are built: beside the tests themselves.
    private static var products: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }
}
