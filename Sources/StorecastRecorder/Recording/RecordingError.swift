/// Why a recording can't be read or written.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the file, from 1; nil if it isn't about one.
    public let line: Int?
    /// What is wrong, as a sentence.
    public let message: String

    init(line: Int? = nil, _ message: String) {
        self.line = line
        self.message = message
    }

    /// The line, if it is about one, and the message.
    public var description: String {
        line.map { "Line \($0): \(message)" } ?? message
    }
}
