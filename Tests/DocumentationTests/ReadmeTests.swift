import Foundation
import Testing

/// The README shows programs that are compiled with the tests.
struct ReadmeTests {
    @Test(arguments: [
        "Counter/Counter.swift", "CounterServer/main.swift", "CounterClient/main.swift",
        "CounterTools/main.swift",
    ])
    func `the README shows the program as it is compiled`(path: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(
            contentsOf: tests.deletingLastPathComponent().appending(path: "README.md"),
            encoding: .utf8)
        let program = try String(
            contentsOf: tests.appending(path: "Snippets/\(path)"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(program)```"))
    }
}
