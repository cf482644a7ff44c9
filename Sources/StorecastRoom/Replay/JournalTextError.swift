/// What is wrong with a text of a journal's lines, and where.
public struct JournalTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which line it is, counted from 1.
    public let line: Int
    /// What is wrong with it, in a sentence.
    public let problem: String

    /// The line and the problem.
    public var description: String { "Line \(line): \(problem)" }

    init(line: Int, _ problem: String) {
        self.line = line
        self.problem = problem
    }
}
