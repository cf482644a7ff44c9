import Synchronization
import Testing

/// Runs `body`, which has to fail the test once, with this message, and answers the line at which.
func expectIssue(
    _ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> Int
) {
    let issues = Mutex<[Issue]>([])
    var line = 0
    withKnownIssue(sourceLocation: sourceLocation) {
        line = body()
    } matching: { issue in
        issues.withLock { $0.append(issue) }
        return true
    }
    let seen = issues.withLock(\.self)
    #expect(seen.map { $0.comments.map(\.rawValue) } == [[message]], sourceLocation: sourceLocation)
    #expect(seen.map { $0.sourceLocation?.line } == [line], sourceLocation: sourceLocation)
}
