/// What a ``Recorder`` recorded, as data that can be kept.
///
/// As bytes it is JSON Lines (UTF-8, a line feed after each line): a header, then one line for each
/// action, in order, with its time in whole microseconds from the start.
///
/// ```json
/// {"format":"storecast-recording","version":1}
/// {"time":0,"action":{"type":"Increase","payload":{"by":2},"isTypedAction":true}}
/// {"time":1250000,"action":{"type":"Reset","isTypedAction":true}}
/// ```
///
/// Times never decrease. An action without a payload has no such member. Readers ignore members
/// that they don't know, in the header and in every line; a change that they must not ignore gets a
/// new version.
public struct Recording: Hashable, Sendable {
    /// One action and its time.
    public struct Entry: Hashable, Sendable {
        /// The time since the start of the recording. Not negative.
        public var time: Duration
        /// The action.
        public var action: StandardAction

        /// Creates an entry.
        public init(time: Duration, action: StandardAction) {
            self.time = time
            self.action = action
        }
    }

    /// The actions in order; their times don't decrease.
    public var entries: [Entry]

    /// Creates a recording.
    public init(entries: [Entry] = []) {
        self.entries = entries
    }
}

/// Why a recording can't be read or written.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the file, from 1; nil if the error isn't about a line.
    public let line: Int?
    /// What is wrong, as a sentence.
    public let message: String

    init(line: Int? = nil, _ message: String) {
        self.line = line
        self.message = message
    }

    /// The line, if there is one, and the message.
    public var description: String {
        line.map { "Line \($0): \(message)" } ?? message
    }
}
