import Foundation
import MeasureSupport
import StorecastBench

/// Programs that end by themselves.
enum Command {
    /// Runs one, and returns what it has written.
    ///
    /// - Throws: a sentence if it takes too long, or doesn't end with status 0.
    @discardableResult
    static func run(
        _ words: [String], within time: Duration = .seconds(20)
    ) async throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "storecast-storm-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        // What is kept of a process is its standard error.
        let all = ["/bin/sh", "-c", "exec \"$@\" 1>&2", "sh"] + words
        let end = try await ServerProcess(all, log: file).end(within: time)
        let text = File.text(file)
        guard end != .status(0) else { return text }
        let problem = end.map { "ended with \($0)" } ?? "took longer than \(time)"
        throw Failure("'\(words.joined(separator: " "))' \(problem). \(text)")
    }

    /// Runs `ip` with words that have spaces between them.
    @discardableResult
    static func ip(_ words: String) async throws -> String {
        try await run(["ip"] + words.split(separator: " ").map(String.init))
    }
}
