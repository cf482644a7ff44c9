import CustomDump
import IssueReporting

/// The place in a test that an expectation stands at, and is reported at when it fails: under Swift
/// Testing and under XCTest.
struct CallSite {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    /// Fails the test.
    func report(_ problem: String) {
        reportIssue(problem, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Fails the test with what is different between two values.
    func report<Value>(_ problem: String, from first: (String, Value), to second: (String, Value)) {
        let difference = diff(first.1, second.1) ?? "None that shows; look at the types' own `==`."
        let lines = difference.split(separator: "\n", omittingEmptySubsequences: false)
        report(
            """
            \(problem)

            \(lines.map { "    \($0)" }.joined(separator: "\n"))

            (\(first.0): -, \(second.0): +)
            """)
    }
}
