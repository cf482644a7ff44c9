/// How a thunk failed the expectations.
public struct ExpectThunkFailure: Error, Equatable, CustomStringConvertible {
    /// One thing that went wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// What it is, for people.
        public let message: String
        /// The expectation that it is about, if there is one.
        public let place: SourcePlace?

        init(_ message: String, at place: SourcePlace?) {
            self.message = message
            self.place = place
        }

        /// The place, if there is one, and the message.
        public var description: String {
            place.map { "\($0): \(message)" } ?? message
        }
    }

    /// What went wrong, in the order in which it was noticed. Never empty.
    public let problems: [Problem]

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

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
