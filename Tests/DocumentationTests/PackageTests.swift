import Foundation
import Testing

/// The package as others build it: as a dependency, with Xcode, and for other systems.
@Suite(.timeLimit(.minutes(30)))
struct PackageTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Xcode passes `-suppress-warnings` to dependencies, which the compiler refuses beside
    /// `-warnings-as-errors`.
    @Test func `warnings are errors only where the package is worked on`() throws {
        #expect(try manifest(["STORECAST_CI": "1"]).contains("treatAllWarnings"))
        let others = try manifest([:])
        #expect(others.contains("StorecastClient"))
        for setting in ["treatAllWarnings", "treatWarning", "unsafeFlags"] {
            #expect(!others.contains(setting))
        }
        let run = try String(contentsOf: Self.root.appending(path: ".ci/run"), encoding: .utf8)
        #expect(run.contains("\nexport STORECAST_CI=1\n"))
    }

    /// StorecastWebSocket is for Linux alone, and written to glibc and Debian's libwebsockets.
    @Test func `systems are told apart in a few files, named for it`() throws {
        let branch = /#(else)?if\b.*\b(canImport|os)\(|\bimport (Glibc|Musl|Android|Darwin)\b/
        let files = try sources().filter { path in
            let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            return !path.hasPrefix("Sources/StorecastWebSocket/") && text.contains(branch)
        }
        let named = [
            "StorecastPlatform/Platform.swift",
            "StorecastClient/Connection/SystemEvents.swift",
            "StorecastClient/Transports/Transport+Standard.swift",
            "StorecastClient/Transports/URLSessionTransport.swift",
            "StorecastClient/Transports/WebSocketTransport.swift",
            "StorecastServer/OnlyOnLinux.swift",
            "StorecastTesting/FlatMemory.swift",
        ]
        #expect(Set(files) == Set(named.map { "Sources/" + $0 }))
    }

    @Test func `Install names every library`() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "Docs/Install.md"), encoding: .utf8)
        let package = try String(
            contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let libraries = package.matches(of: /\.library\(name: "(\w+)"/).map(\.1)
        #expect(libraries.count >= 9)
        for library in libraries {
            let isNamed = page.contains(
                ".product(name: \"\(library)\", package: \"storecast\")")
            #expect(isNamed, "Install.md leaves out \(library).")
        }
    }

    @Test func `the tutorial's package is one`() throws {
        let folder = Self.root.appending(path: "Tests/Snippets/TutorialPackage")
        let poll = try manifest([:], of: folder)
        for target in ["Poll", "PollServer", "PollClient", "PollTests"] {
            #expect(poll.contains("\"name\" : \"\(target)\""))
        }
    }

    /// A package's manifest as SwiftPM reads it in an environment.
    private func manifest(
        _ variables: [String: String], of package: URL = Self.root
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // The tests' own folder is locked while they run.
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        process.arguments = [
            "swift", "package", "--scratch-path", folder.path, "dump-package",
        ]
        process.currentDirectoryURL = package
        var environment = ProcessInfo.processInfo.environment
        environment["STORECAST_CI"] = nil
        process.environment = environment.merging(variables) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func sources() throws -> [String] {
        try ["Sources", "Clients"].flatMap { folder in
            let found = FileManager.default.enumerator(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
            return try #require(found).compactMap { ($0 as? URL)?.path }
                .filter { $0.hasSuffix(".swift") }
                .map { String($0.dropFirst(Self.root.path.count + 1)) }
        }
    }
}
