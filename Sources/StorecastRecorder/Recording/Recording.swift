/// What a ``Recorder`` recorded, as data that can be kept.
///
/// As bytes it is JSON Lines (UTF-8, a line feed after each line): a header, then one line for each
/// action in order, with the time in whole microseconds from the start.
///
/// ```json
/// {"format":"storecast-recording","version":1}
/// {"time":0,"action":{"type":"Increase","payload":{"by":2},"isTypedAction":true}}
/// {"time":1250000,"action":{"type":"Reset","isTypedAction":true}}
/// ```
///
/// Times never decrease. Readers ignore members that they don't know, of the header and of a line;
/// a change that they couldn't ignore gets another version. Without a payload the member is left
/// out.
public struct Recording: Hashable, Sendable {
    /// One action and when it happened.
    public struct Entry: Hashable, Sendable {
        /// When, from the start of the recording. Not negative.
        public var time: Duration
        /// What.
        public var action: StandardAction

        /// Makes an entry.
        public init(time: Duration, action: StandardAction) {
            self.time = time
            self.action = action
        }
    }

    /// The actions in order; their times don't decrease.
    public var entries: [Entry]

    /// Makes a recording.
    public init(entries: [Entry] = []) {
        self.entries = entries
    }
}
