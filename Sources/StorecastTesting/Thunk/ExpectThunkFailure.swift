/// How a thunk went against what was expected of it.
public struct ExpectThunkFailure: Error, Equatable, CustomStringConvertible {
    /// One thing that went wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// What it is, for people.
        public let message: String
        /// The expectation that it is about; nil if it is about none.
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

    /// What went wrong, in the order in which it showed. Never empty.
    public let problems: [Problem]

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
