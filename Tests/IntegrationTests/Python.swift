import Foundation

/// The Python with PyPI's `websockets`, and the scripts that it runs.
enum Python {
    /// Made by the README's test command: a virtual environment under `.build/python`.
    static let interpreter = package.appending(path: ".build/python/bin/python3").path

    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: interpreter) }

    /// Starts a script of `Tests/IntegrationTests/Python`.
    static func start(_ script: String, _ arguments: [String]) throws -> ChildProcess {
        let path = package.appending(path: "Tests/IntegrationTests/Python/\(script)").path
        return try ChildProcess(interpreter, [path] + arguments)
    }

    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
