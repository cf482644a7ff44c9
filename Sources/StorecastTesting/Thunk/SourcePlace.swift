/// A line of a test.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
    /// The file, as `#fileID` names it.
    public let fileID: String
    /// The line, from 1.
    public let line: Int

    init(_ fileID: StaticString, _ line: Int) {
        self.fileID = fileID.description
        self.line = line
    }

    /// File and line as compilers write them.
    public var description: String { "\(fileID):\(line)" }
}
